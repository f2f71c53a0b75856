/*
 * Colour conversion from packed BGRA to planar I420 and I444 in BT.709, limited range (Rec. ITU-R BT.709-6, 3.2 to 3.5).
 *
 * For I420 the matrix in units of 1/256, each row summing to what keeps black, white and all greys exact:
 *     Y = 16 + ( 47 R + 157 G +  16 B) / 256
 *     U = 128 + (-26 R -  87 G + 113 B) / 256
 *     V = 128 + (112 R - 102 G -  10 B) / 256
 * Chroma is the average of two by two pixels. Every implementation gives the same bytes.
 */
#ifndef CPIXELKERNELS_H
#define CPIXELKERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Converts `width` by `height` pixels, both even. Strides are in bytes. The fastest implementation for this processor is taken. */
void pixel_kernels_bgra_to_i420(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, ptrdiff_t y_stride, uint8_t *_Nonnull u,
    uint8_t *_Nonnull v, ptrdiff_t chroma_stride, int width, int height);

/* The same without any vector instructions, as the reference that the fast ones are compared with. */
void pixel_kernels_bgra_to_i420_portable(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, ptrdiff_t y_stride, uint8_t *_Nonnull u,
    uint8_t *_Nonnull v, ptrdiff_t chroma_stride, int width, int height);

/*
 * Converts `width` by `height` pixels to I444, every pixel with chroma of its own. All three planes have the same stride, in bytes.
 *
 * Colours are to come back as they were, so the matrix is in units of 1/32768, and every sample is the nearest to the true one but for
 * a hundredth of a step.
 */
void pixel_kernels_bgra_to_i444(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, uint8_t *_Nonnull u, uint8_t *_Nonnull v,
    ptrdiff_t plane_stride, int width, int height);

#endif

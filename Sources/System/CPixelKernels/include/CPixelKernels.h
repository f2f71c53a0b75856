/*
 * Colour conversion from packed BGRA to planar I420 and I444 in BT.709, limited range (Rec. ITU-R BT.709-6, 3.2 to
 * 3.5), and from packed pixels of 30 bits to BGRA. Comparison of pictures.
 *
 * For I420, the matrix is in units of 1/256. The sum of each row keeps black, white and all greys exact:
 *     Y = 16 + ( 47 R + 157 G +  16 B) / 256
 *     U = 128 + (-26 R -  87 G + 113 B) / 256
 *     V = 128 + (112 R - 102 G -  10 B) / 256
 * Chroma is the average of 2 x 2 pixels. All implementations produce the same bytes.
 */
#ifndef CPIXELKERNELS_H
#define CPIXELKERNELS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Converts `width` x `height` pixels to I420. Both must be even. Strides are in bytes. Selects the fastest
 * implementation for the processor.
 */
void pixel_kernels_bgra_to_i420(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, ptrdiff_t y_stride, uint8_t *_Nonnull u,
    uint8_t *_Nonnull v, ptrdiff_t chroma_stride, int width, int height);

/* The same conversion without vector instructions. It is the reference for the vectorised implementations. */
void pixel_kernels_bgra_to_i420_portable(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, ptrdiff_t y_stride, uint8_t *_Nonnull u,
    uint8_t *_Nonnull v, ptrdiff_t chroma_stride, int width, int height);

/*
 * Converts `width` x `height` pixels to I444, with chroma for each pixel. All three planes have the same stride, in
 * bytes.
 *
 * The matrix is in units of 1/32768, so that colours survive a round trip. Each sample is the nearest integer to the
 * exact value, with an error of at most a hundredth of a step.
 */
void pixel_kernels_bgra_to_i444(
    const uint8_t *_Nonnull bgra, ptrdiff_t bgra_stride, uint8_t *_Nonnull y, uint8_t *_Nonnull u, uint8_t *_Nonnull v,
    ptrdiff_t plane_stride, int width, int height);

/*
 * Converts pixels with ten bits each of blue, green and red, starting at the lowest bit, to BGRA in place: the lowest
 * two of ten bits are discarded, and alpha is 0. `pixels` and `stride` are multiples of 4.
 */
void pixel_kernels_x2rgb10_to_bgra(uint8_t *_Nonnull pixels, ptrdiff_t stride, int width, int height);

/*
 * Compares `height` rows of `width` bytes, which are `stride` bytes apart in both pictures, in blocks of `block` bytes
 * (a power of two). Sets the mark of each block that differs in at least one row, and clears none. Blocks of 8 and 16
 * bytes are compared by cache lines. The last block can be narrower than the others.
 */
void pixel_kernels_mark_different(
    const uint8_t *_Nonnull one, const uint8_t *_Nonnull other, ptrdiff_t stride, int width, int height, int block,
    uint8_t *_Nonnull marks);

/* Returns a hash of `rows` rows of `row_bytes` bytes, which are `stride` bytes apart (XXH3, 64 bits). */
uint64_t pixel_kernels_hash(const uint8_t *_Nonnull pixels, ptrdiff_t stride, int row_bytes, int rows);

/* The number of classes of `pixel_kernels_detail`. */
#define PIXEL_KERNELS_DETAIL_CLASSES 30

/*
 * Counts how strong the details of a picture are: the Hadamard coefficients of blocks of 8 x 8 pixels, without that of
 * the mean. Class k counts those whose magnitude, in eighths of a grey step of an orthonormal transform, is at least
 * 2^(k/2) and below 2^((k+1)/2). Every fourth block is taken, in each row of blocks another column, and counts four
 * times.
 */
void pixel_kernels_detail(
    const uint8_t *_Nonnull luma, ptrdiff_t stride, int width, int height, uint32_t *_Nonnull classes);

#endif

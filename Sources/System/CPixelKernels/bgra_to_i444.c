#include "CPixelKernels.h"

/* Converts one row. The pixels are independent, so that the compiler can vectorise the loop for the processor. */
__attribute__((always_inline)) static inline void convert_row(
    const uint8_t *restrict bgra, uint8_t *restrict y, uint8_t *restrict u, uint8_t *restrict v, int width) {
    const int32_t half = 1 << 14;
    for (int x = 0; x < width; x++) {
        int32_t blue = bgra[4 * x], green = bgra[4 * x + 1], red = bgra[4 * x + 2];
        y[x] = (uint8_t)((2032 * blue + 20127 * green + 5983 * red + half + (16 << 15)) >> 15);
        u[x] = (uint8_t)((14392 * blue - 11094 * green - 3298 * red + half + (128 << 15)) >> 15);
        v[x] = (uint8_t)((-1320 * blue - 13072 * green + 14392 * red + half + (128 << 15)) >> 15);
    }
}

typedef void (*row_function)(const uint8_t *, uint8_t *, uint8_t *, uint8_t *, int);

static void convert_row_portable(const uint8_t *bgra, uint8_t *y, uint8_t *u, uint8_t *v, int width) {
    convert_row(bgra, y, u, v, width);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void convert_row_avx2(
    const uint8_t *bgra, uint8_t *y, uint8_t *u, uint8_t *v, int width) {
    convert_row(bgra, y, u, v, width);
}
#endif

void pixel_kernels_bgra_to_i444(
    const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, uint8_t *u, uint8_t *v, ptrdiff_t plane_stride, int width,
    int height) {
    row_function row = convert_row_portable;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) row = convert_row_avx2;
#endif
    for (int line = 0; line < height; line++) {
        ptrdiff_t offset = line * plane_stride;
        row(bgra + line * bgra_stride, y + offset, u + offset, v + offset, width);
    }
}

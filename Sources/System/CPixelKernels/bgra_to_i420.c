#include "CPixelKernels.h"

static inline uint8_t luma(const uint8_t *pixel) {
    return (uint8_t)(((16 * pixel[0] + 157 * pixel[1] + 47 * pixel[2] + 128) >> 8) + 16);
}

/* The average that vector instructions compute: rounded up. */
static inline int average(int a, int b) { return (a + b + 1) >> 1; }

/* Converts two rows with an even number of pixels to two rows of Y and one row each of U and V. */
static void convert_row_pair(
    const uint8_t *top, const uint8_t *bottom, uint8_t *y_top, uint8_t *y_bottom, uint8_t *u, uint8_t *v, int width) {
    for (int x = 0; x < width; x += 2) {
        y_top[x] = luma(top + 4 * x);
        y_top[x + 1] = luma(top + 4 * x + 4);
        y_bottom[x] = luma(bottom + 4 * x);
        y_bottom[x + 1] = luma(bottom + 4 * x + 4);
        int mean[3];
        for (int channel = 0; channel < 3; channel++) {
            int left = average(top[4 * x + channel], bottom[4 * x + channel]);
            int right = average(top[4 * x + 4 + channel], bottom[4 * x + 4 + channel]);
            mean[channel] = average(left, right);
        }
        u[x / 2] = (uint8_t)(((113 * mean[0] - 87 * mean[1] - 26 * mean[2] + 128) >> 8) + 128);
        v[x / 2] = (uint8_t)(((-10 * mean[0] - 102 * mean[1] + 112 * mean[2] + 128) >> 8) + 128);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Adds the 16-bit sums of (blue, green) and (red, unused) to one rounded 8-bit result a pixel, centred on zero. */
#define NARROW(low, high) _mm256_srai_epi16(_mm256_add_epi16(_mm256_hadd_epi16(low, high), half), 8)

/*
 * Computes 32 pixels of Y. Pixels are converted to signed, so that the factor of green, 157, can be the unsigned
 * operand of maddubs.
 */
__attribute__((target("avx2"))) static inline void luma_32(__m256i p0, __m256i p1, __m256i p2, __m256i p3, uint8_t *y) {
    const __m256i half = _mm256_set1_epi16(128);
    const __m256i sign = _mm256_set1_epi8((char)0x80);
    const __m256i factors = _mm256_set1_epi32((47 << 16) | (157 << 8) | 16);
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    __m256i a = _mm256_maddubs_epi16(factors, _mm256_xor_si256(p0, sign));
    __m256i b = _mm256_maddubs_epi16(factors, _mm256_xor_si256(p1, sign));
    __m256i c = _mm256_maddubs_epi16(factors, _mm256_xor_si256(p2, sign));
    __m256i d = _mm256_maddubs_epi16(factors, _mm256_xor_si256(p3, sign));
    __m256i bytes = _mm256_packs_epi16(NARROW(a, b), NARROW(c, d));
    /* 126 = 16 + 220 * 128 / 256: the black level, and the amount that the conversion to signed subtracted. */
    bytes = _mm256_add_epi8(_mm256_permutevar8x32_epi32(bytes, order), _mm256_set1_epi8(126));
    _mm256_storeu_si256((__m256i *)y, bytes);
}

/* Averages 2 x 2 pixels: two vectors of eight pixels become one. The lane order is restored after packing. */
__attribute__((target("avx2"))) static inline __m256i average_pairs(__m256i left, __m256i right) {
    __m256 l = _mm256_castsi256_ps(left), r = _mm256_castsi256_ps(right);
    return _mm256_avg_epu8(
        _mm256_castps_si256(_mm256_shuffle_ps(l, r, 0x88)), _mm256_castps_si256(_mm256_shuffle_ps(l, r, 0xdd)));
}

__attribute__((target("avx2"))) static void convert_row_pair_avx2(
    const uint8_t *top, const uint8_t *bottom, uint8_t *y_top, uint8_t *y_bottom, uint8_t *u, uint8_t *v, int width) {
    const __m256i half = _mm256_set1_epi16(128);
    const __m256i u_factors = _mm256_set1_epi32((int)((0xe6u << 16) | (0xa9u << 8) | 113u));   /* 0, -26, -87, 113 */
    const __m256i v_factors = _mm256_set1_epi32((int)((112u << 16) | (0x9au << 8) | 0xf6u));   /* 0, 112, -102, -10 */
    int x = 0;
    for (; x + 32 <= width; x += 32) {
        const __m256i *t = (const __m256i *)(top + 4 * x), *b = (const __m256i *)(bottom + 4 * x);
        __m256i t0 = _mm256_loadu_si256(t), t1 = _mm256_loadu_si256(t + 1);
        __m256i t2 = _mm256_loadu_si256(t + 2), t3 = _mm256_loadu_si256(t + 3);
        __m256i b0 = _mm256_loadu_si256(b), b1 = _mm256_loadu_si256(b + 1);
        __m256i b2 = _mm256_loadu_si256(b + 2), b3 = _mm256_loadu_si256(b + 3);
        luma_32(t0, t1, t2, t3, y_top + x);
        luma_32(b0, b1, b2, b3, y_bottom + x);
        __m256i c0 = average_pairs(_mm256_avg_epu8(t0, b0), _mm256_avg_epu8(t1, b1));
        __m256i c1 = average_pairs(_mm256_avg_epu8(t2, b2), _mm256_avg_epu8(t3, b3));
        __m256i us = NARROW(_mm256_maddubs_epi16(c0, u_factors), _mm256_maddubs_epi16(c1, u_factors));
        __m256i vs = NARROW(_mm256_maddubs_epi16(c0, v_factors), _mm256_maddubs_epi16(c1, v_factors));
        __m256i both = _mm256_xor_si256(_mm256_packs_epi16(us, vs), _mm256_set1_epi8((char)0x80));
        __m128i low = _mm256_castsi256_si128(both), high = _mm256_extracti128_si256(both, 1);
        _mm_storeu_si128((__m128i *)(u + x / 2), _mm_unpacklo_epi16(low, high));
        _mm_storeu_si128((__m128i *)(v + x / 2), _mm_unpackhi_epi16(low, high));
    }
    convert_row_pair(top + 4 * x, bottom + 4 * x, y_top + x, y_bottom + x, u + x / 2, v + x / 2, width - x);
}
#endif

typedef void (*row_pair_function)(
    const uint8_t *, const uint8_t *, uint8_t *, uint8_t *, uint8_t *, uint8_t *, int);

static void convert(
    row_pair_function row_pair, const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u,
    uint8_t *v, ptrdiff_t chroma_stride, int width, int height) {
    for (int row = 0; row < height; row += 2) {
        const uint8_t *top = bgra + row * bgra_stride;
        uint8_t *y_top = y + row * y_stride;
        ptrdiff_t chroma = (row / 2) * chroma_stride;
        row_pair(top, top + bgra_stride, y_top, y_top + y_stride, u + chroma, v + chroma, width);
    }
}

void pixel_kernels_bgra_to_i420_portable(
    const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u, uint8_t *v,
    ptrdiff_t chroma_stride, int width, int height) {
    convert(convert_row_pair, bgra, bgra_stride, y, y_stride, u, v, chroma_stride, width, height);
}

void pixel_kernels_bgra_to_i420(
    const uint8_t *bgra, ptrdiff_t bgra_stride, uint8_t *y, ptrdiff_t y_stride, uint8_t *u, uint8_t *v,
    ptrdiff_t chroma_stride, int width, int height) {
    row_pair_function row_pair = convert_row_pair;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) row_pair = convert_row_pair_avx2;
#endif
    convert(row_pair, bgra, bgra_stride, y, y_stride, u, v, chroma_stride, width, height);
}

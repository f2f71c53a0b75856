#include "CPixelKernels.h"

#include <stdlib.h>
#include <string.h>

/* Hadamard transform of eight values that are `step` apart, without normalisation. */
static inline void transform(int16_t *values, int step)
{
    for (int half = 1; half < 8; half *= 2) {
        for (int index = 0; index < 8; index++) {
            if (index & half) continue;
            int16_t one = values[index * step], other = values[(index + half) * step];
            values[index * step] = (int16_t)(one + other);
            values[(index + half) * step] = (int16_t)(one - other);
        }
    }
}

/* The class of a magnitude above 0: twice its logarithm to base 2, rounded down. */
static inline int class_of(uint32_t magnitude)
{
    int octave = 31 - __builtin_clz(magnitude);
    return 2 * octave + (((uint64_t)magnitude * magnitude) >> (2 * octave + 1) & 1);
}

static void count_block(const uint8_t *luma, ptrdiff_t stride, uint32_t *classes)
{
    int16_t block[64];
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) block[row * 8 + column] = luma[row * stride + column];
    for (int row = 0; row < 8; row++) transform(block + row * 8, 1);
    for (int column = 0; column < 8; column++) transform(block + column, 8);
    for (int index = 1; index < 64; index++) {
        uint32_t magnitude = (uint32_t)abs(block[index]);
        if (magnitude != 0) classes[class_of(magnitude)] += 4;
    }
}

void pixel_kernels_detail(const uint8_t *luma, ptrdiff_t stride, int width, int height, uint32_t *classes)
{
    memset(classes, 0, PIXEL_KERNELS_DETAIL_CLASSES * sizeof *classes);
    for (int row = 0; row < height / 8; row++)
        for (int column = row % 4; column < width / 8; column += 4)
            count_block(luma + row * 8 * stride + column * 8, stride, classes);
}

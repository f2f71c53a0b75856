#define XXH_INLINE_ALL
#include <xxhash.h>

#include "CPixelKernels.h"

uint64_t pixel_kernels_hash(const uint8_t *pixels, ptrdiff_t stride, int row_bytes, int rows) {
    uint64_t hash = 0;
    for (int row = 0; row < rows; row++) hash = XXH3_64bits_withSeed(pixels + row * stride, (size_t)row_bytes, hash);
    return hash;
}

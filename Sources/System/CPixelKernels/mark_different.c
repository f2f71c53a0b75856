#include <stdbool.h>
#include <string.h>

#include "CPixelKernels.h"

enum {
    /* The bytes that are compared together: a cache line. */
    GROUP = 64,
    WORDS = GROUP / 8,
    /* The rows between two looks for a group whose blocks all differ already. */
    ROWS = 4,
};

static bool is_block_different(const uint8_t *one, const uint8_t *other, ptrdiff_t stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        if (memcmp(one + row * stride, other + row * stride, (size_t)width) != 0) return true;
    }
    return false;
}

/* Collects the bits that differ in some rows of a group. Compilers make vector instructions of it. */
static inline void collect(
    const uint8_t *one, const uint8_t *other, ptrdiff_t stride, int height, uint64_t different[WORDS]) {
    for (int row = 0; row < height; row++) {
        uint64_t a[WORDS], b[WORDS];
        memcpy(a, one + row * stride, GROUP);
        memcpy(b, other + row * stride, GROUP);
        for (int word = 0; word < WORDS; word++) different[word] |= a[word] ^ b[word];
    }
}

/* Marks the blocks of a group. */
static void mark_group(
    const uint8_t *one, const uint8_t *other, ptrdiff_t stride, int height, int words_per_block, uint8_t *marks) {
    int blocks = WORDS / words_per_block;
    uint64_t different[WORDS] = {0};
    /* A block that is marked already need not differ. */
    for (int word = 0; word < WORDS; word++) different[word] = marks[word / words_per_block];
    for (int row = 0; row < height; row += ROWS) {
        bool is_decided = true;
        for (int block = 0; block < blocks; block++) {
            uint64_t any = 0;
            for (int word = 0; word < words_per_block; word++) any |= different[block * words_per_block + word];
            is_decided &= any != 0;
        }
        if (is_decided) break;
        collect(one + row * stride, other + row * stride, stride, height - row < ROWS ? height - row : ROWS, different);
    }
    for (int word = 0; word < WORDS; word++) marks[word / words_per_block] |= different[word] != 0;
}

void pixel_kernels_mark_different(
    const uint8_t *one, const uint8_t *other, ptrdiff_t stride, int width, int height, int block, uint8_t *marks) {
    int x = 0;
    if (block == 8 || block == 16) {
        for (; x + GROUP <= width; x += GROUP)
            mark_group(one + x, other + x, stride, height, block / 8, marks + x / block);
    }
    for (; x < width; x += block) {
        int rest = width - x < block ? width - x : block;
        if (!marks[x / block]) marks[x / block] = is_block_different(one + x, other + x, stride, rest, height);
    }
}

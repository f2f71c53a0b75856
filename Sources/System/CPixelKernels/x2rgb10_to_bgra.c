#include "CPixelKernels.h"

void pixel_kernels_x2rgb10_to_bgra(uint8_t *pixels, ptrdiff_t stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        uint32_t *line = (uint32_t *)(pixels + row * stride);
        for (int x = 0; x < width; x++) {
            uint32_t pixel = line[x];
            line[x] = (pixel >> 6 & 0xff0000) | (pixel >> 4 & 0xff00) | (pixel >> 2 & 0xff);
        }
    }
}

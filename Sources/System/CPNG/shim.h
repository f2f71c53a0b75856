/* libpng's simplified interface, for writing. The values are macros with casts, which Swift does not import. */
#ifndef CPNG_SHIM_H
#define CPNG_SHIM_H

#include <png.h>

static const png_uint_32 cpng_image_version = PNG_IMAGE_VERSION;
static const png_uint_32 cpng_format_rgb = PNG_FORMAT_RGB;

#endif

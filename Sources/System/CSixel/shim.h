/* libsixel: pictures for terminals. */
#ifndef CSIXEL_SHIM_H
#define CSIXEL_SHIM_H

#include <sixel/sixel.h>

/* A macro that Swift does not import. */
static const int csixel_format_rgb = SIXEL_PIXELFORMAT_RGB888;

#endif

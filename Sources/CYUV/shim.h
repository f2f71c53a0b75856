/* libyuv's C interface, for scaling and plane copies. */
#ifndef CYUV_SHIM_H
#define CYUV_SHIM_H

#include <stdint.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>

#endif

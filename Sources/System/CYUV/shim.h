/* libyuv's C interface, for scaling, plane copies and comparisons. */
#ifndef CYUV_SHIM_H
#define CYUV_SHIM_H

#include <stdint.h>
#include <libyuv/compare.h>
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>

#endif

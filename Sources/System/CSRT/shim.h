/* libsrt, and its codes for refused streams. */
#ifndef CSRT_SHIM_H
#define CSRT_SHIM_H

#include <srt.h>
#include <access_control.h>

#endif

/* The include path of SPA, the headers that describe PipeWire's formats and buffers. They need no library. */
#ifndef CSPA_SHIM_H
#define CSPA_SHIM_H

#include <spa/utils/defs.h>

#endif

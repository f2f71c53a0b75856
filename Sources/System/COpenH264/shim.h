/* OpenH264: its encoder, as a table of functions. */
#ifndef COPENH264_SHIM_H
#define COPENH264_SHIM_H

#include <wels/codec_api.h>

#endif

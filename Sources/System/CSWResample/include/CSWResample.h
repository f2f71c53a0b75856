/*
 * libswresample, for sample rate conversion and drift compensation. It is opened at run time, when there is sound to
 * convert, like libavcodec, which depends on it.
 */
#ifndef CSWRESAMPLE_H
#define CSWRESAMPLE_H

#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct SwrContext cswresample_context;

/* Interleaved stereo floats in and out, both at `rate`; soft compensation is switched on before init. NULL if
   libswresample cannot be opened, or has no memory. */
cswresample_context *_Nullable cswresample_stereo(int rate);

/* Interleaved floats of `channels` at `from`, to interleaved stereo floats at `to`. NULL as above, and for formats that
   libswresample does not know. */
cswresample_context *_Nullable cswresample_converter(int from, int channels, int to);

/* The functions of libswresample. A context exists only if it was opened. */
void cswresample_free(cswresample_context *context);
/* Returns how many of the `capacity` frames of `output` were written; negative on failure. */
int cswresample_convert(cswresample_context *context, float *output, int capacity, const float *input, int count);
/* The delay in units of 1/`base` s. */
int64_t cswresample_delay(cswresample_context *context, int64_t base);
/* Adds `delta` samples over the next `distance` ones. */
void cswresample_compensate(cswresample_context *context, int delta, int distance);

#pragma clang assume_nonnull end

#endif

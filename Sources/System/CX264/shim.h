/* libx264. Its open function's name is pasted together with the API version, which Swift does not import. */
#ifndef CX264_SHIM_H
#define CX264_SHIM_H

#include <stdarg.h>
#include <stdint.h>
#include <x264.h>

static inline x264_t *cx264_encoder_open(x264_param_t *parameters) { return x264_encoder_open(parameters); }

/* x264 writes its log to standard error by default. This callback discards it. Errors are in the return values. */
static void cx264_discard(void *context, int level, const char *format, va_list arguments) {
    (void)context; (void)level; (void)format; (void)arguments;
}
static inline void cx264_silence(x264_param_t *parameters) {
    parameters->i_log_level = X264_LOG_NONE;
    parameters->pf_log = cx264_discard;
}

#endif

#include "CSWResample.h"

#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>

#include "CLateLibrary.h"

#define FUNCTIONS(X)                                                                                                   \
    X(swr_alloc_set_opts2)                                                                                             \
    X(swr_convert)                                                                                                     \
    X(swr_free)                                                                                                        \
    X(swr_get_delay)                                                                                                   \
    X(swr_init)                                                                                                        \
    X(swr_set_compensation)                                                                                            \
    X(av_channel_layout_default)                                                                                       \
    X(av_opt_set_int)

static struct {
    FUNCTIONS(CLATELIBRARY_DECLARE)
} library;
/* Some of the functions are in libavutil, on which the library depends. */
static CLATELIBRARY_DEFINE(open_library, "libswresample.so." AV_STRINGIFY(LIBSWRESAMPLE_VERSION_MAJOR), library,
                           FUNCTIONS)

/* Interleaved floats, before init. */
static struct SwrContext *make(int from, int channels, int to) {
    if (!open_library()) return NULL;
    struct SwrContext *context = NULL;
    AVChannelLayout stereo, source;
    library.av_channel_layout_default(&stereo, 2);
    library.av_channel_layout_default(&source, channels);
    int status = library.swr_alloc_set_opts2(&context, &stereo, AV_SAMPLE_FMT_FLT, to, &source, AV_SAMPLE_FMT_FLT, from,
                                             0, NULL);
    return status < 0 ? NULL : context;
}

static struct SwrContext *init(struct SwrContext *context) {
    if (context && library.swr_init(context) < 0) library.swr_free(&context);
    return context;
}

cswresample_context *cswresample_stereo(int rate) {
    struct SwrContext *context = make(rate, 2, rate);
    if (!context) return NULL;
    /* Without a rate change swresample would pass samples through and could not be compensated. */
    library.av_opt_set_int(context, "flags", SWR_FLAG_RESAMPLE, 0);
    library.av_opt_set_int(context, "filter_size", 16, 0);
    return init(context);
}

cswresample_context *cswresample_converter(int from, int channels, int to) { return init(make(from, channels, to)); }

void cswresample_free(cswresample_context *context) { library.swr_free(&context); }

int cswresample_convert(cswresample_context *context, float *output, int capacity, const float *input, int count) {
    uint8_t *to = (uint8_t *)output;
    const uint8_t *from = (const uint8_t *)input;
    return library.swr_convert(context, &to, capacity, &from, count);
}

int64_t cswresample_delay(cswresample_context *context, int64_t base) { return library.swr_get_delay(context, base); }

void cswresample_compensate(cswresample_context *context, int delta, int distance) {
    library.swr_set_compensation(context, delta, distance);
}

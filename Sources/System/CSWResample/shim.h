/* libswresample, for sample rate conversion and drift compensation. */
#ifndef CSWRESAMPLE_SHIM_H
#define CSWRESAMPLE_SHIM_H

#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libavutil/opt.h>
#include <libswresample/swresample.h>

/* Interleaved stereo floats in and out, both at `rate`; soft compensation is switched on before init. */
static inline SwrContext *cswresample_stereo(int rate) {
    SwrContext *context = 0;
    AVChannelLayout stereo;
    av_channel_layout_default(&stereo, 2);
    if (swr_alloc_set_opts2(&context, &stereo, AV_SAMPLE_FMT_FLT, rate, &stereo, AV_SAMPLE_FMT_FLT, rate, 0, 0) < 0)
        return 0;
    /* Without a rate change swresample would pass samples through and could not be compensated. */
    av_opt_set_int(context, "flags", SWR_FLAG_RESAMPLE, 0);
    av_opt_set_int(context, "filter_size", 16, 0);
    if (swr_init(context) < 0) {
        swr_free(&context);
        return 0;
    }
    return context;
}

/* Interleaved floats of `channels` at `from`, to interleaved stereo floats at `to`. */
static inline SwrContext *cswresample_converter(int from, int channels, int to) {
    SwrContext *context = 0;
    AVChannelLayout stereo, source;
    av_channel_layout_default(&stereo, 2);
    av_channel_layout_default(&source, channels);
    if (swr_alloc_set_opts2(&context, &stereo, AV_SAMPLE_FMT_FLT, to, &source, AV_SAMPLE_FMT_FLT, from, 0, 0) < 0)
        return 0;
    if (swr_init(context) < 0) {
        swr_free(&context);
        return 0;
    }
    return context;
}

#endif

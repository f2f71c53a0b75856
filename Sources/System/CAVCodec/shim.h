/* libavcodec, for its AAC encoder. The inline functions stand in for macros, which Swift does not import. */
#ifndef CAVCODEC_SHIM_H
#define CAVCODEC_SHIM_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/log.h>

static inline int cavcodec_error_again(void) { return AVERROR(EAGAIN); }
static inline int cavcodec_error_end_of_file(void) { return AVERROR_EOF; }
static inline void cavcodec_set_stereo(AVCodecContext *context) { av_channel_layout_default(&context->ch_layout, 2); }

#endif

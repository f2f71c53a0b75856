/*
 * libavcodec, for its AAC encoder, and the frames of libavutil. It is opened at run time, when there is sound to encode:
 * with the 57 libraries that it needs, it took a third of the time that each command needs to start.
 */
#ifndef CAVCODEC_H
#define CAVCODEC_H

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>

#include "CLateLibrary.h"

#pragma clang assume_nonnull begin

#define CAVCODEC_FUNCTIONS(X)                                                                                          \
    X(avcodec_version)                                                                                                 \
    X(avcodec_find_encoder)                                                                                            \
    X(avcodec_alloc_context3)                                                                                          \
    X(avcodec_free_context)                                                                                            \
    X(avcodec_open2)                                                                                                   \
    X(avcodec_send_frame)                                                                                              \
    X(avcodec_receive_packet)                                                                                          \
    X(av_packet_alloc)                                                                                                 \
    X(av_packet_free)                                                                                                  \
    X(av_packet_unref)                                                                                                 \
    X(av_channel_layout_copy)                                                                                          \
    X(av_channel_layout_default)                                                                                       \
    X(av_frame_alloc)                                                                                                  \
    X(av_frame_free)                                                                                                   \
    X(av_frame_get_buffer)                                                                                             \
    X(av_frame_make_writable)

/* The functions of libavcodec and libavutil, by their names. */
struct cavcodec_functions {
    CAVCODEC_FUNCTIONS(CLATELIBRARY_DECLARE)
};

/* Opens libavcodec the first time, on any thread. It stays open. Returns NULL if it cannot be opened, also after that. */
const struct cavcodec_functions *_Nullable cavcodec_open(void);

/* The name of the library that the headers belong to: "libavcodec.so.59". */
extern const char *const cavcodec_name;

/* The inline functions stand in for macros, which Swift does not import. */
static inline int cavcodec_error_again(void) { return AVERROR(EAGAIN); }
static inline int cavcodec_error_end_of_file(void) { return AVERROR_EOF; }

#pragma clang assume_nonnull end

#endif

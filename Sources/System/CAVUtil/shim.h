/* libavutil: the frames and channel layouts of libavcodec, which is opened at run time (CAVCodec). */
#ifndef CAVUTIL_SHIM_H
#define CAVUTIL_SHIM_H

#include <errno.h>
#include <libavutil/channel_layout.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/log.h>

#endif

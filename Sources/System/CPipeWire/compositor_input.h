/*
 * What a compositor sends: formats, and buffers with a picture, a time and a cursor. A compositor is not trusted. The functions
 * call nothing of libpipewire and keep nothing of a buffer, so that tests can call them with any input.
 *
 * A compositor can change the shared memory of a buffer (the pixels, the chunk, the metadata) at any time. The structures of
 * `spa_buffer` itself are PipeWire's, with sizes that it has checked.
 */
#ifndef COMPOSITOR_INPUT_H
#define COMPOSITOR_INPUT_H

#include "CPipeWire.h"

#include <spa/buffer/buffer.h>
#include <spa/param/video/raw.h>
#include <spa/pod/pod.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    /* The longest side of a picture and of a cursor's image, in pixels. */
    INPUT_MAXIMUM_SIDE = 16384,
    INPUT_MAXIMUM_CURSOR_SIDE = 1024,
    /* The longest description of a format, in bytes. Those of compositors have some hundred. */
    INPUT_MAXIMUM_FORMAT_SIZE = 8192
};

/* The cursor as the compositor described it last, and its image. */
struct input_cursor {
    /* `pixels` is not set: see `image`. */
    cpw_cursor cursor;
    /* Premultiplied, four bytes a pixel without padding; NULL if there was none yet. Its owner frees it. */
    uint8_t *image;
    size_t capacity;
};

bool input_is_red_first(uint32_t format);
int32_t input_bytes_per_pixel(uint32_t format);

/*
 * Reads the format that was agreed on (SPA_PARAM_Format). Returns false if it is not one of raw video, or if its size is not
 * between 1 and INPUT_MAXIMUM_SIDE.
 */
bool input_read_format(const struct spa_pod *param, struct spa_video_info_raw *format);

/*
 * Describes the picture in a buffer whose first memory is mapped. Returns false if it has none, or if it does not fit into its
 * memory. Damage that the compositor reports is not read.
 */
bool input_read_picture(
    const struct spa_buffer *buffer, const struct spa_video_info_raw *format, cpw_picture *picture);

/* Returns when the picture was made, in ns of CLOCK_MONOTONIC; 0 if the compositor does not say it. */
int64_t input_read_time(const struct spa_buffer *buffer);

/*
 * Notes what a buffer says about the cursor, which counts even if the buffer has no picture or a newer one follows. An image that is
 * malformed or too large counts as none. Returns true if something changed.
 */
bool input_read_cursor(const struct spa_buffer *buffer, struct input_cursor *cursor);

#endif

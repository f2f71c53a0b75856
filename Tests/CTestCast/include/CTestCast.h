/*
 * A screen cast without a compositor: a PipeWire node that sends the pictures that a test asks for. One thread uses it.
 */
#ifndef CTESTCAST_H
#define CTESTCAST_H

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct test_cast test_cast;

typedef struct test_cast_options {
    int32_t width, height, rate;
    /* BGRx, BGRA, RGBx, RGBA, BGR or RGB. */
    const char *_Nullable format;
    /* Bytes that are added to each row. */
    int32_t padding;
    /* How many buffers it wants, and the most that it accepts. */
    int32_t buffers, most_buffers;
    /* The name of the node. */
    const char *_Nullable node_name;
    /* The buffers claim memory that they do not have, until readers have begun so often. */
    int32_t starts_without_memory;
    bool has_cursor, has_crop, has_transform, has_header, uses_memory_pointers;
} test_cast_options;

typedef enum test_cast_result {
    TEST_CAST_SENT,
    /* No buffer was free, so the picture is lost, as in mutter and KWin. */
    TEST_CAST_BUSY,
    /* No reader takes pictures. */
    TEST_CAST_NOT_STREAMING
} test_cast_result;

/* What is beside the pixels in a buffer. */
typedef struct test_cast_frame {
    /* BGRA without padding, of the size that was agreed on; NULL for a buffer without a picture. */
    const uint8_t *_Nullable pixels;
    /* The visible part. All of the frame if the width is 0. */
    int32_t crop_x, crop_y, crop_width, crop_height;
    uint32_t transform;
    bool has_cursor;
    int32_t cursor_x, cursor_y;
    /* A new image of the cursor: a square of one premultiplied BGRA colour; none if the side is 0. */
    int32_t cursor_side, hot_x, hot_y;
    uint32_t cursor_colour;
    /* Claims a stride that does not fit into the memory. */
    bool has_bad_stride;
} test_cast_frame;

/* Connects to PipeWire and waits for the node. Returns NULL if there is no PipeWire. */
test_cast *_Nullable test_cast_open(const test_cast_options *options);
void test_cast_close(test_cast *cast);

uint32_t test_cast_node(test_cast *cast);
uint64_t test_cast_serial(test_cast *cast);
/* How often a reader began to take pictures. */
int32_t test_cast_starts(test_cast *cast);
bool test_cast_is_streaming(test_cast *cast);
/* The size that was agreed on. */
void test_cast_size(test_cast *cast, int32_t *width, int32_t *height);

test_cast_result test_cast_send(test_cast *cast, const test_cast_frame *frame);
/* Agrees on another size. */
void test_cast_resize(test_cast *cast, int32_t width, int32_t height);
/* Takes the memory of all buffers away, until the next reader begins. Nothing must be sent before. */
void test_cast_shrink(test_cast *cast);

#pragma clang assume_nonnull end

#endif

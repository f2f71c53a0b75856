/*
 * The pictures of a PipeWire screen cast. libpipewire is opened at run time, so that a machine without it lacks only
 * this source. Nothing calls back into the caller.
 *
 * A thread of PipeWire receives the buffers. The newest one stays in a mailbox until the next one arrives; every other
 * buffer goes back to the compositor at once. A reader must not hold a buffer: PipeWire hands buffers out in turn, and
 * while the next one in turn is in use, it hands out none (EBUSY in pw_stream_dequeue_buffer). mutter and KWin then
 * drop that frame for good. So the reader copies what it needs between `cpw_take` and `cpw_release`.
 *
 * Only one thread at a time may use a stream.
 */
#ifndef CPIPEWIRE_H
#define CPIPEWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct cpw_stream cpw_stream;

typedef enum cpw_state {
    /* No format is agreed on. */
    CPW_CONNECTING,
    /* The stream has a format, and nothing flows: the reader, the compositor or the session manager paused it. */
    CPW_PAUSED,
    CPW_STREAMING,
    /* The node is gone: the user stopped the sharing, the window was closed, the monitor changed, … */
    CPW_ENDED,
    /* The connection to PipeWire is lost. */
    CPW_LOST,
    /* `cpw_error` says why. */
    CPW_FAILED,
    /* The desktop took the memory of its pictures away, again and again. */
    CPW_BROKEN
} cpw_state;

/* What `cpw_take` returns: a sum of these. */
enum { CPW_PICTURE = 1, CPW_CURSOR = 2 };
enum { CPW_MAXIMUM_RECTANGLES = 64 };

typedef struct cpw_rectangle {
    int32_t x, y, width, height;
} cpw_rectangle;

typedef struct cpw_picture {
    /* The top left pixel of the visible part, until `cpw_release`. */
    const uint8_t *_Nullable pixels;
    /* Bytes from one row to the next. */
    int32_t stride;
    /* Of the visible part, in pixels. */
    int32_t width, height;
    /* The position of the visible part in the stream's frame. */
    int32_t x, y;
    /* Bytes of a pixel: 4 or 3. The fourth byte has no meaning. */
    int32_t bytes_per_pixel;
    /* Else the order is blue, green, red. */
    bool is_red_first;
    /* enum spa_meta_videotransform_value: how the content of the buffer is turned. */
    uint32_t transform;
} cpw_picture;

typedef struct cpw_cursor {
    bool is_visible;
    /* The position of the hot spot in the stream's frame. */
    int32_t x, y;
    /* The position of the hot spot in the image, and the image's size. The size is 0 if there is no image. */
    int32_t hot_x, hot_y, width, height;
    /* Increases with each new image. */
    uint32_t serial;
    /* Premultiplied, four bytes a pixel without padding, until `cpw_release`. */
    const uint8_t *_Nullable pixels;
    bool is_red_first;
} cpw_cursor;

/*
 * Lets this process survive a compositor that takes the memory of its pictures away: without it, the read raises SIGBUS. Installs
 * a handler of that signal, which passes on every fault that is not of a picture. Call it at the start of a program; a library must
 * not decide this for its program.
 */
void cpw_guard_process(void);

/* Returns true if libpipewire can be opened. */
bool cpw_is_available(void);

/*
 * Connects to a node. `descriptor` is the connection to PipeWire that the portal passed; it is closed in any case.
 * `serial` is the node's object serial, or 0 if only its identifier `node` is known. `maximum_rate` is the highest
 * frame rate that the compositor is asked for. Returns NULL with a text in `error` if there is no such connection.
 */
cpw_stream *_Nullable cpw_open(
    int descriptor, uint32_t node, uint64_t serial, int maximum_rate, char *error, size_t error_size);

/* Returns the last buffer, and ends the stream and its thread. */
void cpw_close(cpw_stream *stream);

cpw_state cpw_get_state(cpw_stream *stream);
/* Valid in the states CPW_FAILED and CPW_BROKEN, until the stream is closed. */
const char *cpw_error(cpw_stream *stream);
/* Returns false until a format is agreed on. */
bool cpw_get_frame_size(cpw_stream *stream, int32_t *width, int32_t *height);

/* What the reader decides with when it restarts the flow, or replaces the stream. Nothing in this module does so by itself. */
typedef struct cpw_facts {
    /* Since when a first picture is missing, in ns of CLOCK_MONOTONIC; 0 if it has arrived, or if there is no format. */
    int64_t missing_since;
    /* How often the flow was restarted since the reader took a picture or paused the flow. */
    int32_t restarts;
    /* The stream delivers no picture as long as it exists: its buffers have no memory, or it is a replacement that failed. */
    bool is_useless;
    /* The sender does not survive a pause of the flow, so its flow must not be restarted. */
    bool keeps_flow;
    /* The state is CPW_ENDED or a later one. */
    bool is_over;
} cpw_facts;

/* Never waits. */
cpw_facts cpw_get_facts(cpw_stream *stream);

/*
 * Pauses the flow and continues it, after which a compositor sends the whole picture again. Does nothing if `missing_since` is not
 * what it was, because the picture has arrived meanwhile.
 */
void cpw_restart_flow(cpw_stream *stream, int64_t missing_since);

/* Replaces a stream that is useless by a new one to the same node. The state is CPW_FAILED if it cannot be connected. */
void cpw_replace_stream(cpw_stream *stream);

/* Sets the state CPW_FAILED or CPW_BROKEN, and the text, unless the stream is over. */
void cpw_give_up(cpw_stream *stream, cpw_state state, const char *text);

/* Asks PipeWire once a second whether it runs. Returns for how many nanoseconds it has not answered. Never waits. */
int64_t cpw_get_silence(cpw_stream *stream);

/* Waits until there may be something to take, for at most `nanoseconds`, or until the descriptor `wake` is readable. Returns true if
   there may be something. */
bool cpw_wait(cpw_stream *stream, int64_t nanoseconds, int wake);

/*
 * Returns what is new since the last call, or 0. Never waits for the compositor. After a result other than 0,
 * PipeWire's thread waits until `cpw_release`, which may take a few milliseconds.
 */
int cpw_take(cpw_stream *stream, cpw_picture *picture, cpw_cursor *cursor);
void cpw_release(cpw_stream *stream);

/* Says, before `cpw_release`, that the memory of the picture was gone. The stream is useless then. */
void cpw_note_lost_memory(cpw_stream *stream);

/*
 * Pauses or continues the flow. A pause discards the picture in the mailbox. The flow of a sender that does not survive a
 * pause continues, and its pictures are not offered meanwhile; afterwards, the newest one is.
 */
void cpw_set_active(cpw_stream *stream, bool is_active);

/*
 * Copies what changed into `shadow`, which has the picture's size in BGRA, and returns the number of changed
 * rectangles. Returns CPW_WHOLE if everything changed: if `is_whole` says so, or if the changes are too many for `changed` or
 * more than half of the picture. Returns CPW_LOST_MEMORY if the compositor took the memory away; `shadow` has no picture then.
 */
enum { CPW_WHOLE = -1, CPW_LOST_MEMORY = -2 };
int cpw_update_shadow(
    const cpw_picture *picture, uint8_t *shadow, ptrdiff_t shadow_stride, bool is_whole,
    cpw_rectangle changed[_Nonnull CPW_MAXIMUM_RECTANGLES]);

/*
 * Copies `part` of the BGRA pixels `from` (`width` x `height`, without padding) upright into `to`, which has the size
 * of the upright picture. Returns the same part of the upright picture.
 */
cpw_rectangle cpw_turn(
    const uint8_t *from, int32_t width, int32_t height, uint32_t transform, cpw_rectangle part, uint8_t *to);

/* Where a point is in the upright picture. It can be outside of the picture. */
void cpw_turn_point(
    int32_t x, int32_t y, int32_t width, int32_t height, uint32_t transform, int32_t *upright_x, int32_t *upright_y);

#pragma clang assume_nonnull end

#endif

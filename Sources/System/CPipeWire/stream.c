#define _GNU_SOURCE /* ppoll */
#include "CPipeWire.h"
#include "compositor_input.h"
#include "pipewire_functions.h"

#include <errno.h>
#include <pthread.h>
#include <poll.h>
#include <spa/buffer/meta.h>
#include <spa/param/buffers.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    /* A mailbox needs three. Others let the compositor go on while a busy machine delays the reader's copy. */
    BUFFERS = 6,
    /* libpipewire before 1.0 agrees on the number that the sender prefers, which is two for some. */
    GOOD_BUFFERS = 5,
    MAXIMUM_BUFFERS = 16,
    QUESTION_NANOSECONDS = 1000000000
};

struct cpw_stream {
    const struct pipewire_functions *api;
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_stream *stream;
    /* The stream that the current one replaced: see `end_stream`. Only the reader uses it. */
    struct pw_stream *replaced;
    struct spa_hook core_hook, registry_hook, stream_hook;
    uint64_t serial;
    int maximum_rate;
    _Atomic int state;
    char error[256];
    /* Since when a first picture is missing, in ns of CLOCK_MONOTONIC; 0 if it has arrived. */
    _Atomic int64_t missing_since;
    /* True if the sender does not survive a pause of the flow: see `note_sender`. */
    atomic_bool keeps_flow;
    /* How often the flow was restarted since the reader took a picture or paused the flow. */
    _Atomic int restarts;
    /* True if the current stream must be replaced: its buffers have no memory, or it is a replacement that failed. */
    atomic_bool is_useless;
    /* True if there may be something to take. */
    atomic_bool has_news;
    /* Readable if there may be something to take: an eventfd(2), or -1. */
    int news;
    /* When PipeWire was asked whether it runs, in ns of CLOCK_MONOTONIC; 0 if it has answered. */
    _Atomic int64_t asked_at;
    /* When it is asked again. Only the reader uses it. */
    int64_t next_question;

    /* The rest is guarded by the lock of the loop. */
    int question;
    uint32_t node;
    bool has_seen_node;
    /* True if the stream replaces a useless one, until its first picture. */
    bool is_replacement;
    struct spa_video_info_raw format;
    bool has_format;
    /* False while the reader has paused the flow: what still arrives then is discarded. */
    bool is_open;
    /* True from the reader's pause until PipeWire has paused the stream. What arrives until then is from before the pause.
     * The reader's wish to continue waits for it. */
    bool awaits_pause, continues_after_pause;
    /* When the reader paused the flow last, in ns of CLOCK_MONOTONIC; 0 if it never did. */
    int64_t paused_at;
    /* True if a picture of this format has arrived since the flow began. */
    bool has_picture;
    /* The mailbox: the newest buffer, and whether the reader has not taken it yet. */
    struct pw_buffer *newest;
    bool is_fresh;
    cpw_picture picture;
    struct input_cursor cursor;
    bool is_cursor_fresh;
};

static int64_t monotonic(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static bool is_over(cpw_stream *stream) {
    return atomic_load(&stream->state) >= CPW_ENDED;
}

static void finish(cpw_stream *stream, cpw_state state, const char *text) {
    if (is_over(stream)) return;
    snprintf(stream->error, sizeof stream->error, "%s", text);
    atomic_store(&stream->state, state);
}

/* Tells the reader that there is something to take. */
static void note_news(cpw_stream *stream) {
    if (!atomic_exchange(&stream->has_news, true) && stream->news >= 0) eventfd_write(stream->news, 1);
}

/* MARK: Buffers */

/* Returns true if the memory has the size that the sender claims. Reading behind its end would raise SIGBUS. */
static bool has_memory(const struct spa_data *data) {
    if (!data->data) return false;
    if (data->type != SPA_DATA_MemFd) return data->type == SPA_DATA_MemPtr;
    struct stat status;
    return fstat((int)data->fd, &status) == 0 && status.st_size >= (off_t)data->mapoffset + (off_t)data->maxsize;
}

static void on_add_buffer(void *context, struct pw_buffer *buffer) {
    cpw_stream *stream = context;
    bool is_usable = buffer->buffer->n_datas > 0 && has_memory(&buffer->buffer->datas[0]);
    /* A buffer without memory is returned unread. */
    buffer->user_data = is_usable ? stream : NULL;
    if (!is_usable) atomic_store(&stream->is_useless, true);
}

static void on_remove_buffer(void *context, struct pw_buffer *buffer) {
    cpw_stream *stream = context;
    if (buffer != stream->newest) return;
    stream->newest = NULL;
    stream->is_fresh = false;
}

/* Describes the picture in a buffer. Returns false if it has none. */
static bool describe(cpw_stream *stream, const struct pw_buffer *from, cpw_picture *picture) {
    return from->user_data && stream->has_format && input_read_picture(from->buffer, &stream->format, picture);
}

/*
 * Returns true if the picture was made before the last pause. The sender's side of PipeWire can keep a buffer during a
 * pause and pass it on afterwards. KWin gives a picture of a still screen an old time, so after two restarts of the flow,
 * which remove what was kept, the time does not count.
 */
static bool is_from_before_pause(cpw_stream *stream, const struct pw_buffer *buffer) {
    int64_t time = input_read_time(buffer->buffer);
    return stream->paused_at != 0 && !atomic_load(&stream->keeps_flow) && time > 0 && time <= stream->paused_at &&
        atomic_load(&stream->restarts) < 2 && !stream->has_picture;
}

/* Lets the reader take the picture in the mailbox. */
static void offer_newest(cpw_stream *stream) {
    stream->is_fresh = stream->has_picture = true;
    atomic_store(&stream->missing_since, 0);
    note_news(stream);
}

static void on_process(void *context) {
    cpw_stream *stream = context;
    struct pw_buffer *buffer;
    while ((buffer = stream->api->pw_stream_dequeue_buffer(stream->stream))) {
        if (input_read_cursor(buffer->buffer, &stream->cursor)) stream->is_cursor_fresh = true;
        bool is_wanted = stream->is_open || atomic_load(&stream->keeps_flow);
        if (!is_wanted || is_from_before_pause(stream, buffer) || !describe(stream, buffer, &stream->picture)) {
            stream->api->pw_stream_queue_buffer(stream->stream, buffer);
            continue;
        }
        if (stream->newest) stream->api->pw_stream_queue_buffer(stream->stream, stream->newest);
        stream->newest = buffer;
        if (stream->is_open) offer_newest(stream);
    }
    if (stream->is_cursor_fresh) note_news(stream);
}

/* Gives the buffer in the mailbox back. The sender would count it as in use, also for the next reader. */
static void return_newest(cpw_stream *stream) {
    if (stream->newest) stream->api->pw_stream_queue_buffer(stream->stream, stream->newest);
    stream->newest = NULL;
    stream->is_fresh = false;
}

/* MARK: Formats */

static const struct spa_pod *meta_param(struct spa_pod_builder *builder, uint32_t type, size_t size) {
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(type), SPA_PARAM_META_size,
        SPA_POD_Int((int)size));
}

/* Asks for at least `least` buffers in shared memory. */
static const struct spa_pod *buffers_param(struct spa_pod_builder *builder, const cpw_stream *stream, int least) {
    int stride = ((int)stream->format.size.width * input_bytes_per_pixel(stream->format.format) + 3) / 4 * 4;
    int size = stride * (int)stream->format.size.height;
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers,
        SPA_PARAM_BUFFERS_buffers, SPA_POD_CHOICE_RANGE_Int(BUFFERS, least, MAXIMUM_BUFFERS),
        SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
        SPA_PARAM_BUFFERS_size, SPA_POD_CHOICE_RANGE_Int(size, 0, INT32_MAX),
        SPA_PARAM_BUFFERS_stride, SPA_POD_CHOICE_RANGE_Int(stride, 0, INT32_MAX),
        SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int((1 << SPA_DATA_MemFd) | (1 << SPA_DATA_MemPtr)));
}

/* Asks for buffers in shared memory and for their metadata. Buffers of a GPU (SPA_DATA_DmaBuf) would be added here. */
static void answer_format(cpw_stream *stream) {
    uint8_t memory[2048];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[6];
    uint32_t count = 0;
    /* PipeWire takes the first that the sender can fulfil. */
    params[count++] = buffers_param(&builder, stream, GOOD_BUFFERS);
    params[count++] = buffers_param(&builder, stream, 2);
    params[count++] = meta_param(&builder, SPA_META_Header, sizeof(struct spa_meta_header));
    params[count++] = meta_param(&builder, SPA_META_VideoCrop, sizeof(struct spa_meta_region));
    params[count++] = meta_param(&builder, SPA_META_VideoTransform, sizeof(struct spa_meta_videotransform));
#define CURSOR_SIZE(side) \
    (int)(sizeof(struct spa_meta_cursor) + sizeof(struct spa_meta_bitmap) + (size_t)(side) * (side) * 4)
    params[count++] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(SPA_META_Cursor),
        SPA_PARAM_META_size,
        SPA_POD_CHOICE_RANGE_Int(CURSOR_SIZE(64), CURSOR_SIZE(1), CURSOR_SIZE(INPUT_MAXIMUM_CURSOR_SIDE)));
#undef CURSOR_SIZE
    stream->api->pw_stream_update_params(stream->stream, params, count);
}

static void on_param_changed(void *context, uint32_t id, const struct spa_pod *param) {
    cpw_stream *stream = context;
    if (id != SPA_PARAM_Format) return;
    stream->has_format = false;
    if (!param) return;
    if (!input_read_format(param, &stream->format)) {
        finish(stream, CPW_FAILED, "the compositor chose an unknown format");
        return;
    }
    stream->has_format = true;
    stream->has_picture = false;
    atomic_store(&stream->missing_since, monotonic());
    answer_format(stream);
}

/* MARK: Events */

/* Lets pictures in again. */
static void continue_flow(cpw_stream *stream) {
    /* What PipeWire's data thread received before the pause. */
    on_process(stream);
    stream->is_open = true;
    stream->api->pw_stream_set_active(stream->stream, true);
}

static void on_state_changed(
    void *context, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    cpw_stream *stream = context;
    (void)old;
    if (is_over(stream)) return;
    if (stream->has_format && !stream->has_picture) atomic_store(&stream->missing_since, monotonic());
    switch (state) {
    case PW_STREAM_STATE_ERROR:
        /* WirePlumber can find no node while it still removes the previous stream. */
        if (stream->is_replacement) atomic_store(&stream->is_useless, true);
        else finish(stream, CPW_FAILED, error ? error : "the stream failed");
        break;
    case PW_STREAM_STATE_UNCONNECTED: finish(stream, CPW_ENDED, "the stream was disconnected"); break;
    case PW_STREAM_STATE_PAUSED:
        atomic_store(&stream->state, CPW_PAUSED);
        stream->awaits_pause = false;
        if (stream->continues_after_pause) continue_flow(stream);
        stream->continues_after_pause = false;
        break;
    case PW_STREAM_STATE_STREAMING: atomic_store(&stream->state, CPW_STREAMING); break;
    case PW_STREAM_STATE_CONNECTING: break;
    }
}

static void on_core_error(void *context, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    /* Other errors answer calls about a stream that has just ended (-ENOENT). */
    if (id == PW_ID_CORE && result == -EPIPE) finish(context, CPW_LOST, "PipeWire closed the connection");
}

static void on_core_done(void *context, uint32_t id, int sequence) {
    cpw_stream *stream = context;
    if (id == PW_ID_CORE && sequence == stream->question) atomic_store(&stream->asked_at, 0);
}

/*
 * Notes what is special about a sender. xdg-desktop-portal-wlr (0.8.4, ext_image_copy.c) ends if the flow is paused and
 * continued while it waits for a change of the screen: it then asks the compositor for a second frame, which is a protocol
 * error. Its nodes have its name. It has one frame on its way at any time, so the newest picture that it sent
 * is what the screen shows.
 */
static void note_sender(cpw_stream *stream, const char *name) {
    if (name && strcmp(name, "xdg-desktop-portal-wlr") == 0) atomic_store(&stream->keeps_flow, true);
}

static void on_global(
    void *context, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    cpw_stream *stream = context;
    (void)permissions;
    (void)version;
    if (strcmp(type, "PipeWire:Interface:Node") != 0) return;
    const char *serial = properties ? spa_dict_lookup(properties, "object.serial") : NULL;
    bool is_it = stream->serial ? serial && strtoull(serial, NULL, 10) == stream->serial : id == stream->node;
    if (!is_it) return;
    stream->node = id;
    stream->has_seen_node = true;
    note_sender(stream, spa_dict_lookup(properties, "node.name"));
}

static void on_global_remove(void *context, uint32_t id) {
    cpw_stream *stream = context;
    if (stream->has_seen_node && id == stream->node) finish(stream, CPW_ENDED, "the node was removed");
}

static const struct pw_core_events core_events = {.done = on_core_done, .error = on_core_error};
static const struct pw_registry_events registry_events = {.global = on_global, .global_remove = on_global_remove};
static const struct pw_stream_events stream_events = {
    .state_changed = on_state_changed,
    .param_changed = on_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
    .process = on_process,
};

/* MARK: Opening */

static void listen_to(cpw_stream *stream) {
    struct spa_interface *core = (struct spa_interface *)stream->core;
    spa_interface_call(core, struct pw_core_methods, add_listener, 0, &stream->core_hook, &core_events, stream);
    struct pw_registry *registry = NULL;
    spa_interface_call_res(core, struct pw_core_methods, registry, get_registry, 0, PW_VERSION_REGISTRY, 0);
    stream->registry = registry;
    if (!registry) return;
    spa_interface_call(
        (struct spa_interface *)registry, struct pw_registry_methods, add_listener, 0, &stream->registry_hook,
        &registry_events, stream);
}

/* The formats that are understood, without modifiers, so that all compositors use shared memory. */
static const struct spa_pod *format_param(struct spa_pod_builder *builder, int maximum_rate) {
    struct spa_fraction variable = SPA_FRACTION(0, 1), least = SPA_FRACTION(1, 1);
    struct spa_fraction most = SPA_FRACTION((uint32_t)maximum_rate, 1);
    struct spa_rectangle usual = SPA_RECTANGLE(1920, 1080), small = SPA_RECTANGLE(1, 1);
    struct spa_rectangle large = SPA_RECTANGLE(INPUT_MAXIMUM_SIDE, INPUT_MAXIMUM_SIDE);
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat,
        SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw),
        SPA_FORMAT_VIDEO_format,
        SPA_POD_CHOICE_ENUM_Id(
            7, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRx, SPA_VIDEO_FORMAT_BGRA, SPA_VIDEO_FORMAT_RGBx,
            SPA_VIDEO_FORMAT_RGBA, SPA_VIDEO_FORMAT_BGR, SPA_VIDEO_FORMAT_RGB),
        SPA_FORMAT_VIDEO_size, SPA_POD_CHOICE_RANGE_Rectangle(&usual, &small, &large),
        SPA_FORMAT_VIDEO_framerate, SPA_POD_CHOICE_RANGE_Fraction(&variable, &variable, &most),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&most, &least, &most));
}

/* Creates a stream and connects it to the node. Returns NULL, or what failed. */
static const char *connect_stream(cpw_stream *stream) {
    const struct pipewire_functions *api = stream->api;
    /* If the node is removed, the session manager must not connect a camera instead. */
    struct pw_properties *properties = api->pw_properties_new(
        "media.type", "Video", "media.category", "Capture", "media.role", "Screen", "node.dont-reconnect", "true",
        NULL);
    unsigned long long serial = stream->serial;
    if (serial) api->pw_properties_setf(properties, "target.object", "%llu", serial);
    stream->stream = api->pw_stream_new(stream->core, "broadcast", properties);
    if (!stream->stream) return "PipeWire's stream cannot be created";
    api->pw_stream_add_listener(stream->stream, &stream->stream_hook, &stream_events, stream);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[1] = {format_param(&builder, stream->maximum_rate)};
    uint32_t flags = PW_STREAM_FLAG_AUTOCONNECT | PW_STREAM_FLAG_DONT_RECONNECT | PW_STREAM_FLAG_MAP_BUFFERS;
    uint32_t target = stream->serial ? PW_ID_ANY : stream->node;
    if (api->pw_stream_connect(stream->stream, SPA_DIRECTION_INPUT, target, flags, params, 1) < 0) {
        return "PipeWire's stream cannot be connected";
    }
    /*
     * Since version 1.2, the connection makes a node asynchronous whose process function runs in the thread of the loop, and its
     * links pass a buffer on one cycle late. A sender of a still screen has only one cycle, so its only picture would never
     * come. The kind of a link is fixed when it is made, and the node does not exist before the loop runs.
     */
    struct spa_dict_item synchronous[] = {SPA_DICT_ITEM_INIT("node.async", "false")};
    api->pw_stream_update_properties(stream->stream, &SPA_DICT_INIT_ARRAY(synchronous));
    return NULL;
}

/*
 * Ends the current stream, after which it has no events. Its memory must stay until the loop has run once more: PipeWire's
 * data thread queues each call of `on_process` in the loop, with a pointer to the stream, and pw_stream_destroy of 0.3.65
 * leaves them in the queue. After this function, nothing is added to it. The caller has the lock of the loop.
 */
static void end_stream(cpw_stream *stream) {
    /* The end of the stream is no event. */
    spa_hook_remove(&stream->stream_hook);
    return_newest(stream);
    stream->api->pw_stream_disconnect(stream->stream);
}

/* Connects to PipeWire and the node. Returns NULL, or what failed. `descriptor` is closed in any case. */
static const char *connect_core(cpw_stream *stream, int descriptor) {
    const struct pipewire_functions *api = stream->api;
    stream->loop = api->pw_thread_loop_new("screen cast", NULL);
    struct pw_loop *loop = stream->loop ? api->pw_thread_loop_get_loop(stream->loop) : NULL;
    /* The stream asks for no real-time priority, so it needs neither RTKit nor a bus. */
    if (loop) stream->context = api->pw_context_new(
        loop, api->pw_properties_new("module.rt", "false", "support.dbus", "false", "mem.allow-mlock", "false", NULL), 0);
    if (!stream->context) {
        close(descriptor);
        return "PipeWire's context cannot be created";
    }
    stream->core = api->pw_context_connect_fd(stream->context, descriptor, NULL, 0);
    if (!stream->core) return "PipeWire rejects the connection";
    listen_to(stream);
    const char *failure = connect_stream(stream);
    if (failure) return failure;
    return api->pw_thread_loop_start(stream->loop) < 0 ? "PipeWire's thread cannot be started" : NULL;
}

cpw_stream *cpw_open(
    int descriptor, uint32_t node, uint64_t serial, int maximum_rate, char *error, size_t error_size) {
    const struct pipewire_functions *api = pipewire_load();
    cpw_stream *stream = api ? calloc(1, sizeof *stream) : NULL;
    if (!stream) {
        snprintf(error, error_size, "libpipewire-0.3.so.0 is not available");
        close(descriptor);
        return NULL;
    }
    stream->api = api;
    stream->node = node;
    stream->serial = serial;
    stream->maximum_rate = maximum_rate;
    stream->is_open = true;
    stream->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const char *failure = connect_core(stream, descriptor);
    if (!failure) return stream;
    snprintf(error, error_size, "%s", failure);
    cpw_close(stream);
    return NULL;
}

void cpw_close(cpw_stream *stream) {
    const struct pipewire_functions *api = stream->api;
    if (stream->loop) {
        api->pw_thread_loop_lock(stream->loop);
        if (stream->stream) end_stream(stream);
        api->pw_thread_loop_unlock(stream->loop);
        /* The thread empties the queue of the loop before it ends. */
        api->pw_thread_loop_stop(stream->loop);
    }
    if (stream->replaced) api->pw_stream_destroy(stream->replaced);
    if (stream->stream) api->pw_stream_destroy(stream->stream);
    if (stream->registry) api->pw_proxy_destroy((struct pw_proxy *)stream->registry);
    if (stream->core) api->pw_core_disconnect(stream->core);
    if (stream->context) api->pw_context_destroy(stream->context);
    if (stream->loop) api->pw_thread_loop_destroy(stream->loop);
    if (stream->news >= 0) close(stream->news);
    free(stream->cursor.image);
    free(stream);
}

/* MARK: Reading */

cpw_state cpw_get_state(cpw_stream *stream) {
    return (cpw_state)atomic_load(&stream->state);
}

const char *cpw_error(cpw_stream *stream) {
    return stream->error;
}

bool cpw_get_frame_size(cpw_stream *stream, int32_t *width, int32_t *height) {
    stream->api->pw_thread_loop_lock(stream->loop);
    bool has_format = stream->has_format;
    *width = (int32_t)stream->format.size.width;
    *height = (int32_t)stream->format.size.height;
    stream->api->pw_thread_loop_unlock(stream->loop);
    return has_format;
}

int64_t cpw_get_silence(cpw_stream *stream) {
    int64_t now = monotonic(), asked = atomic_load(&stream->asked_at);
    if (asked == 0 && now >= stream->next_question && !is_over(stream)) {
        stream->next_question = now + QUESTION_NANOSECONDS;
        stream->api->pw_thread_loop_lock(stream->loop);
        struct spa_interface *core = (struct spa_interface *)stream->core;
        int result = -1;
        spa_interface_call_res(core, struct pw_core_methods, result, sync, 0, PW_ID_CORE, 0);
        stream->question = result;
        if (result >= 0) atomic_store(&stream->asked_at, now);
        stream->api->pw_thread_loop_unlock(stream->loop);
    }
    return asked == 0 ? 0 : now - asked;
}

/* Closes or opens the mailbox, while the flow continues. */
static void set_open(cpw_stream *stream, bool is_open) {
    stream->is_open = is_open;
    stream->is_fresh = false;
    if (is_open && stream->newest) offer_newest(stream);
}

/* Pauses or continues the flow, and discards the picture in the mailbox at a pause. */
static void set_flow(cpw_stream *stream, bool is_active) {
    stream->api->pw_thread_loop_lock(stream->loop);
    if (atomic_load(&stream->keeps_flow)) {
        set_open(stream, is_active);
        stream->api->pw_thread_loop_unlock(stream->loop);
        return;
    }
    if (!stream->stream) {
        /* Its replacement failed. */
        stream->api->pw_thread_loop_unlock(stream->loop);
        return;
    }
    if (!is_active) return_newest(stream);
    if (is_active) {
        atomic_store(&stream->missing_since, monotonic());
        if (stream->awaits_pause) stream->continues_after_pause = true;
        else continue_flow(stream);
    } else {
        stream->is_fresh = stream->has_picture = stream->is_open = false;
        stream->continues_after_pause = false;
        stream->awaits_pause = atomic_load(&stream->state) == CPW_STREAMING;
        stream->api->pw_stream_set_active(stream->stream, false);
    }
    stream->api->pw_thread_loop_unlock(stream->loop);
}

cpw_facts cpw_get_facts(cpw_stream *stream) {
    return (cpw_facts){
        .missing_since = atomic_load(&stream->missing_since),
        .restarts = atomic_load(&stream->restarts),
        .is_useless = atomic_load(&stream->is_useless),
        .keeps_flow = atomic_load(&stream->keeps_flow),
        .is_over = is_over(stream),
    };
}

void cpw_restart_flow(cpw_stream *stream, int64_t missing_since) {
    if (!atomic_compare_exchange_strong(&stream->missing_since, &missing_since, 0)) return;
    atomic_fetch_add(&stream->restarts, 1);
    set_flow(stream, false);
    set_flow(stream, true);
}

void cpw_replace_stream(cpw_stream *stream) {
    const struct pipewire_functions *api = stream->api;
    api->pw_thread_loop_lock(stream->loop);
    if (!stream->stream || is_over(stream)) {
        api->pw_thread_loop_unlock(stream->loop);
        return;
    }
    /* An event of the current stream, which came with a later run of the loop, has made it useless. */
    if (stream->replaced) api->pw_stream_destroy(stream->replaced);
    end_stream(stream);
    stream->replaced = stream->stream;
    stream->stream = NULL;
    stream->is_fresh = stream->has_picture = stream->has_format = false;
    stream->awaits_pause = stream->continues_after_pause = false;
    stream->is_open = true;
    atomic_store(&stream->missing_since, 0);
    atomic_store(&stream->is_useless, false);
    stream->is_replacement = true;
    atomic_store(&stream->state, CPW_CONNECTING);
    const char *failure = connect_stream(stream);
    if (failure) finish(stream, CPW_FAILED, failure);
    api->pw_thread_loop_unlock(stream->loop);
}

void cpw_give_up(cpw_stream *stream, cpw_state state, const char *text) {
    stream->api->pw_thread_loop_lock(stream->loop);
    finish(stream, state, text);
    stream->api->pw_thread_loop_unlock(stream->loop);
}

bool cpw_wait(cpw_stream *stream, int64_t nanoseconds, int wake) {
    if (atomic_load(&stream->has_news)) return true;
    struct pollfd pollers[] = {{.fd = stream->news, .events = POLLIN}, {.fd = wake, .events = POLLIN}};
    struct timespec limit = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    if (ppoll(pollers, 2, &limit, NULL) <= 0 || pollers[0].revents == 0) return atomic_load(&stream->has_news);
    eventfd_t count;
    eventfd_read(stream->news, &count);
    return true;
}

int cpw_take(cpw_stream *stream, cpw_picture *picture, cpw_cursor *cursor) {
    /* Not even the lock is needed if nothing arrived. */
    if (!atomic_exchange(&stream->has_news, false)) return 0;
    int result = 0;
    stream->api->pw_thread_loop_lock(stream->loop);
    if (stream->is_fresh) {
        *picture = stream->picture;
        result |= CPW_PICTURE;
        atomic_store(&stream->restarts, 0);
        stream->is_replacement = false;
    }
    if (stream->is_cursor_fresh) {
        *cursor = stream->cursor.cursor;
        cursor->pixels = stream->cursor.image;
        result |= CPW_CURSOR;
    }
    stream->is_fresh = stream->is_cursor_fresh = false;
    if (result == 0) stream->api->pw_thread_loop_unlock(stream->loop);
    return result;
}

void cpw_note_lost_memory(cpw_stream *stream) {
    /* Its place has empty memory of this process now, so it must not be read again. */
    if (stream->newest) stream->newest->user_data = NULL;
    if (stream->stream) return_newest(stream);
    stream->has_picture = false;
    atomic_store(&stream->is_useless, true);
}

void cpw_release(cpw_stream *stream) {
    stream->api->pw_thread_loop_unlock(stream->loop);
}

void cpw_set_active(cpw_stream *stream, bool is_active) {
    if (!is_active) {
        stream->api->pw_thread_loop_lock(stream->loop);
        stream->paused_at = monotonic();
        stream->api->pw_thread_loop_unlock(stream->loop);
    }
    atomic_store(&stream->restarts, 0);
    set_flow(stream, is_active);
}

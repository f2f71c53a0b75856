#include "CTestCast.h"

#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#endif
int memfd_create(const char *name, unsigned int flags);

struct test_cast {
    test_cast_options options;
    uint32_t format;
    struct pw_thread_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct pw_registry *registry;
    struct pw_stream *stream;
    struct spa_hook stream_hook, registry_hook;
    struct spa_video_info_raw agreed;
    bool has_format, is_streaming;
    int32_t starts;
    /* The files of the buffers. */
    int files[64];
    int file_count;
    uint64_t serial, sequence;
};

static const struct {
    const char *name;
    uint32_t format;
} formats[] = {
    {"BGRx", SPA_VIDEO_FORMAT_BGRx}, {"BGRA", SPA_VIDEO_FORMAT_BGRA}, {"RGBx", SPA_VIDEO_FORMAT_RGBx},
    {"RGBA", SPA_VIDEO_FORMAT_RGBA}, {"BGR", SPA_VIDEO_FORMAT_BGR},   {"RGB", SPA_VIDEO_FORMAT_RGB},
};

static int bytes_per_pixel(const test_cast *cast) {
    return cast->format == SPA_VIDEO_FORMAT_BGR || cast->format == SPA_VIDEO_FORMAT_RGB ? 3 : 4;
}

static int stride_of(const test_cast *cast) {
    return ((int)cast->agreed.size.width * bytes_per_pixel(cast) + 3) / 4 * 4 + cast->options.padding;
}

static const struct spa_pod *format_param(test_cast *cast, struct spa_pod_builder *builder) {
    struct spa_rectangle size = SPA_RECTANGLE((uint32_t)cast->options.width, (uint32_t)cast->options.height);
    struct spa_fraction variable = SPA_FRACTION(0, 1), least = SPA_FRACTION(1, 1);
    struct spa_fraction most = SPA_FRACTION((uint32_t)cast->options.rate, 1);
    return spa_pod_builder_add_object(
        builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(cast->format),
        SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&variable),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_CHOICE_RANGE_Fraction(&most, &least, &most));
}

#define CURSOR_SIDE 128
#define CURSOR_SIZE (sizeof(struct spa_meta_cursor) + sizeof(struct spa_meta_bitmap) + CURSOR_SIDE * CURSOR_SIDE * 4)

static void on_param_changed(void *context, uint32_t id, const struct spa_pod *param) {
    test_cast *cast = context;
    if (id != SPA_PARAM_Format) return;
    cast->has_format = false;
    if (!param || spa_format_video_raw_parse(param, &cast->agreed) < 0) return;
    cast->has_format = true;
    uint8_t memory[2048];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *params[6];
    uint32_t count = 0;
    int type = cast->options.uses_memory_pointers ? SPA_DATA_MemPtr : SPA_DATA_MemFd;
    params[count++] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
        SPA_POD_CHOICE_RANGE_Int(cast->options.buffers, 2, cast->options.most_buffers),
        SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1),
        SPA_PARAM_BUFFERS_size, SPA_POD_Int(stride_of(cast) * (int)cast->agreed.size.height), SPA_PARAM_BUFFERS_stride,
        SPA_POD_Int(stride_of(cast)), SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(1 << type));
#define META(type, size) \
    spa_pod_builder_add_object( \
        &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type, SPA_POD_Id(type), \
        SPA_PARAM_META_size, SPA_POD_Int((int)(size)))
    if (cast->options.has_header) params[count++] = META(SPA_META_Header, sizeof(struct spa_meta_header));
    if (cast->options.has_crop) params[count++] = META(SPA_META_VideoCrop, sizeof(struct spa_meta_region));
    if (cast->options.has_transform) {
        params[count++] = META(SPA_META_VideoTransform, sizeof(struct spa_meta_videotransform));
    }
    if (cast->options.has_cursor) params[count++] = META(SPA_META_Cursor, CURSOR_SIZE);
    pw_stream_update_params(cast->stream, params, count);
}

static bool has_memory(const test_cast *cast) {
    return cast->starts >= cast->options.starts_without_memory;
}

static void on_add_buffer(void *context, struct pw_buffer *buffer) {
    test_cast *cast = context;
    if (cast->options.uses_memory_pointers) return;
    struct spa_data *data = buffer->buffer->datas;
    data->type = SPA_DATA_MemFd;
    data->flags = SPA_DATA_FLAG_READWRITE;
    data->mapoffset = 0;
    data->maxsize = (uint32_t)stride_of(cast) * cast->agreed.size.height;
    data->fd = memfd_create("test cast", MFD_CLOEXEC);
    cast->files[cast->file_count++] = (int)data->fd;
    if (has_memory(cast) && ftruncate((int)data->fd, data->maxsize) != 0) return;
    data->data = mmap(NULL, data->maxsize, PROT_READ | PROT_WRITE, MAP_SHARED, (int)data->fd, 0);
}

static void on_remove_buffer(void *context, struct pw_buffer *buffer) {
    test_cast *cast = context;
    if (cast->options.uses_memory_pointers) return;
    struct spa_data *data = buffer->buffer->datas;
    cast->file_count--;
    munmap(data->data, data->maxsize);
    close((int)data->fd);
}

static void on_state_changed(void *context, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    test_cast *cast = context;
    (void)old;
    (void)error;
    cast->is_streaming = state == PW_STREAM_STATE_STREAMING;
    if (cast->is_streaming) {
        cast->starts++;
        /* PipeWire keeps the buffers for the next reader. */
        off_t size = (off_t)stride_of(cast) * cast->agreed.size.height;
        for (int i = 0; i < cast->file_count; i++) {
            if (has_memory(cast) && ftruncate(cast->files[i], size) != 0) return;
        }
    }
    pw_thread_loop_signal(cast->loop, false);
}

static const struct pw_stream_events stream_events = {
    PW_VERSION_STREAM_EVENTS,
    .state_changed = on_state_changed,
    .param_changed = on_param_changed,
    .add_buffer = on_add_buffer,
    .remove_buffer = on_remove_buffer,
};

static void on_global(
    void *context, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
    const struct spa_dict *properties) {
    test_cast *cast = context;
    (void)permissions;
    (void)version;
    if (strcmp(type, PW_TYPE_INTERFACE_Node) != 0 || id != pw_stream_get_node_id(cast->stream)) return;
    const char *serial = properties ? spa_dict_lookup(properties, PW_KEY_OBJECT_SERIAL) : NULL;
    if (serial) cast->serial = strtoull(serial, NULL, 10);
    pw_thread_loop_signal(cast->loop, false);
}

static const struct pw_registry_events registry_events = {PW_VERSION_REGISTRY_EVENTS, .global = on_global};

test_cast *test_cast_open(const test_cast_options *options) {
    pw_init(NULL, NULL);
    test_cast *cast = calloc(1, sizeof *cast);
    cast->options = *options;
    for (size_t i = 0; i < SPA_N_ELEMENTS(formats); i++) {
        if (options->format && strcmp(formats[i].name, options->format) == 0) cast->format = formats[i].format;
    }
    cast->loop = pw_thread_loop_new("test cast", NULL);
    cast->context = pw_context_new(pw_thread_loop_get_loop(cast->loop), NULL, 0);
    cast->core = pw_context_connect(cast->context, NULL, 0);
    if (!cast->core) return NULL;
    cast->stream = pw_stream_new(
        cast->core, "test cast",
        pw_properties_new(PW_KEY_MEDIA_CLASS, "Stream/Output/Video", PW_KEY_NODE_NAME, options->node_name, NULL));
    pw_stream_add_listener(cast->stream, &cast->stream_hook, &stream_events, cast);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *param = format_param(cast, &builder);
    enum pw_stream_flags memory_flag =
        options->uses_memory_pointers ? PW_STREAM_FLAG_MAP_BUFFERS : PW_STREAM_FLAG_ALLOC_BUFFERS;
    pw_stream_connect(
        cast->stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, PW_STREAM_FLAG_DRIVER | memory_flag, &param, 1);
    cast->registry = pw_core_get_registry(cast->core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(cast->registry, &cast->registry_hook, &registry_events, cast);
    pw_thread_loop_start(cast->loop);
    pw_thread_loop_lock(cast->loop);
    /* The node's own announcement can be older than the listener, so the registry repeats it for a new one. */
    for (int tries = 0; cast->serial == 0 && tries < 20; tries++) {
        pw_thread_loop_timed_wait(cast->loop, 1);
        if (cast->serial != 0 || pw_stream_get_node_id(cast->stream) == SPA_ID_INVALID) continue;
        pw_proxy_destroy((struct pw_proxy *)cast->registry);
        cast->registry = pw_core_get_registry(cast->core, PW_VERSION_REGISTRY, 0);
        pw_registry_add_listener(cast->registry, &cast->registry_hook, &registry_events, cast);
    }
    pw_thread_loop_unlock(cast->loop);
    return cast;
}

void test_cast_close(test_cast *cast) {
    pw_thread_loop_stop(cast->loop);
    pw_stream_destroy(cast->stream);
    pw_proxy_destroy((struct pw_proxy *)cast->registry);
    pw_core_disconnect(cast->core);
    pw_context_destroy(cast->context);
    pw_thread_loop_destroy(cast->loop);
    free(cast);
}

uint32_t test_cast_node(test_cast *cast) {
    return pw_stream_get_node_id(cast->stream);
}

uint64_t test_cast_serial(test_cast *cast) {
    return cast->serial;
}

int32_t test_cast_starts(test_cast *cast) {
    pw_thread_loop_lock(cast->loop);
    int32_t starts = cast->starts;
    pw_thread_loop_unlock(cast->loop);
    return starts;
}

bool test_cast_is_streaming(test_cast *cast) {
    pw_thread_loop_lock(cast->loop);
    bool is_streaming = cast->is_streaming && cast->has_format;
    pw_thread_loop_unlock(cast->loop);
    return is_streaming;
}

void test_cast_size(test_cast *cast, int32_t *width, int32_t *height) {
    pw_thread_loop_lock(cast->loop);
    *width = (int32_t)cast->agreed.size.width;
    *height = (int32_t)cast->agreed.size.height;
    pw_thread_loop_unlock(cast->loop);
}

static void copy_pixels(const test_cast *cast, const uint8_t *from, uint8_t *to) {
    bool is_red_first = cast->format == SPA_VIDEO_FORMAT_RGBx || cast->format == SPA_VIDEO_FORMAT_RGBA ||
        cast->format == SPA_VIDEO_FORMAT_RGB;
    int bytes = bytes_per_pixel(cast), width = (int)cast->agreed.size.width;
    for (int y = 0; y < (int)cast->agreed.size.height; y++) {
        uint8_t *row = to + (size_t)y * stride_of(cast);
        if (bytes == 4 && !is_red_first) {
            memcpy(row, from + (size_t)y * width * 4, (size_t)width * 4);
            continue;
        }
        for (int x = 0; x < width; x++) {
            const uint8_t *pixel = from + ((size_t)y * width + x) * 4;
            row[x * bytes] = pixel[is_red_first ? 2 : 0];
            row[x * bytes + 1] = pixel[1];
            row[x * bytes + 2] = pixel[is_red_first ? 0 : 2];
            if (bytes == 4) row[x * bytes + 3] = 255;
        }
    }
}

static void fill_cursor(struct spa_meta_cursor *cursor, const test_cast_frame *frame) {
    cursor->id = frame->has_cursor ? 1 : 0;
    cursor->flags = 0;
    cursor->position = SPA_POINT(frame->cursor_x, frame->cursor_y);
    cursor->hotspot = SPA_POINT(frame->hot_x, frame->hot_y);
    cursor->bitmap_offset = 0;
    if (frame->cursor_side == 0) return;
    cursor->bitmap_offset = sizeof *cursor;
    struct spa_meta_bitmap *image = SPA_PTROFF(cursor, sizeof *cursor, struct spa_meta_bitmap);
    image->format = SPA_VIDEO_FORMAT_RGBA;
    image->size = SPA_RECTANGLE((uint32_t)frame->cursor_side, (uint32_t)frame->cursor_side);
    image->stride = frame->cursor_side * 4;
    image->offset = sizeof *image;
    uint8_t *pixel = SPA_PTROFF(image, sizeof *image, uint8_t);
    for (int i = 0; i < frame->cursor_side * frame->cursor_side; i++, pixel += 4) {
        pixel[0] = frame->cursor_colour >> 16 & 255;
        pixel[1] = frame->cursor_colour >> 8 & 255;
        pixel[2] = frame->cursor_colour & 255;
        pixel[3] = frame->cursor_colour >> 24;
    }
}

static void fill(test_cast *cast, struct spa_buffer *buffer, const test_cast_frame *frame) {
    struct spa_data *data = buffer->datas;
    data->chunk->offset = 0;
    data->chunk->stride = frame->has_bad_stride ? stride_of(cast) * 4 : stride_of(cast);
    data->chunk->size = frame->pixels ? (uint32_t)stride_of(cast) * cast->agreed.size.height : 0;
    data->chunk->flags = frame->pixels ? 0 : SPA_CHUNK_FLAG_CORRUPTED;
    if (frame->pixels && has_memory(cast)) copy_pixels(cast, frame->pixels, data->data);
    struct spa_meta_header *header = spa_buffer_find_meta_data(buffer, SPA_META_Header, sizeof *header);
    if (header) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        header->flags = 0;
        header->pts = now.tv_sec * 1000000000ll + now.tv_nsec;
        header->seq = ++cast->sequence;
    }
    struct spa_meta_region *crop = spa_buffer_find_meta_data(buffer, SPA_META_VideoCrop, sizeof *crop);
    if (crop) {
        bool is_whole = frame->crop_width == 0;
        crop->region.position = SPA_POINT(is_whole ? 0 : frame->crop_x, is_whole ? 0 : frame->crop_y);
        crop->region.size = is_whole ? cast->agreed.size
                                     : SPA_RECTANGLE((uint32_t)frame->crop_width, (uint32_t)frame->crop_height);
    }
    struct spa_meta_videotransform *transform =
        spa_buffer_find_meta_data(buffer, SPA_META_VideoTransform, sizeof *transform);
    if (transform) transform->transform = frame->transform;
    struct spa_meta_cursor *cursor = spa_buffer_find_meta_data(buffer, SPA_META_Cursor, sizeof *cursor);
    if (cursor) fill_cursor(cursor, frame);
}

test_cast_result test_cast_send(test_cast *cast, const test_cast_frame *frame) {
    test_cast_result result = TEST_CAST_NOT_STREAMING;
    pw_thread_loop_lock(cast->loop);
    if (cast->is_streaming && cast->has_format) {
        struct pw_buffer *buffer = pw_stream_dequeue_buffer(cast->stream);
        result = buffer ? TEST_CAST_SENT : TEST_CAST_BUSY;
        if (buffer) {
            fill(cast, buffer->buffer, frame);
            pw_stream_queue_buffer(cast->stream, buffer);
        }
    }
    pw_thread_loop_unlock(cast->loop);
    return result;
}

void test_cast_resize(test_cast *cast, int32_t width, int32_t height) {
    pw_thread_loop_lock(cast->loop);
    cast->options.width = width;
    cast->options.height = height;
    cast->has_format = false;
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *param = format_param(cast, &builder);
    pw_stream_update_params(cast->stream, &param, 1);
    pw_thread_loop_unlock(cast->loop);
}

void test_cast_shrink(test_cast *cast) {
    pw_thread_loop_lock(cast->loop);
    for (int i = 0; i < cast->file_count; i++) {
        if (ftruncate(cast->files[i], 0) != 0) abort();
    }
    pw_thread_loop_unlock(cast->loop);
}

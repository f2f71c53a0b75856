#include "compositor_input.h"

#include <spa/buffer/meta.h>
#include <spa/param/video/format-utils.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Copies a structure from memory that the compositor can change at any time. What was checked must be what is used, so the
 * compiler must not read the original again. */
#define COPY_SHARED(copy, original) do { memcpy(&(copy), (original), sizeof (copy)); atomic_signal_fence(memory_order_seq_cst); } while (0)

/* MARK: Formats */

bool input_is_red_first(uint32_t format) {
    return format == SPA_VIDEO_FORMAT_RGBA || format == SPA_VIDEO_FORMAT_RGBx || format == SPA_VIDEO_FORMAT_RGB;
}

int32_t input_bytes_per_pixel(uint32_t format) {
    return format == SPA_VIDEO_FORMAT_BGR || format == SPA_VIDEO_FORMAT_RGB ? 3 : 4;
}

bool input_read_format(const struct spa_pod *param, struct spa_video_info_raw *format) {
    /* The functions of SPA check the size that a value claims, but not that a value inside of a choice is inside of the choice. What
     * they read behind the end is zero: the largest value has 8 bytes. */
    _Alignas(8) uint8_t memory[INPUT_MAXIMUM_FORMAT_SIZE + 64];
    size_t size = SPA_POD_SIZE(param);
    if (size > INPUT_MAXIMUM_FORMAT_SIZE) return false;
    memcpy(memory, param, size);
    memset(memory + size, 0, sizeof memory - size);
    const struct spa_pod *copy = (const struct spa_pod *)memory;
    uint32_t type, subtype;
    struct spa_video_info_raw found = {0};
    if (spa_format_parse(copy, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_video ||
        subtype != SPA_MEDIA_SUBTYPE_raw || spa_format_video_raw_parse(copy, &found) < 0) return false;
    if (found.size.width == 0 || found.size.height == 0 || found.size.width > INPUT_MAXIMUM_SIDE ||
        found.size.height > INPUT_MAXIMUM_SIDE) return false;
    *format = found;
    return true;
}

/* MARK: Pictures */

/* Returns the metadata of a type; NULL if there is none with at least `size` bytes. */
static const struct spa_meta *find_meta(const struct spa_buffer *buffer, uint32_t type, size_t size) {
    const struct spa_meta *meta = spa_buffer_find_meta(buffer, type);
    return meta && meta->data && meta->size >= size ? meta : NULL;
}

static bool read_header(const struct spa_buffer *buffer, struct spa_meta_header *header) {
    const struct spa_meta *meta = find_meta(buffer, SPA_META_Header, sizeof *header);
    if (meta) COPY_SHARED(*header, meta->data);
    return meta != NULL;
}

bool input_read_picture(
    const struct spa_buffer *buffer, const struct spa_video_info_raw *format, cpw_picture *picture) {
    if (buffer->n_datas == 0 || !buffer->datas[0].data || !buffer->datas[0].chunk) return false;
    const struct spa_data *data = &buffer->datas[0];
    struct spa_chunk chunk;
    COPY_SHARED(chunk, data->chunk);
    struct spa_meta_header header;
    if (chunk.size == 0 || (chunk.flags & SPA_CHUNK_FLAG_CORRUPTED)) return false;
    if (read_header(buffer, &header) && (header.flags & SPA_META_HEADER_FLAG_CORRUPTED)) return false;
    int64_t width = format->size.width, height = format->size.height, x = 0, y = 0;
    int64_t bytes = input_bytes_per_pixel(format->format);
    const struct spa_meta *crop_meta = find_meta(buffer, SPA_META_VideoCrop, sizeof(struct spa_meta_region));
    struct spa_meta_region crop;
    if (crop_meta) COPY_SHARED(crop, crop_meta->data);
    if (crop_meta && spa_meta_region_is_valid(&crop)) {
        const struct spa_region *region = &crop.region;
        bool fits = region->position.x >= 0 && region->position.y >= 0 &&
            (int64_t)region->position.x + region->size.width <= width &&
            (int64_t)region->position.y + region->size.height <= height;
        if (!fits) return false;
        x = region->position.x;
        y = region->position.y;
        width = region->size.width;
        height = region->size.height;
    }
    int64_t stride = chunk.stride > 0 ? chunk.stride : (int64_t)format->size.width * bytes;
    int64_t end = (int64_t)chunk.offset + stride * (y + height - 1) + (x + width) * bytes;
    if (stride < (x + width) * bytes || end > (int64_t)data->maxsize) return false;
    struct spa_meta_videotransform turned = {0};
    const struct spa_meta *turned_meta = find_meta(buffer, SPA_META_VideoTransform, sizeof turned);
    if (turned_meta) COPY_SHARED(turned, turned_meta->data);
    *picture = (cpw_picture){
        .pixels = (const uint8_t *)data->data + chunk.offset + y * stride + x * bytes,
        .stride = (int32_t)stride,
        .width = (int32_t)width,
        .height = (int32_t)height,
        .x = (int32_t)x,
        .y = (int32_t)y,
        .bytes_per_pixel = (int32_t)bytes,
        .is_red_first = input_is_red_first(format->format),
        .transform = turned.transform < 8 ? turned.transform : 0,
    };
    return true;
}

int64_t input_read_time(const struct spa_buffer *buffer) {
    struct spa_meta_header header;
    return read_header(buffer, &header) && header.pts > 0 ? header.pts : 0;
}

/* MARK: Cursor */

/* Notes a new image of the cursor. */
static void read_cursor_image(
    const struct spa_meta *meta, const struct spa_meta_cursor *from, struct input_cursor *to) {
    cpw_cursor *cursor = &to->cursor;
    struct spa_meta_bitmap image;
    COPY_SHARED(image, SPA_PTROFF(meta->data, from->bitmap_offset, const void));
    cursor->serial++;
    cursor->hot_x = from->hotspot.x;
    cursor->hot_y = from->hotspot.y;
    cursor->width = cursor->height = 0;
    uint32_t width = image.size.width, height = image.size.height;
    bool is_known = image.format == SPA_VIDEO_FORMAT_RGBA || image.format == SPA_VIDEO_FORMAT_BGRA ||
        image.format == SPA_VIDEO_FORMAT_RGBx || image.format == SPA_VIDEO_FORMAT_BGRx;
    if (!is_known || image.offset < sizeof image || width == 0 || height == 0 || width > INPUT_MAXIMUM_CURSOR_SIDE ||
        height > INPUT_MAXIMUM_CURSOR_SIDE || image.stride < (int32_t)width * 4) return;
    uint64_t start = (uint64_t)from->bitmap_offset + image.offset;
    uint64_t end = start + (uint64_t)image.stride * (height - 1) + (uint64_t)width * 4;
    if (end > meta->size) return;
    size_t needed = (size_t)width * height * 4;
    if (needed > to->capacity) {
        uint8_t *larger = realloc(to->image, needed);
        if (!larger) return;
        to->image = larger;
        to->capacity = needed;
    }
    const uint8_t *row = SPA_PTROFF(meta->data, start, const uint8_t);
    for (uint32_t y = 0; y < height; y++, row += image.stride) {
        memcpy(to->image + (size_t)y * width * 4, row, (size_t)width * 4);
    }
    cursor->width = (int32_t)width;
    cursor->height = (int32_t)height;
    cursor->is_red_first = input_is_red_first(image.format);
}

bool input_read_cursor(const struct spa_buffer *buffer, struct input_cursor *to) {
    struct spa_meta_cursor from;
    const struct spa_meta *meta = find_meta(buffer, SPA_META_Cursor, sizeof from);
    if (!meta) return false;
    COPY_SHARED(from, meta->data);
    cpw_cursor *cursor = &to->cursor;
    bool was_visible = cursor->is_visible;
    /* Otherwise the pointer is hidden, or it is not over this source. */
    cursor->is_visible = spa_meta_cursor_is_valid(&from);
    if (!cursor->is_visible) return was_visible;
    bool is_changed = !was_visible || from.position.x != cursor->x || from.position.y != cursor->y;
    cursor->x = from.position.x;
    cursor->y = from.position.y;
    /* With offset 0, the image is as before. */
    if (from.bitmap_offset < sizeof from) return is_changed;
    if ((uint64_t)from.bitmap_offset + sizeof(struct spa_meta_bitmap) > meta->size) return is_changed;
    read_cursor_image(meta, &from, to);
    return true;
}

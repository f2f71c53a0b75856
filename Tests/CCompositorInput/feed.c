#include "CCompositorInput.h"

#include "../../Sources/System/CPipeWire/compositor_input.h"

#include <spa/buffer/meta.h>
#include <spa/param/video/format-utils.h>
#include <spa/pod/builder.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAXIMUM_RECORDS = 64, METAS = 5, MAXIMUM_MEMORY = 1 << 20 };

/* Memory that ends where a page ends that cannot be read. */
struct guarded {
    uint8_t *pages;
    size_t page_bytes;
    /* Aligned as PipeWire aligns it, to 8 bytes. */
    uint8_t *start;
    size_t size;
};

struct feed {
    struct guarded format_memory, pixels, chunk, metas[METAS];
    struct spa_video_info_raw format;
    bool has_format;
    struct input_cursor cursor;
};

static const char meta_records[METAS + 1] = "HRTDP";
static const uint32_t meta_types[METAS] = {
    SPA_META_Header, SPA_META_VideoCrop, SPA_META_VideoTransform, SPA_META_VideoDamage, SPA_META_Cursor,
};

static void discard(struct guarded *memory) {
    if (memory->pages) munmap(memory->pages, memory->page_bytes);
    *memory = (struct guarded){0};
}

/* Replaces the memory by one of `size` bytes with this content, or with zeros. */
static bool replace(struct guarded *memory, const uint8_t *content, size_t size) {
    discard(memory);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page) / page * page;
    uint8_t *pages = mmap(NULL, used + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return false;
    mprotect(pages + used, page, PROT_NONE);
    *memory = (struct guarded){pages, used + page, pages + used - (size + 7) / 8 * 8, size};
    if (content) memcpy(memory->start, content, size);
    return true;
}

static const char *read_format(struct feed *feed, cci_result *result) {
    const struct spa_pod *pod = (const struct spa_pod *)feed->format_memory.start;
    /* PipeWire passes on no other. */
    if (feed->format_memory.size < sizeof *pod || SPA_POD_SIZE(pod) > feed->format_memory.size) return NULL;
    if (!input_read_format(pod, &feed->format)) return NULL;
    feed->has_format = true;
    result->formats++;
    struct spa_rectangle size = feed->format.size;
    bool is_good = size.width > 0 && size.height > 0 && size.width <= INPUT_MAXIMUM_SIDE && size.height <= INPUT_MAXIMUM_SIDE;
    return is_good ? NULL : "the size of a format is out of range";
}

/* Reads the pixels as a source does. */
static const char *use_picture(const cpw_picture *picture) {
    size_t bytes = (size_t)picture->width * (size_t)picture->height * 4;
    uint8_t *shadow = malloc(bytes), *turned = malloc(bytes);
    cpw_rectangle changed[CPW_MAXIMUM_RECTANGLES], whole = {0, 0, picture->width, picture->height}, upright = whole;
    int first = CPW_WHOLE, second = 0;
    if (shadow && turned) {
        first = cpw_update_shadow(picture, shadow, picture->width * 4, true, changed);
        second = cpw_update_shadow(picture, shadow, picture->width * 4, false, changed);
        upright = cpw_turn(shadow, picture->width, picture->height, picture->transform, whole, turned);
    }
    free(shadow);
    free(turned);
    if (first != CPW_WHOLE) return "the first picture is not whole";
    if (second != 0) return "the same picture again has changes";
    bool is_whole = upright.x == 0 && upright.y == 0 &&
        (int64_t)upright.width * upright.height == (int64_t)picture->width * picture->height;
    return is_whole ? NULL : "a turned picture has another size";
}

static const char *check_picture(const struct feed *feed, const cpw_picture *picture, cci_result *result) {
    int64_t stride = picture->stride, bytes = picture->bytes_per_pixel, width = picture->width, height = picture->height;
    if (bytes != 3 && bytes != 4) return "the size of a pixel is neither 3 nor 4";
    if (width < 1 || height < 1 || picture->x < 0 || picture->y < 0) return "the visible part is empty";
    if (picture->x + width > feed->format.size.width || picture->y + height > feed->format.size.height) {
        return "the visible part is outside of the picture";
    }
    if (stride < width * bytes) return "rows overlap";
    if (picture->transform >= 8) return "there is no such transform";
    result->offset = (int64_t)((uintptr_t)picture->pixels - (uintptr_t)feed->pixels.start);
    if (result->offset < 0 || result->offset + stride * (height - 1) + width * bytes > (int64_t)feed->pixels.size) {
        return "the picture does not fit into its memory";
    }
    return use_picture(picture);
}

static const char *check_cursor(const struct input_cursor *cursor, cci_result *result) {
    int64_t width = cursor->cursor.width, height = cursor->cursor.height;
    if (width < 0 || height < 0 || width > INPUT_MAXIMUM_CURSOR_SIDE || height > INPUT_MAXIMUM_CURSOR_SIDE ||
        (width == 0) != (height == 0)) return "the size of the cursor's image is out of range";
    if (width * height * 4 > (int64_t)cursor->capacity) return "the cursor's image has no memory";
    result->cursor_sum = 0;
    for (int64_t i = 0; i < width * height * 4; i++) result->cursor_sum += cursor->image[i];
    return NULL;
}

/* Lets a buffer arrive. */
static const char *receive(struct feed *feed, cci_result *result) {
    struct spa_meta metas[METAS];
    uint32_t count = 0;
    for (int i = 0; i < METAS; i++) {
        if (!feed->metas[i].pages) continue;
        metas[count++] = (struct spa_meta){meta_types[i], (uint32_t)feed->metas[i].size, feed->metas[i].start};
    }
    struct spa_data data = {
        .type = SPA_DATA_MemPtr, .maxsize = (uint32_t)feed->pixels.size, .data = feed->pixels.start,
        .chunk = (struct spa_chunk *)feed->chunk.start,
    };
    struct spa_buffer buffer = {.n_metas = count, .n_datas = 1, .metas = metas, .datas = &data};
    result->time = input_read_time(&buffer);
    if (result->time < 0) return "a time is negative";
    if (input_read_cursor(&buffer, &feed->cursor)) result->cursor_news++;
    result->cursor = feed->cursor.cursor;
    const char *violated = check_cursor(&feed->cursor, result);
    if (violated || !feed->has_format || !input_read_picture(&buffer, &feed->format, &result->picture)) return violated;
    result->pictures++;
    violated = check_picture(feed, &result->picture, result);
    result->picture.pixels = NULL;
    return violated;
}

static const char *process(struct feed *feed, uint8_t kind, const uint8_t *bytes, size_t count, cci_result *result) {
    const char *meta = kind ? strchr(meta_records, kind) : NULL;
    if (meta) {
        replace(&feed->metas[meta - meta_records], bytes, count);
        return NULL;
    }
    switch (kind) {
    case 'F': return replace(&feed->format_memory, bytes, count) ? read_format(feed, result) : NULL;
    case 'C':
        if (count == sizeof(struct spa_chunk)) replace(&feed->chunk, bytes, count);
        return NULL;
    case 'M': {
        size_t size = count == 3 ? bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16 : 0;
        if (size <= MAXIMUM_MEMORY) replace(&feed->pixels, NULL, size);
        return NULL;
    }
    case 'B': return receive(feed, result);
    default: return NULL;
    }
}

const char *cci_feed(const uint8_t *bytes, size_t count, cci_result *result) {
    struct feed feed = {0};
    *result = (cci_result){0};
    const char *violated = NULL;
    for (int records = 0; count >= 3 && records < MAXIMUM_RECORDS && !violated; records++) {
        size_t length = bytes[1] | (size_t)bytes[2] << 8;
        if (length > count - 3) break;
        violated = process(&feed, bytes[0], bytes + 3, length, result);
        bytes += 3 + length;
        count -= 3 + length;
    }
    discard(&feed.format_memory);
    discard(&feed.pixels);
    discard(&feed.chunk);
    for (int i = 0; i < METAS; i++) discard(&feed.metas[i]);
    free(feed.cursor.image);
    return violated;
}

size_t cci_write_format(uint32_t format, uint32_t width, uint32_t height, uint8_t *bytes, size_t capacity) {
    _Alignas(8) uint8_t memory[512];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    struct spa_rectangle size = SPA_RECTANGLE(width, height);
    struct spa_fraction rate = SPA_FRACTION(0, 1), most = SPA_FRACTION(60, 1);
    const struct spa_pod *pod = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_Format, SPA_PARAM_Format, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video),
        SPA_FORMAT_mediaSubtype, SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(format),
        SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate, SPA_POD_Fraction(&rate),
        SPA_FORMAT_VIDEO_maxFramerate, SPA_POD_Fraction(&most));
    if (!pod || SPA_POD_SIZE(pod) > capacity) return 0;
    memcpy(bytes, pod, SPA_POD_SIZE(pod));
    return SPA_POD_SIZE(pod);
}

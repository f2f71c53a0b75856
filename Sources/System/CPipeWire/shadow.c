#include "CPipeWire.h"
#include "guard.h"

#include <stdlib.h>
#include <string.h>

/* The width and height of the squares that are compared. */
enum { TILE = 32, MAXIMUM_COLUMNS = 16384 / TILE };

/* The width and height of the squares that are turned at a time. */
enum { TURN_BLOCK = 16 };

/* Returns row `y` as BGRA: the row itself, or a copy in `converted`. */
static const uint8_t *row_as_bgra(const cpw_picture *picture, int32_t y, uint8_t *converted) {
    const uint8_t *from = picture->pixels + (ptrdiff_t)y * picture->stride;
    if (picture->bytes_per_pixel == 4 && !picture->is_red_first) return from;
    uint8_t *to = converted;
    int blue = picture->is_red_first ? 2 : 0;
    for (int32_t x = 0; x < picture->width; x++, from += picture->bytes_per_pixel, to += 4) {
        to[0] = from[blue];
        to[1] = from[1];
        to[2] = from[2 - blue];
        to[3] = 255;
    }
    return converted;
}

static void copy_whole(const cpw_picture *picture, uint8_t *shadow, ptrdiff_t stride, uint8_t *converted) {
    for (int32_t y = 0; y < picture->height; y++) {
        memcpy(shadow + y * stride, row_as_bgra(picture, y, converted), (size_t)picture->width * 4);
    }
}

/* Copies the tiles of one row of pixels that differ, and marks them. Returns true if there is one. */
static bool update_row(const uint8_t *from, uint8_t *to, int32_t width, int32_t columns, bool *marks) {
    size_t row_bytes = (size_t)width * 4;
    /* Most rows are equal, and this is as fast as memory. */
    if (memcmp(from, to, row_bytes) == 0) return false;
    for (int32_t column = 0; column < columns; column++) {
        size_t start = (size_t)column * TILE * 4;
        size_t count = start + TILE * 4 <= row_bytes ? TILE * 4 : row_bytes - start;
        if (memcmp(from + start, to + start, count) == 0) continue;
        memcpy(to + start, from + start, count);
        marks[column] = true;
    }
    return true;
}

/* Extends a rectangle of the rows above that `added` continues. Only the first `count` can. */
static bool extend(cpw_rectangle *changed, int count, cpw_rectangle added) {
    for (int i = 0; i < count; i++) {
        cpw_rectangle *one = &changed[i];
        if (one->x == added.x && one->width == added.width && one->y + one->height == added.y) {
            one->height += added.height;
            return true;
        }
    }
    return false;
}

static int update_shadow(
    const cpw_picture *picture, uint8_t *shadow, ptrdiff_t shadow_stride, bool is_whole, cpw_rectangle *changed) {
    bool is_bgra = picture->bytes_per_pixel == 4 && !picture->is_red_first;
    uint8_t *converted = is_bgra ? NULL : malloc((size_t)picture->width * 4);
    if (!is_bgra && !converted) return 0;
    int32_t columns = (picture->width + TILE - 1) / TILE;
    int count = 0;
    int64_t area = 0, limit = (int64_t)picture->width * picture->height / 2;
    bool is_all = is_whole || columns > MAXIMUM_COLUMNS;
    for (int32_t top = 0; top < picture->height && !is_all; top += TILE) {
        int32_t bottom = top + TILE < picture->height ? top + TILE : picture->height;
        bool marks[MAXIMUM_COLUMNS] = {false};
        bool is_changed = false;
        for (int32_t y = top; y < bottom; y++) {
            const uint8_t *from = row_as_bgra(picture, y, converted);
            if (update_row(from, shadow + y * shadow_stride, picture->width, columns, marks)) is_changed = true;
        }
        if (!is_changed) continue;
        int above = count;
        for (int32_t column = 0; column < columns && !is_all; column++) {
            if (!marks[column]) continue;
            int32_t first = column;
            while (column < columns && marks[column]) column++;
            int32_t right = column < columns ? column * TILE : picture->width;
            cpw_rectangle added = {first * TILE, top, right - first * TILE, bottom - top};
            area += (int64_t)added.width * added.height;
            if (extend(changed, above, added)) continue;
            if (count == CPW_MAXIMUM_RECTANGLES) is_all = true;
            else changed[count++] = added;
        }
        if (area > limit) is_all = true;
    }
    if (is_all) copy_whole(picture, shadow, shadow_stride, converted);
    free(converted);
    return is_all ? CPW_WHOLE : count;
}

int cpw_update_shadow(
    const cpw_picture *picture, uint8_t *shadow, ptrdiff_t shadow_stride, bool is_whole,
    cpw_rectangle changed[CPW_MAXIMUM_RECTANGLES]) {
    size_t last_row = (size_t)picture->width * (size_t)picture->bytes_per_pixel;
    guard_begin(picture->pixels, (size_t)picture->stride * (size_t)(picture->height - 1) + last_row);
    int count = update_shadow(picture, shadow, shadow_stride, is_whole, changed);
    return guard_end() ? count : CPW_LOST_MEMORY;
}

static int32_t clamped(int64_t value) {
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

/* The content was flipped, and then turned counter-clockwise. */
void cpw_turn_point(
    int32_t x, int32_t y, int32_t width, int32_t height, uint32_t transform, int32_t *to_x, int32_t *to_y) {
    /* The position of a cursor can be any number. */
    int64_t upright_x = x, upright_y = y;
    switch (transform % 4) {
    case 1: upright_x = (int64_t)height - 1 - y; upright_y = x; break;
    case 2: upright_x = (int64_t)width - 1 - x; upright_y = (int64_t)height - 1 - y; break;
    case 3: upright_x = y; upright_y = (int64_t)width - 1 - x; break;
    default: break;
    }
    if (transform >= 4) upright_x = (int64_t)(transform % 2 ? height : width) - 1 - upright_x;
    *to_x = clamped(upright_x);
    *to_y = clamped(upright_y);
}

cpw_rectangle cpw_turn(
    const uint8_t *from, int32_t width, int32_t height, uint32_t transform, cpw_rectangle part, uint8_t *to) {
    int32_t upright_width = transform % 2 ? height : width;
    int32_t left, top, right, bottom, column_x, column_y, row_x, row_y;
    cpw_turn_point(part.x, part.y, width, height, transform, &left, &top);
    cpw_turn_point(part.x + part.width - 1, part.y + part.height - 1, width, height, transform, &right, &bottom);
    cpw_turn_point(part.x + 1, part.y, width, height, transform, &column_x, &column_y);
    cpw_turn_point(part.x, part.y + 1, width, height, transform, &row_x, &row_y);
    /* From one pixel to the next one in `to`, for a step to the right and for a step down in `from`. */
    ptrdiff_t column_step = (ptrdiff_t)(column_y - top) * upright_width + (column_x - left);
    ptrdiff_t row_step = (ptrdiff_t)(row_y - top) * upright_width + (row_x - left);
    ptrdiff_t corner = (ptrdiff_t)top * upright_width + left;
    /* One of the sides is read or written across its rows. A block of both fits into the fastest cache. */
    for (int32_t y0 = 0; y0 < part.height; y0 += TURN_BLOCK) {
        int32_t y1 = y0 + TURN_BLOCK < part.height ? y0 + TURN_BLOCK : part.height;
        for (int32_t x0 = 0; x0 < part.width; x0 += TURN_BLOCK) {
            int32_t x1 = x0 + TURN_BLOCK < part.width ? x0 + TURN_BLOCK : part.width;
            for (int32_t y = y0; y < y1; y++) {
                const uint8_t *pixel = from + ((ptrdiff_t)(part.y + y) * width + part.x + x0) * 4;
                uint8_t *target = to + (corner + y * row_step + x0 * column_step) * 4;
                for (int32_t x = x0; x < x1; x++, pixel += 4, target += column_step * 4) memcpy(target, pixel, 4);
            }
        }
    }
    cpw_rectangle result = {left < right ? left : right, top < bottom ? top : bottom, 0, 0};
    result.width = (left < right ? right - left : left - right) + 1;
    result.height = (top < bottom ? bottom - top : top - bottom) + 1;
    return result;
}

/* Feeds the code that reads what a compositor sends, without PipeWire: for fuzzing, and for tests with malformed input. */
#ifndef CCOMPOSITORINPUT_H
#define CCOMPOSITORINPUT_H

#include "CPipeWire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/* What was read. */
typedef struct cci_result {
    /* How many formats, pictures and news of the cursor were accepted. */
    int32_t formats, pictures, cursor_news;
    /* The last picture. Its `pixels` are not valid any more. */
    cpw_picture picture;
    /* Where its first pixel was in the memory, in bytes. */
    int64_t offset;
    /* The last cursor. Its `pixels` are not valid any more. */
    cpw_cursor cursor;
    /* The sum of the bytes of its image. */
    uint64_t cursor_sum;
    /* The time of the last buffer, in ns. */
    int64_t time;
} cci_result;

/*
 * Processes records: one byte that says what it is, the number of bytes that follow as two bytes, the lower one first, and these
 * bytes. An incomplete or unknown record is ignored.
 *
 *     F  a format (SPA pod)                     M  the size of the pixels' memory, 3 bytes, the lowest first
 *     C  struct spa_chunk                       H  struct spa_meta_header
 *     R  struct spa_meta_region, the crop       T  struct spa_meta_videotransform
 *     D  struct spa_meta_region[], the damage   P  struct spa_meta_cursor and what follows it
 *     B  a buffer of all this arrives
 *
 * The page behind the end of each block of memory cannot be read. Returns NULL, or the rule that a result violates.
 */
const char *_Nullable cci_feed(const uint8_t *bytes, size_t count, cci_result *result);

/* Writes a valid format. Returns how many bytes it has, or 0 if `capacity` is too small. */
size_t cci_write_format(uint32_t format, uint32_t width, uint32_t height, uint8_t *bytes, size_t capacity);

#pragma clang assume_nonnull end

#endif

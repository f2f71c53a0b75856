/*
 * A C interface to toml++: a document as a flat list of its values, each with its path and its line.
 *
 * toml++ is complete and maintained, and it provides the line of each value, which error messages need. TOMLKit wraps
 * it for Swift, but without the lines, and it depends on the whole of Foundation.
 */
#ifndef CTOMLPLUSPLUS_H
#define CTOMLPLUSPLUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ctoml_kind {
    CTOML_TABLE,
    CTOML_ARRAY,
    CTOML_STRING,
    CTOML_INTEGER,
    CTOML_FLOAT,
    CTOML_BOOLEAN,
    /* A date or a time. */
    CTOML_OTHER
} ctoml_kind;

/* One value. Its pointers are valid as long as the document. */
typedef struct ctoml_entry {
    /* The keys from the root, separated by the byte 0x1F. The elements of an array are numbered from 0. */
    const char *path;
    ctoml_kind kind;
    /* The line in the text, from 1. */
    int line;
    const char *string;
    int64_t integer;
    double number;
    bool boolean;
} ctoml_entry;

typedef struct ctoml_document ctoml_document;

/* Parses UTF-8 text. Returns null only if memory is exhausted. Check ctoml_error() for errors in the text. */
ctoml_document *ctoml_parse(const char *text, size_t length);
/* Returns the error and its line. The error is null if the text is valid. */
const char *ctoml_error(const ctoml_document *document);
int ctoml_error_line(const ctoml_document *document);
/* The values; a table or an array precedes its elements. */
size_t ctoml_count(const ctoml_document *document);
ctoml_entry ctoml_entry_at(const ctoml_document *document, size_t index);
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif

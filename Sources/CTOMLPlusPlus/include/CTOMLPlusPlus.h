/*
 * toml++ behind a C interface: a document as a flat list of its values, each with its path and its line.
 *
 * toml++ is complete and well kept, and it keeps where each value stands, which an error about it needs. TOMLKit wraps it for
 * Swift, but without these places, and it brings the whole of Foundation with it.
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

/* One value. What it points to lives as long as its document. */
typedef struct ctoml_entry {
    /* The keys from the root on, joined by the byte 0x1F; an array's elements are numbered from 0. */
    const char *path;
    ctoml_kind kind;
    /* Counted from 1. */
    int line;
    const char *string;
    int64_t integer;
    double number;
    bool boolean;
} ctoml_entry;

typedef struct ctoml_document ctoml_document;

/* Parses UTF-8 text. Null only where there is no memory. */
ctoml_document *ctoml_parse(const char *text, size_t length);
/* What is wrong with it, and the line; null where it is well-formed. */
const char *ctoml_error(const ctoml_document *document);
int ctoml_error_line(const ctoml_document *document);
/* The values, outer ones before inner ones. */
size_t ctoml_count(const ctoml_document *document);
ctoml_entry ctoml_entry_at(const ctoml_document *document, size_t index);
void ctoml_free(ctoml_document *document);

#ifdef __cplusplus
}
#endif

#endif

/*
 * Opens a library when its functions are needed for the first time, so that a command that does not need them starts
 * without it. The name is that of the version that the headers belong to.
 */
#ifndef CLATELIBRARY_H
#define CLATELIBRARY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Opens the library, and writes the addresses of the functions, in their order, to `table`, an array of pointers.
   Returns false if the library cannot be opened or does not have them all; `table` is not usable then. The library
   stays open. A function may also be in a library on which this one depends. */
bool clatelibrary_open(const char *_Nonnull library, const char *_Nonnull const *_Nonnull functions, size_t count,
                       void *_Nonnull table);

/* A member of the struct of function pointers, for each function of the list. */
#define CLATELIBRARY_DECLARE(name) __typeof__(name) *name;
#define CLATELIBRARY_TEXT(name) #name,

/* Defines the function `bool opener(void)`, for any thread: it opens the library at its first call, and returns then
   and later whether `table` can be used. `LIST(X)` is X(name) for each function, and `table` is a struct of
   CLATELIBRARY_DECLARE for the same list. `static` may precede it. */
#define CLATELIBRARY_DEFINE(opener, library, table, LIST)                                                              \
    bool opener(void);                                                                                                 \
    static bool opener##_result;                                                                                       \
    static void opener##_once(void) {                                                                                  \
        static const char *const names[] = {LIST(CLATELIBRARY_TEXT)};                                                  \
        _Static_assert(sizeof table == sizeof names, "one pointer for each name");                                     \
        opener##_result = clatelibrary_open(library, names, sizeof names / sizeof *names, &table);                     \
    }                                                                                                                  \
    bool opener(void) {                                                                                                \
        static pthread_once_t once = PTHREAD_ONCE_INIT;                                                                \
        pthread_once(&once, opener##_once);                                                                            \
        return opener##_result;                                                                                        \
    }

#endif

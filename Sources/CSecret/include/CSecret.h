/*
 * The Secret Service through libsecret, which is opened at run time: whoever lacks it lacks nothing else, and a broadcast that
 * needs no secret from it never loads GLib. Every call may block for as long as the service likes: use it in a process of its own.
 */
#ifndef CSECRET_H
#define CSECRET_H

#pragma clang assume_nonnull begin

typedef enum csecret_status {
    CSECRET_OK,
    /* The service answers, and has no such secret. */
    CSECRET_ABSENT,
    /* No libsecret, no bus, no service, or it says no. */
    CSECRET_UNAVAILABLE
} csecret_status;

/* Keeps `secret` in the default collection, over an older one. `label` is what password managers show. */
csecret_status csecret_store(const char *label, const char *destination, const char *key, const char *secret);
/* Whether there is one; unlocks nothing. */
csecret_status csecret_find(const char *destination, const char *key);
/* The secret, to be given to free(3), in `secret`. May ask the user to unlock the collection. */
csecret_status csecret_lookup(const char *destination, const char *key, char *_Nullable *_Nonnull secret);
/* Forgets every secret of the destination. */
csecret_status csecret_clear(const char *destination);
/* Calls `visit` with the destination of each secret that is kept, locked or not. */
csecret_status csecret_list(void (*visit)(const char *destination, void *_Nullable context), void *_Nullable context);

#pragma clang assume_nonnull end

#endif

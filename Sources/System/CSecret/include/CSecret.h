/*
 * The Secret Service through libsecret, which is loaded at run time. A system without libsecret lacks only this
 * feature, and a broadcast that needs no secret from the service never loads GLib. Every call can block for as long as
 * the service takes, so use a separate process.
 */
#ifndef CSECRET_H
#define CSECRET_H

#pragma clang assume_nonnull begin

typedef enum csecret_status {
    CSECRET_OK,
    /* The service answered and has no such secret. */
    CSECRET_ABSENT,
    /* libsecret, the bus or the service is not available, or the service refused. */
    CSECRET_UNAVAILABLE
} csecret_status;

/* Stores `secret` in the default collection and replaces an existing one. Password managers show `label`. */
csecret_status csecret_store(const char *label, const char *destination, const char *key, const char *secret);
/* Returns CSECRET_OK if the default collection exists and is unlocked, and CSECRET_ABSENT if the service will ask the
   user to create or unlock it. */
csecret_status csecret_state(void);
/* Returns CSECRET_OK if the secret exists, also in a locked collection; any secret of the destination if `key` is
   empty. It unlocks nothing. In a locked collection, a secret of another program with the same attributes counts
   too. */
csecret_status csecret_find(const char *destination, const char *key);
/* Unlocks what `csecret_find` finds, for which the service can ask the user. Returns CSECRET_UNAVAILABLE if it stays
   locked. */
csecret_status csecret_unlock(const char *destination, const char *key);
/* Returns the secret in `secret`; free it with free(3). Its collection must be unlocked. */
csecret_status csecret_lookup(const char *destination, const char *key, char *_Nullable *_Nonnull secret);
/* Deletes the secret, or all secrets of the destination if `key` is empty. Their collection must be unlocked. */
csecret_status csecret_clear(const char *destination, const char *key);
/* Calls `visit` with the destination of each stored secret. After a restart of the service, a locked collection has
   none; use `csecret_find` for each destination then. */
csecret_status csecret_list(void (*visit)(const char *destination, void *_Nullable context), void *_Nullable context);

#pragma clang assume_nonnull end

#endif

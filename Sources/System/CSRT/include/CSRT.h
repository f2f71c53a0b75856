/*
 * libsrt, and its codes for refused streams. It is opened at run time, because only the srt extension uses it.
 * `csrt_NAME` stands for `srt_NAME`. Call `csrt_open` before any of them.
 */
#ifndef CSRT_H
#define CSRT_H

#include <srt/srt.h>
#include <srt/access_control.h>
#include <stdbool.h>

#include "CLateLibrary.h"

#pragma clang assume_nonnull begin

/* Opens libsrt the first time, on any thread. It stays open. Returns false if it cannot be opened, also after that. */
bool csrt_open(void);

/* The name of the library that the headers belong to: "libsrt.so.1.5". */
extern const char *const csrt_name;

#define CSRT_FUNCTIONS(X)                                                                                              \
    X(srt_accept)                                                                                                      \
    X(srt_bind)                                                                                                        \
    X(srt_bistats)                                                                                                     \
    X(srt_cleanup)                                                                                                     \
    X(srt_close)                                                                                                       \
    X(srt_connect)                                                                                                     \
    X(srt_create_socket)                                                                                               \
    X(srt_getlasterror)                                                                                                \
    X(srt_getlasterror_str)                                                                                            \
    X(srt_getrejectreason)                                                                                             \
    X(srt_getsndbuffer)                                                                                                \
    X(srt_getsockflag)                                                                                                 \
    X(srt_getsockstate)                                                                                                \
    X(srt_getversion)                                                                                                  \
    X(srt_listen)                                                                                                      \
    X(srt_send)                                                                                                        \
    X(srt_setloglevel)                                                                                                 \
    X(srt_setsockflag)                                                                                                 \
    X(srt_startup)

struct csrt_functions {
    CSRT_FUNCTIONS(CLATELIBRARY_DECLARE)
};
extern struct csrt_functions csrt;

/* 0xXXYYZZ for version X.Y.Z. */
static inline uint32_t csrt_version(void) { return csrt.srt_getversion(); }
static inline int csrt_startup(void) { return csrt.srt_startup(); }
static inline int csrt_cleanup(void) { return csrt.srt_cleanup(); }
static inline void csrt_setloglevel(int level) { csrt.srt_setloglevel(level); }
static inline SRTSOCKET csrt_create_socket(void) { return csrt.srt_create_socket(); }
static inline int csrt_bind(SRTSOCKET socket, const struct sockaddr *_Nullable address, int size) {
    return csrt.srt_bind(socket, address, size);
}
static inline int csrt_listen(SRTSOCKET socket, int backlog) { return csrt.srt_listen(socket, backlog); }
/* A socket of a caller whose address is not asked for. */
static inline SRTSOCKET csrt_accept(SRTSOCKET socket) { return csrt.srt_accept(socket, NULL, NULL); }
static inline int csrt_connect(SRTSOCKET socket, const struct sockaddr *_Nullable address, int size) {
    return csrt.srt_connect(socket, address, size);
}
static inline int csrt_close(SRTSOCKET socket) { return csrt.srt_close(socket); }
static inline int csrt_send(SRTSOCKET socket, const char *_Nullable bytes, int size) {
    return csrt.srt_send(socket, bytes, size);
}
static inline int csrt_getsndbuffer(SRTSOCKET socket, size_t *packets, size_t *bytes) {
    return csrt.srt_getsndbuffer(socket, packets, bytes);
}
static inline int csrt_bistats(SRTSOCKET socket, SRT_TRACEBSTATS *statistics, int clears, int is_instantaneous) {
    return csrt.srt_bistats(socket, statistics, clears, is_instantaneous);
}
static inline SRT_SOCKSTATUS csrt_getsockstate(SRTSOCKET socket) { return csrt.srt_getsockstate(socket); }
static inline int csrt_getrejectreason(SRTSOCKET socket) { return csrt.srt_getrejectreason(socket); }
static inline int csrt_getsockflag(SRTSOCKET socket, SRT_SOCKOPT option, void *value, int *size) {
    return csrt.srt_getsockflag(socket, option, value, size);
}
static inline int csrt_setsockflag(SRTSOCKET socket, SRT_SOCKOPT option, const void *_Nullable value, int size) {
    return csrt.srt_setsockflag(socket, option, value, size);
}
/* The error of the last call of this thread. */
static inline int csrt_getlasterror(void) { return csrt.srt_getlasterror(NULL); }
static inline const char *csrt_getlasterror_str(void) { return csrt.srt_getlasterror_str(); }

#pragma clang assume_nonnull end

#endif

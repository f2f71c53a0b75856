/*
 * libpulse's asynchronous API. It is opened at run time: extensions, and commands that record no sound, need neither it
 * nor what it needs. `cpulse_NAME` stands for `pa_NAME`. Call `cpulse_open` before any of them.
 */
#ifndef CPULSE_H
#define CPULSE_H

#include <pulse/pulseaudio.h>
#include <stdbool.h>

#include "CLateLibrary.h"

/* Opens libpulse the first time, on any thread. It stays open. Returns false if it cannot be opened, also after that. */
bool cpulse_open(void);

/* The name of its file. */
extern const char *const cpulse_name;

#define CPULSE_FUNCTIONS(X)                                                                                            \
    X(pa_context_connect)                                                                                              \
    X(pa_context_disconnect)                                                                                           \
    X(pa_context_errno)                                                                                                \
    X(pa_context_get_server_info)                                                                                      \
    X(pa_context_get_sink_info_by_name)                                                                                \
    X(pa_context_get_sink_info_list)                                                                                   \
    X(pa_context_get_sink_input_info_list)                                                                             \
    X(pa_context_get_source_info_list)                                                                                 \
    X(pa_context_get_state)                                                                                            \
    X(pa_context_new)                                                                                                  \
    X(pa_context_set_state_callback)                                                                                   \
    X(pa_context_set_subscribe_callback)                                                                               \
    X(pa_context_subscribe)                                                                                            \
    X(pa_context_unref)                                                                                                \
    X(pa_get_library_version)                                                                                          \
    X(pa_mainloop_dispatch)                                                                                            \
    X(pa_mainloop_free)                                                                                                \
    X(pa_mainloop_get_api)                                                                                             \
    X(pa_mainloop_new)                                                                                                 \
    X(pa_mainloop_poll)                                                                                                \
    X(pa_mainloop_prepare)                                                                                             \
    X(pa_operation_cancel)                                                                                             \
    X(pa_operation_unref)                                                                                              \
    X(pa_proplist_gets)                                                                                                \
    X(pa_stream_connect_record)                                                                                        \
    X(pa_stream_disconnect)                                                                                            \
    X(pa_stream_drop)                                                                                                  \
    X(pa_stream_get_device_name)                                                                                       \
    X(pa_stream_get_latency)                                                                                           \
    X(pa_stream_get_state)                                                                                             \
    X(pa_stream_new)                                                                                                   \
    X(pa_stream_peek)                                                                                                  \
    X(pa_stream_readable_size)                                                                                         \
    X(pa_stream_set_monitor_stream)                                                                                    \
    X(pa_stream_set_read_callback)                                                                                     \
    X(pa_stream_set_state_callback)                                                                                    \
    X(pa_stream_unref)                                                                                                 \
    X(pa_strerror)

struct cpulse_functions {
    CPULSE_FUNCTIONS(CLATELIBRARY_DECLARE)
};
extern struct cpulse_functions cpulse;

/* A function with its result, its name and the types of its parameters. */
#define CPULSE_CALL0(result, name)                                                                                     \
    static inline result cpulse_##name(void) { return cpulse.pa_##name(); }
#define CPULSE_CALL1(result, name, A)                                                                                  \
    static inline result cpulse_##name(A a) { return cpulse.pa_##name(a); }
#define CPULSE_CALL2(result, name, A, B)                                                                               \
    static inline result cpulse_##name(A a, B b) { return cpulse.pa_##name(a, b); }
#define CPULSE_CALL3(result, name, A, B, C)                                                                            \
    static inline result cpulse_##name(A a, B b, C c) { return cpulse.pa_##name(a, b, c); }
#define CPULSE_CALL4(result, name, A, B, C, D)                                                                         \
    static inline result cpulse_##name(A a, B b, C c, D d) { return cpulse.pa_##name(a, b, c, d); }

CPULSE_CALL4(int, context_connect, pa_context *, const char *, pa_context_flags_t, const pa_spawn_api *)
CPULSE_CALL1(void, context_disconnect, pa_context *)
CPULSE_CALL1(int, context_errno, const pa_context *)
CPULSE_CALL3(pa_operation *, context_get_server_info, pa_context *, pa_server_info_cb_t, void *)
CPULSE_CALL4(pa_operation *, context_get_sink_info_by_name, pa_context *, const char *, pa_sink_info_cb_t, void *)
CPULSE_CALL3(pa_operation *, context_get_sink_info_list, pa_context *, pa_sink_info_cb_t, void *)
CPULSE_CALL3(pa_operation *, context_get_sink_input_info_list, pa_context *, pa_sink_input_info_cb_t, void *)
CPULSE_CALL3(pa_operation *, context_get_source_info_list, pa_context *, pa_source_info_cb_t, void *)
CPULSE_CALL1(pa_context_state_t, context_get_state, const pa_context *)
CPULSE_CALL2(pa_context *, context_new, pa_mainloop_api *, const char *)
CPULSE_CALL3(void, context_set_state_callback, pa_context *, pa_context_notify_cb_t, void *)
CPULSE_CALL3(void, context_set_subscribe_callback, pa_context *, pa_context_subscribe_cb_t, void *)
CPULSE_CALL4(pa_operation *, context_subscribe, pa_context *, pa_subscription_mask_t, pa_context_success_cb_t, void *)
CPULSE_CALL1(void, context_unref, pa_context *)
CPULSE_CALL0(const char *, get_library_version)
CPULSE_CALL1(int, mainloop_dispatch, pa_mainloop *)
CPULSE_CALL1(void, mainloop_free, pa_mainloop *)
CPULSE_CALL1(pa_mainloop_api *, mainloop_get_api, pa_mainloop *)
CPULSE_CALL0(pa_mainloop *, mainloop_new)
CPULSE_CALL1(int, mainloop_poll, pa_mainloop *)
CPULSE_CALL2(int, mainloop_prepare, pa_mainloop *, int)
CPULSE_CALL1(void, operation_cancel, pa_operation *)
CPULSE_CALL1(void, operation_unref, pa_operation *)
CPULSE_CALL2(const char *, proplist_gets, const pa_proplist *, const char *)
CPULSE_CALL4(int, stream_connect_record, pa_stream *, const char *, const pa_buffer_attr *, pa_stream_flags_t)
CPULSE_CALL1(int, stream_disconnect, pa_stream *)
CPULSE_CALL1(int, stream_drop, pa_stream *)
CPULSE_CALL1(const char *, stream_get_device_name, const pa_stream *)
CPULSE_CALL3(int, stream_get_latency, pa_stream *, pa_usec_t *, int *)
CPULSE_CALL1(pa_stream_state_t, stream_get_state, const pa_stream *)
CPULSE_CALL4(pa_stream *, stream_new, pa_context *, const char *, const pa_sample_spec *, const pa_channel_map *)
CPULSE_CALL3(int, stream_peek, pa_stream *, const void **, size_t *)
CPULSE_CALL1(size_t, stream_readable_size, const pa_stream *)
CPULSE_CALL2(int, stream_set_monitor_stream, pa_stream *, uint32_t)
CPULSE_CALL3(void, stream_set_read_callback, pa_stream *, pa_stream_request_cb_t, void *)
CPULSE_CALL3(void, stream_set_state_callback, pa_stream *, pa_stream_notify_cb_t, void *)
CPULSE_CALL1(void, stream_unref, pa_stream *)
CPULSE_CALL1(const char *, strerror, int)

#endif

/*
 * The functions of libpipewire that are looked up at run time, and the stable part of its ABI that they need
 * (pipewire/stream.h, core.h, context.h, thread-loop.h and properties.h of version 0.3.49 and later).
 */
#ifndef PIPEWIRE_FUNCTIONS_H
#define PIPEWIRE_FUNCTIONS_H

#include <spa/buffer/buffer.h>
#include <spa/param/param.h>
#include <spa/pod/pod.h>
#include <spa/utils/dict.h>
#include <spa/utils/hook.h>
#include <stdbool.h>
#include <stdint.h>

struct pw_context;
struct pw_core;
struct pw_loop;
struct pw_properties;
struct pw_proxy;
struct pw_registry;
struct pw_stream;
struct pw_thread_loop;

/* Fields that newer versions add follow these. */
struct pw_buffer {
    struct spa_buffer *buffer;
    void *user_data;
};

enum pw_stream_state {
    PW_STREAM_STATE_ERROR = -1,
    PW_STREAM_STATE_UNCONNECTED = 0,
    PW_STREAM_STATE_CONNECTING = 1,
    PW_STREAM_STATE_PAUSED = 2,
    PW_STREAM_STATE_STREAMING = 3
};

enum {
    PW_STREAM_FLAG_AUTOCONNECT = 1 << 0,
    PW_STREAM_FLAG_MAP_BUFFERS = 1 << 2,
    PW_STREAM_FLAG_DONT_RECONNECT = 1 << 7
};

#define PW_ID_ANY ((uint32_t)0xffffffff)
#define PW_ID_CORE ((uint32_t)0)
#define PW_VERSION_REGISTRY 3

/* Version 0 of each table of events: a newer library does not call what follows. */
struct pw_stream_events {
    uint32_t version;
    void (*destroy)(void *data);
    void (*state_changed)(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error);
    void (*control_info)(void *data, uint32_t id, const void *control);
    void (*io_changed)(void *data, uint32_t id, void *area, uint32_t size);
    void (*param_changed)(void *data, uint32_t id, const struct spa_pod *param);
    void (*add_buffer)(void *data, struct pw_buffer *buffer);
    void (*remove_buffer)(void *data, struct pw_buffer *buffer);
    void (*process)(void *data);
    void (*drained)(void *data);
};

struct pw_core_events {
    uint32_t version;
    void (*info)(void *data, const void *info);
    void (*done)(void *data, uint32_t id, int sequence);
    void (*ping)(void *data, uint32_t id, int sequence);
    void (*error)(void *data, uint32_t id, int sequence, int result, const char *message);
    void (*remove_id)(void *data, uint32_t id);
    void (*bound_id)(void *data, uint32_t id, uint32_t global_id);
    void (*add_mem)(void *data, uint32_t id, uint32_t type, int fd, uint32_t flags);
    void (*remove_mem)(void *data, uint32_t id);
};

struct pw_registry_events {
    uint32_t version;
    void (*global)(
        void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
        const struct spa_dict *properties);
    void (*global_remove)(void *data, uint32_t id);
};

/* The methods of a core and a registry, which are called through their `spa_interface`. */
struct pw_core_methods {
    uint32_t version;
    int (*add_listener)(void *object, struct spa_hook *listener, const struct pw_core_events *events, void *data);
    int (*hello)(void *object, uint32_t version);
    int (*sync)(void *object, uint32_t id, int sequence);
    int (*pong)(void *object, uint32_t id, int sequence);
    int (*error)(void *object, uint32_t id, int sequence, int result, const char *message);
    struct pw_registry *(*get_registry)(void *object, uint32_t version, size_t user_data_size);
};

struct pw_registry_methods {
    uint32_t version;
    int (*add_listener)(void *object, struct spa_hook *listener, const struct pw_registry_events *events, void *data);
};

/* F(result, name, arguments) for each function. */
#define PIPEWIRE_FUNCTIONS(F) \
    F(void, pw_init, (int *argc, char ***argv)) \
    F(struct pw_thread_loop *, pw_thread_loop_new, (const char *name, const struct spa_dict *properties)) \
    F(void, pw_thread_loop_destroy, (struct pw_thread_loop *loop)) \
    F(int, pw_thread_loop_start, (struct pw_thread_loop *loop)) \
    F(void, pw_thread_loop_stop, (struct pw_thread_loop *loop)) \
    F(void, pw_thread_loop_lock, (struct pw_thread_loop *loop)) \
    F(void, pw_thread_loop_unlock, (struct pw_thread_loop *loop)) \
    F(struct pw_loop *, pw_thread_loop_get_loop, (struct pw_thread_loop *loop)) \
    F(struct pw_context *, pw_context_new, \
      (struct pw_loop *loop, struct pw_properties *properties, size_t user_data_size)) \
    F(void, pw_context_destroy, (struct pw_context *context)) \
    F(struct pw_core *, pw_context_connect_fd, \
      (struct pw_context *context, int fd, struct pw_properties *properties, size_t user_data_size)) \
    F(int, pw_core_disconnect, (struct pw_core *core)) \
    F(void, pw_proxy_destroy, (struct pw_proxy *proxy)) \
    F(struct pw_properties *, pw_properties_new, (const char *key, ...)) \
    F(int, pw_properties_setf, (struct pw_properties *properties, const char *key, const char *format, ...)) \
    F(struct pw_stream *, pw_stream_new, (struct pw_core *core, const char *name, struct pw_properties *properties)) \
    F(void, pw_stream_add_listener, \
      (struct pw_stream *stream, struct spa_hook *hook, const struct pw_stream_events *events, void *data)) \
    F(int, pw_stream_connect, \
      (struct pw_stream *stream, uint32_t direction, uint32_t target, uint32_t flags, const struct spa_pod **params, \
       uint32_t count)) \
    F(int, pw_stream_disconnect, (struct pw_stream *stream)) \
    F(void, pw_stream_destroy, (struct pw_stream *stream)) \
    F(int, pw_stream_update_params, (struct pw_stream *stream, const struct spa_pod **params, uint32_t count)) \
    F(struct pw_buffer *, pw_stream_dequeue_buffer, (struct pw_stream *stream)) \
    F(int, pw_stream_queue_buffer, (struct pw_stream *stream, struct pw_buffer *buffer)) \
    F(int, pw_stream_set_active, (struct pw_stream *stream, bool is_active)) \
    F(int, pw_stream_update_properties, (struct pw_stream *stream, const struct spa_dict *dict))

#define PIPEWIRE_POINTER(result, name, arguments) result(*name) arguments;
struct pipewire_functions {
    PIPEWIRE_FUNCTIONS(PIPEWIRE_POINTER)
};
#undef PIPEWIRE_POINTER

/* Returns the functions, or NULL if libpipewire or one of them is missing. */
const struct pipewire_functions *pipewire_load(void);

#endif

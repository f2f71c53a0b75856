#include "COutputs.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <wayland-client.h>

enum { MAXIMUM_OUTPUTS = 64, NAME_VERSION = 4 };

struct output {
    uint32_t global;
    struct wl_output *proxy;
    char name[64];
    uint32_t changes;
};

struct cout_list {
    struct wl_display *display;
    struct wl_registry *registry;
    struct output outputs[MAXIMUM_OUTPUTS];
    size_t count;
};

static struct output *find(cout_list *list, const struct wl_output *proxy) {
    for (size_t index = 0; index < list->count; index++) {
        if (list->outputs[index].proxy == proxy) return &list->outputs[index];
    }
    return NULL;
}

static void on_geometry(
    void *data, struct wl_output *proxy, int32_t x, int32_t y, int32_t width, int32_t height, int32_t subpixel,
    const char *make, const char *model, int32_t transform) {
    (void)data, (void)proxy, (void)x, (void)y, (void)width, (void)height;
    (void)subpixel, (void)make, (void)model, (void)transform;
}

static void on_mode(
    void *data, struct wl_output *proxy, uint32_t flags, int32_t width, int32_t height, int32_t refresh) {
    (void)data, (void)proxy, (void)flags, (void)width, (void)height, (void)refresh;
}

static void on_done(void *data, struct wl_output *proxy) {
    struct output *output = find(data, proxy);
    if (output) output->changes++;
}

static void on_scale(void *data, struct wl_output *proxy, int32_t factor) { (void)data, (void)proxy, (void)factor; }

static void on_name(void *data, struct wl_output *proxy, const char *name) {
    struct output *output = find(data, proxy);
    if (output) strncpy(output->name, name, sizeof output->name - 1);
}

static void on_description(void *data, struct wl_output *proxy, const char *description) {
    (void)data, (void)proxy, (void)description;
}

static const struct wl_output_listener output_listener = {
    .geometry = on_geometry, .mode = on_mode, .done = on_done, .scale = on_scale, .name = on_name,
    .description = on_description};

static void on_global(
    void *data, struct wl_registry *registry, uint32_t global, const char *interface, uint32_t version) {
    cout_list *list = data;
    if (strcmp(interface, wl_output_interface.name) != 0 || list->count == MAXIMUM_OUTPUTS) return;
    uint32_t bound = version < NAME_VERSION ? version : NAME_VERSION;
    struct wl_output *proxy = wl_registry_bind(registry, global, &wl_output_interface, bound);
    if (!proxy) return;
    list->outputs[list->count++] = (struct output){.global = global, .proxy = proxy};
    wl_output_add_listener(proxy, &output_listener, list);
}

static void on_global_remove(void *data, struct wl_registry *registry, uint32_t global) {
    cout_list *list = data;
    (void)registry;
    for (size_t index = 0; index < list->count; index++) {
        if (list->outputs[index].global != global) continue;
        wl_output_destroy(list->outputs[index].proxy);
        list->outputs[index] = list->outputs[--list->count];
        return;
    }
}

static const struct wl_registry_listener registry_listener = {.global = on_global, .global_remove = on_global_remove};

cout_list *cout_open(const char *name) {
    cout_list *list = calloc(1, sizeof *list);
    if (!list) return NULL;
    list->display = wl_display_connect(name);
    list->registry = list->display ? wl_display_get_registry(list->display) : NULL;
    if (!list->registry) {
        cout_close(list);
        return NULL;
    }
    wl_registry_add_listener(list->registry, &registry_listener, list);
    wl_display_flush(list->display);
    return list;
}

void cout_close(cout_list *list) {
    for (size_t index = 0; index < list->count; index++) wl_output_destroy(list->outputs[index].proxy);
    if (list->registry) wl_registry_destroy(list->registry);
    if (list->display) wl_display_disconnect(list->display);
    free(list);
}

bool cout_update(cout_list *list) {
    struct pollfd poller = {.fd = wl_display_get_fd(list->display), .events = POLLIN};
    while (wl_display_prepare_read(list->display) != 0) {
        if (wl_display_dispatch_pending(list->display) < 0) return false;
    }
    if (poll(&poller, 1, 0) > 0) {
        if (wl_display_read_events(list->display) < 0) return false;
    } else {
        wl_display_cancel_read(list->display);
    }
    if (wl_display_dispatch_pending(list->display) < 0) return false;
    /* A full socket is no error: the rest is sent with the next update. */
    return wl_display_flush(list->display) >= 0 || errno == EAGAIN;
}

size_t cout_count(const cout_list *list) { return list->count; }

const char *cout_name(const cout_list *list, size_t index) { return list->outputs[index].name; }

uint32_t cout_changes(const cout_list *list, size_t index) { return list->outputs[index].changes; }

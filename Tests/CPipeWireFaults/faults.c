#include "CPipeWireFaults.h"

#include "../../Sources/System/CPipeWire/pipewire_functions.h"

#include <malloc.h>
#include <unistd.h>

enum { DELAY_MICROSECONDS = 100000 };

static struct pipewire_functions original;

static void late_destroy(struct pw_stream *stream) {
    usleep(DELAY_MICROSECONDS);
    original.pw_stream_destroy(stream);
}

static int late_disconnect(struct pw_stream *stream) {
    usleep(DELAY_MICROSECONDS);
    return original.pw_stream_disconnect(stream);
}

bool cpwf_delay_ends(bool is_on) {
    /* Only code that is not a test takes the table for constant. */
    struct pipewire_functions *functions = (struct pipewire_functions *)pipewire_load();
    if (!functions) return false;
    if (!original.pw_stream_destroy) original = *functions;
    functions->pw_stream_destroy = is_on ? late_destroy : original.pw_stream_destroy;
    functions->pw_stream_disconnect = is_on ? late_disconnect : original.pw_stream_disconnect;
    mallopt(M_PERTURB, is_on ? 0xA5 : 0);
    return true;
}

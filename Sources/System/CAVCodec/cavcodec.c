#include "CAVCodec.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>

const char *const cavcodec_name = "libavcodec.so." AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR);

static struct cavcodec_functions functions;
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    void *library = dlopen(cavcodec_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    /* dlsym also finds the functions of libavutil, on which the library depends. */
#define FIND(name) if (!(functions.name = (__typeof__(name) *)dlsym(library, #name))) return;
    CAVCODEC_FUNCTIONS(FIND)
#undef FIND
    is_open = true;
}

const struct cavcodec_functions *cavcodec_open(void) {
    pthread_once(&once, open_library);
    return is_open ? &functions : NULL;
}

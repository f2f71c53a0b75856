#include "CSRT.h"

#include <dlfcn.h>
#include <pthread.h>

#define CSRT_TEXT(number) #number
#define CSRT_NAME(major, minor) "libsrt.so." CSRT_TEXT(major) "." CSRT_TEXT(minor)
const char *const csrt_name = CSRT_NAME(SRT_VERSION_MAJOR, SRT_VERSION_MINOR);

struct csrt_functions csrt;
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    void *library = dlopen(csrt_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(name) if (!(csrt.name = (__typeof__(name) *)dlsym(library, #name))) return;
    CSRT_FUNCTIONS(FIND)
#undef FIND
    is_open = true;
}

bool csrt_open(void) {
    pthread_once(&once, open_library);
    return is_open;
}

#include "CPulse.h"

#include <dlfcn.h>
#include <pthread.h>

/* The ABI of libpulse has not changed since 2009. */
const char *const cpulse_name = "libpulse.so.0";

struct cpulse_functions cpulse;
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    void *library = dlopen(cpulse_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(name) if (!(cpulse.name = (__typeof__(name) *)dlsym(library, #name))) return;
    CPULSE_FUNCTIONS(FIND)
#undef FIND
    is_open = true;
}

bool cpulse_open(void) {
    pthread_once(&once, open_library);
    return is_open;
}

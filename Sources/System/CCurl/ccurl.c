#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>

/* The ABI of libcurl has not changed since 2006. */
const char *const ccurl_name = "libcurl.so.4";

struct ccurl_functions ccurl;
static bool is_open;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void open_library(void) {
    void *library = dlopen(ccurl_name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(name) if (!(ccurl.name = (__typeof__(name) *)dlsym(library, #name))) return;
    CCURL_FUNCTIONS(FIND)
#undef FIND
    is_open = true;
}

bool ccurl_open(void) {
    pthread_once(&once, open_library);
    return is_open;
}

#include "pipewire_functions.h"

#include "CPipeWire.h"

#include <dlfcn.h>
#include <pthread.h>

static struct pipewire_functions functions;
static bool is_loaded;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
#define FIND(result, name, arguments) \
    if (!(functions.name = (result(*) arguments)dlsym(library, #name))) return;
    PIPEWIRE_FUNCTIONS(FIND)
#undef FIND
    functions.pw_init(NULL, NULL);
    is_loaded = true;
}

const struct pipewire_functions *pipewire_load(void) {
    pthread_once(&once, load);
    return is_loaded ? &functions : NULL;
}

bool cpw_is_available(void) {
    return pipewire_load() != NULL;
}

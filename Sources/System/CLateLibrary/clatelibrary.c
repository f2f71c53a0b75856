#include "CLateLibrary.h"

#include <dlfcn.h>
#include <string.h>

bool clatelibrary_open(const char *library, const char *const *functions, size_t count, void *table) {
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) return false;
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(handle, functions[i]);
        if (!address) return false;
        memcpy((char *)table + i * sizeof address, &address, sizeof address);
    }
    return true;
}

#include "CSecret.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* The stable ABI of libsecret-1.so.0 and libglib-2.0.so.0 (libsecret/secret-schema.h, glib/gerror.h, glib/glist.h). */
typedef struct {
    const char *name;
    int type;
} schema_attribute;

typedef struct {
    const char *name;
    int flags;
    schema_attribute attributes[32];
    int reserved;
    void *reserved_pointers[7];
} secret_schema;

typedef struct g_list {
    void *data;
    struct g_list *next;
    struct g_list *previous;
} g_list;

/* SECRET_SCHEMA_NONE, SECRET_SCHEMA_ATTRIBUTE_STRING and SECRET_SEARCH_ALL. */
enum { schema_none = 0, attribute_string = 0, search_all = 1 << 1 };

static const secret_schema schema = {
    .name = "broadcast.Credential",
    .flags = schema_none,
    .attributes = {{"destination", attribute_string}, {"key", attribute_string}},
};

static void *function(const char *name) {
    static void *library;
    if (!library) library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

/*
 * The functions below end their attributes with a null pointer and store a GError in `error`. It is not freed, because
 * the process exits soon.
 */
typedef int (*store_function)(const secret_schema *, const char *, const char *, const char *, void *, void **, ...);
typedef g_list *(*search_function)(const secret_schema *, int, void *, void **, ...);
typedef char *(*lookup_function)(const secret_schema *, void *, void **, ...);
typedef int (*clear_function)(const secret_schema *, void *, void **, ...);
typedef void *(*attributes_function)(void *);
typedef const char *(*table_function)(void *, const void *);

csecret_status csecret_store(const char *label, const char *destination, const char *key, const char *secret) {
    store_function store = (store_function)function("secret_password_store_sync");
    if (!store) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    int stored = store(&schema, NULL, label, secret, NULL, &error, "destination", destination, "key", key, NULL);
    return stored && !error ? CSECRET_OK : CSECRET_UNAVAILABLE;
}

csecret_status csecret_find(const char *destination, const char *key) {
    search_function search = (search_function)function("secret_password_search_sync");
    if (!search) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    g_list *found = search(&schema, search_all, NULL, &error, "destination", destination, "key", key, NULL);
    if (error) return CSECRET_UNAVAILABLE;
    return found ? CSECRET_OK : CSECRET_ABSENT;
}

csecret_status csecret_lookup(const char *destination, const char *key, char **secret) {
    lookup_function lookup = (lookup_function)function("secret_password_lookup_sync");
    if (!lookup) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    char *found = lookup(&schema, NULL, &error, "destination", destination, "key", key, NULL);
    if (error) return CSECRET_UNAVAILABLE;
    if (!found) return CSECRET_ABSENT;
    *secret = strdup(found);
    return *secret ? CSECRET_OK : CSECRET_UNAVAILABLE;
}

csecret_status csecret_clear(const char *destination) {
    clear_function clear = (clear_function)function("secret_password_clear_sync");
    if (!clear) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    int removed = clear(&schema, NULL, &error, "destination", destination, NULL);
    if (error) return CSECRET_UNAVAILABLE;
    return removed ? CSECRET_OK : CSECRET_ABSENT;
}

csecret_status csecret_list(void (*visit)(const char *destination, void *context), void *context) {
    search_function search = (search_function)function("secret_password_search_sync");
    attributes_function attributes = (attributes_function)function("secret_retrievable_get_attributes");
    table_function value = (table_function)function("g_hash_table_lookup");
    if (!search || !attributes || !value) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    g_list *found = search(&schema, search_all, NULL, &error, NULL);
    if (error) return CSECRET_UNAVAILABLE;
    for (g_list *item = found; item; item = item->next) {
        void *table = attributes(item->data);
        const char *destination = table ? value(table, "destination") : NULL;
        if (destination) visit(destination, context);
    }
    return CSECRET_OK;
}

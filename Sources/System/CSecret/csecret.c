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

/* SECRET_SCHEMA_NONE, SECRET_SCHEMA_DONT_MATCH_NAME, SECRET_SCHEMA_ATTRIBUTE_STRING. */
enum { schema_none = 0, schema_any_name = 1 << 1, attribute_string = 0 };
/* SECRET_SEARCH_ALL, SECRET_SEARCH_UNLOCK. */
enum { search_all = 1 << 1, search_unlock = 1 << 2 };

static const secret_schema schema = {
    .name = "broadcast.Credential",
    .flags = schema_none,
    .attributes = {{"destination", attribute_string}, {"key", attribute_string}},
};

/*
 * For searches in locked collections. GNOME Keyring stores only hashes of the attributes outside the encrypted part,
 * and after a restart it does not find an item by its schema until the collection is unlocked.
 */
static const secret_schema schema_of_any_name = {
    .name = "broadcast.Credential",
    .flags = schema_any_name,
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
typedef int (*locked_function)(void *);
typedef void *(*service_function)(int, void *, void **);
typedef void *(*collection_function)(void *, const char *, int, void *, void **);

csecret_status csecret_store(const char *label, const char *destination, const char *key, const char *secret) {
    store_function store = (store_function)function("secret_password_store_sync");
    if (!store) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    int stored = store(&schema, NULL, label, secret, NULL, &error, "destination", destination, "key", key, NULL);
    return stored && !error ? CSECRET_OK : CSECRET_UNAVAILABLE;
}

/* Items with these attributes, of any schema; all keys if `key` is empty. Returns NULL with `error` or without. */
static g_list *search_any(const char *destination, const char *key, int flags, void **error) {
    search_function search = (search_function)function("secret_password_search_sync");
    if (!search) {
        *error = (void *)&schema;
        return NULL;
    }
    if (key[0]) return search(&schema_of_any_name, flags, NULL, error, "destination", destination, "key", key, NULL);
    return search(&schema_of_any_name, flags, NULL, error, "destination", destination, NULL);
}

csecret_status csecret_find(const char *destination, const char *key) {
    void *error = NULL;
    g_list *found = search_any(destination, key, search_all, &error);
    if (error) return CSECRET_UNAVAILABLE;
    return found ? CSECRET_OK : CSECRET_ABSENT;
}

csecret_status csecret_unlock(const char *destination, const char *key) {
    locked_function is_locked = (locked_function)function("secret_item_get_locked");
    void *error = NULL;
    g_list *found = search_any(destination, key, search_all | search_unlock, &error);
    if (error || !is_locked) return CSECRET_UNAVAILABLE;
    for (g_list *item = found; item; item = item->next) {
        if (is_locked(item->data)) return CSECRET_UNAVAILABLE;
    }
    return found ? CSECRET_OK : CSECRET_ABSENT;
}

csecret_status csecret_state(void) {
    service_function get = (service_function)function("secret_service_get_sync");
    collection_function collection = (collection_function)function("secret_collection_for_alias_sync");
    locked_function is_locked = (locked_function)function("secret_collection_get_locked");
    if (!get || !collection || !is_locked) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    void *service = get(0, NULL, &error);
    if (!service || error) return CSECRET_UNAVAILABLE;
    /* SECRET_COLLECTION_DEFAULT. */
    void *standard = collection(service, "default", 0, NULL, &error);
    if (error) return CSECRET_UNAVAILABLE;
    return standard && !is_locked(standard) ? CSECRET_OK : CSECRET_ABSENT;
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

csecret_status csecret_clear(const char *destination, const char *key) {
    clear_function clear = (clear_function)function("secret_password_clear_sync");
    if (!clear) return CSECRET_UNAVAILABLE;
    void *error = NULL;
    int removed = key[0] ? clear(&schema, NULL, &error, "destination", destination, "key", key, NULL)
                         : clear(&schema, NULL, &error, "destination", destination, NULL);
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

/*
 * libcurl: HTTP requests on a multi handle. It is opened at run time, because only two extensions use it, and it needs 30
 * other libraries. `ccurl_NAME` stands for `curl_NAME`, and for variadic functions, which Swift does not import. Call
 * `ccurl_open` before any of them.
 */
#ifndef CCURL_H
#define CCURL_H

#include <curl/curl.h>
#include <stdbool.h>

#include "CLateLibrary.h"

#pragma clang assume_nonnull begin

/* Opens libcurl the first time, on any thread. It stays open. Returns false if it cannot be opened, also after that. */
bool ccurl_open(void);

/* The name of the library that the headers belong to. */
extern const char *const ccurl_name;

#define CCURL_FUNCTIONS(X)                                                                                             \
    X(curl_easy_cleanup)                                                                                               \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_setopt)                                                                                                \
    X(curl_global_init)                                                                                                \
    X(curl_multi_add_handle)                                                                                           \
    X(curl_multi_cleanup)                                                                                              \
    X(curl_multi_info_read)                                                                                            \
    X(curl_multi_init)                                                                                                 \
    X(curl_multi_perform)                                                                                              \
    X(curl_multi_poll)                                                                                                 \
    X(curl_multi_remove_handle)                                                                                        \
    X(curl_multi_wakeup)                                                                                               \
    X(curl_slist_append)                                                                                               \
    X(curl_slist_free_all)                                                                                             \
    X(curl_version_info)

/* curl.h has macros of these names, which check types and call the functions of these names. */
#undef curl_easy_getinfo
#undef curl_easy_setopt

struct ccurl_functions {
    CCURL_FUNCTIONS(CLATELIBRARY_DECLARE)
};
extern struct ccurl_functions ccurl;

static inline CURLcode ccurl_global_init(long flags) { return ccurl.curl_global_init(flags); }
static inline CURL *_Nullable ccurl_easy_init(void) { return ccurl.curl_easy_init(); }
static inline void ccurl_easy_cleanup(CURL *easy) { ccurl.curl_easy_cleanup(easy); }
static inline CURLM *_Nullable ccurl_multi_init(void) { return ccurl.curl_multi_init(); }
static inline CURLMcode ccurl_multi_add_handle(CURLM *multi, CURL *easy) {
    return ccurl.curl_multi_add_handle(multi, easy);
}
static inline CURLMcode ccurl_multi_remove_handle(CURLM *multi, CURL *easy) {
    return ccurl.curl_multi_remove_handle(multi, easy);
}
/* `count` receives the number of requests that are not complete. */
static inline CURLMcode ccurl_multi_perform(CURLM *multi, int *count) { return ccurl.curl_multi_perform(multi, count); }
/* `count` receives the number of messages that are left. */
static inline CURLMsg *_Nullable ccurl_multi_info_read(CURLM *multi, int *count) {
    return ccurl.curl_multi_info_read(multi, count);
}
/* Waits for a descriptor of a request, for `ccurl_multi_wakeup`, or for the time. */
static inline CURLMcode ccurl_multi_poll(CURLM *multi, int milliseconds) {
    return ccurl.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
static inline CURLMcode ccurl_multi_wakeup(CURLM *multi) { return ccurl.curl_multi_wakeup(multi); }
static inline CURLMcode ccurl_multi_cleanup(CURLM *multi) { return ccurl.curl_multi_cleanup(multi); }
static inline struct curl_slist *_Nullable ccurl_slist_append(struct curl_slist *_Nullable list, const char *line) {
    return ccurl.curl_slist_append(list, line);
}
static inline void ccurl_slist_free_all(struct curl_slist *_Nullable list) { ccurl.curl_slist_free_all(list); }

/* Takes `size * count` bytes, and returns how many it has taken. */
typedef size_t (*ccurl_data_function)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable user);
/* Changes the SSL_CTX of a new connection. */
typedef CURLcode (*ccurl_context_function)(CURL *_Nullable easy, void *_Nullable context, void *_Nullable user);

/* curl_easy_setopt for each type of values. */
static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_text(CURL *easy, CURLoption option, const char *_Nullable value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, const void *_Nullable value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_data(CURL *easy, CURLoption option, ccurl_data_function value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_context(CURL *easy, CURLoption option,
                                         ccurl_context_function value) {
    return ccurl.curl_easy_setopt(easy, option, value);
}

/* Lets a request end while the system still resolves a name: otherwise libcurl waits for its thread, and all other
   requests of the multi handle wait too. Before version 7.87, libcurl always waits. */
static inline void ccurl_leave_resolver(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    ccurl.curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* Limits the authentication at a SOCKS proxy to a user name and a password (RFC 1929). */
static inline CURLcode ccurl_limit_socks5(CURL *easy) {
    return ccurl.curl_easy_setopt(easy, CURLOPT_SOCKS5_AUTH, (long)CURLAUTH_BASIC);
}

static inline const char *ccurl_version(void) { return ccurl.curl_version_info(CURLVERSION_NOW)->version; }

/* The names and versions of the TLS libraries, for example "OpenSSL/3.0.2"; NULL without TLS. */
static inline const char *_Nullable ccurl_tls_libraries(void) {
    return ccurl.curl_version_info(CURLVERSION_NOW)->ssl_version;
}

/* curl_easy_getinfo for each type of values. The value does not change on failure. */
static inline void ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    ccurl.curl_easy_getinfo(easy, info, value);
}
static inline void ccurl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    ccurl.curl_easy_getinfo(easy, info, value);
}
static inline void ccurl_get_double(CURL *easy, CURLINFO info, double *value) {
    ccurl.curl_easy_getinfo(easy, info, value);
}

/* The result in a message of type CURLMSG_DONE. */
static inline CURLcode ccurl_result(const CURLMsg *message) { return message->data.result; }

#pragma clang assume_nonnull end

#endif

/* libcurl: HTTP requests on a multi handle. The functions stand for variadic ones, which Swift does not import. */
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>

/* Takes `size * count` bytes, and returns how many it has taken. */
typedef size_t (*ccurl_data_function)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable user);
/* Changes the SSL_CTX of a new connection. */
typedef CURLcode (*ccurl_context_function)(CURL *_Nullable easy, void *_Nullable context, void *_Nullable user);

/* curl_easy_setopt for each type of values. */
static inline CURLcode ccurl_set_long(CURL *_Nonnull easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_size(CURL *_Nonnull easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_text(CURL *_Nonnull easy, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *_Nonnull easy, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_data(CURL *_Nonnull easy, CURLoption option, ccurl_data_function _Nonnull value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode ccurl_set_context(CURL *_Nonnull easy, CURLoption option,
                                         ccurl_context_function _Nonnull value) {
    return curl_easy_setopt(easy, option, value);
}

/* Lets a request end while the system still resolves a name: otherwise libcurl waits for its thread, and all other
   requests of the multi handle wait too. Before version 7.87, libcurl always waits. */
static inline void ccurl_leave_resolver(CURL *_Nonnull easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/* Limits the authentication at a SOCKS proxy to a user name and a password (RFC 1929). */
static inline CURLcode ccurl_limit_socks5(CURL *_Nonnull easy) {
    return curl_easy_setopt(easy, CURLOPT_SOCKS5_AUTH, (long)CURLAUTH_BASIC);
}

/* The names and versions of the TLS libraries, for example "OpenSSL/3.0.2"; NULL without TLS. */
static inline const char *_Nullable ccurl_tls_libraries(void) {
    return curl_version_info(CURLVERSION_NOW)->ssl_version;
}

/* curl_easy_getinfo for each type of values. The value does not change on failure. */
static inline void ccurl_get_long(CURL *_Nonnull easy, CURLINFO info, long *_Nonnull value) {
    curl_easy_getinfo(easy, info, value);
}
static inline void ccurl_get_size(CURL *_Nonnull easy, CURLINFO info, curl_off_t *_Nonnull value) {
    curl_easy_getinfo(easy, info, value);
}
static inline void ccurl_get_double(CURL *_Nonnull easy, CURLINFO info, double *_Nonnull value) {
    curl_easy_getinfo(easy, info, value);
}

/* The result in a message of type CURLMSG_DONE. */
static inline CURLcode ccurl_result(const CURLMsg *_Nonnull message) { return message->data.result; }

#endif

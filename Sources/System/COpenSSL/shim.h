/* OpenSSL 3: TLS on memory BIOs. The functions stand for macros, which Swift does not import. */
#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/srtp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#if OPENSSL_VERSION_MAJOR < 3
#error "OpenSSL 3 or later is required"
#endif

/* Initializes the library without its handler of exit(3), which would free what other threads still use. */
static inline int copenssl_initialize(void) {
    return OPENSSL_init_ssl(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/* Rejects versions before TLS 1.2, and those before the minimum that the system's configuration has set already. Returns
   1 on success. */
static inline int copenssl_require_tls12(SSL_CTX *_Nonnull context) {
    if (SSL_CTX_get_min_proto_version(context) >= TLS1_2_VERSION) return 1;
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/* Refuses renegotiation, and frees the buffers of idle connections. */
static inline void copenssl_set_options(SSL_CTX *_Nonnull context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

/* Sets the name that the client sends (SNI). Returns 1 on success. */
static inline int copenssl_set_server_name(SSL *_Nonnull ssl, const char *_Nonnull name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}

/* A memory BIO that asks to try again when it is empty, instead of reporting an end. Returns NULL without memory. */
static inline BIO *_Nullable copenssl_new_memory(void) {
    BIO *memory = BIO_new(BIO_s_mem());
    if (memory) BIO_set_mem_eof_return(memory, -1);
    return memory;
}

/* The reason code of an error (SSL_R_…) if the error is one of libssl, otherwise 0. */
static inline int copenssl_tls_reason(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_SSL ? ERR_GET_REASON(error) : 0;
}

/* Whether an error of SSL_CTX_use_PrivateKey_file is that the key is not that of the certificate. */
static inline int copenssl_is_key_mismatch(unsigned long error) {
    int reason = ERR_GET_REASON(error);
    return ERR_GET_LIB(error) == ERR_LIB_X509
        && (reason == X509_R_KEY_VALUES_MISMATCH || reason == X509_R_KEY_TYPE_MISMATCH);
}

/* Whether an error of PEM_read_bio_X509 is only the end of the file. */
static inline int copenssl_is_end_of_pem(unsigned long error) {
    return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

/* A new key of the curve P-256; NULL on failure. */
static inline EVP_PKEY *_Nullable copenssl_new_p256_key(void) { return EVP_EC_gen("P-256"); }

/* The size of the largest datagram that DTLS makes, without asking the socket. */
static inline void copenssl_set_datagram_size(SSL *_Nonnull ssl, long size) {
    SSL_set_options(ssl, SSL_OP_NO_QUERY_MTU);
    SSL_set_mtu(ssl, size);
}

/* Sends again what DTLS has waited for in vain, if its time has come. Returns a negative value if it has given up. */
static inline int copenssl_handle_timeout(SSL *_Nonnull ssl) { return (int)DTLSv1_handle_timeout(ssl); }

/* The time in microseconds until `copenssl_handle_timeout` must be called, or a negative value. */
static inline long copenssl_timeout(SSL *_Nonnull ssl) {
    struct timeval left;
    return DTLSv1_get_timeout(ssl, &left) ? left.tv_sec * 1000000L + left.tv_usec : -1;
}

/* Sets the one name of a certificate, and signs it itself. Returns 1 on success. */
static inline int copenssl_sign_certificate(X509 *_Nonnull certificate, EVP_PKEY *_Nonnull key, const char *_Nonnull name) {
    X509_NAME *subject = X509_get_subject_name(certificate);
    return X509_set_version(certificate, 2) == 1 && X509_set_pubkey(certificate, key) == 1
        && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, (const unsigned char *)name, -1, -1, 0) == 1
        && X509_set_issuer_name(certificate, subject) == 1 && X509_sign(certificate, key, EVP_sha256()) > 0;
}

#endif

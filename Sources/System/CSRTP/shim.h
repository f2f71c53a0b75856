/* libsrtp 2: RTP and RTCP with encryption (RFC 3711). */
#ifndef CSRTP_SHIM_H
#define CSRTP_SHIM_H

#include <srtp2/srtp.h>
#include <string.h>

/* Makes a session of SRTP_AES128_CM_HMAC_SHA1_80 for every source of one direction. `key` has 30 bytes: the key and the
   salt. Returns NULL on failure. */
static inline srtp_t _Nullable csrtp_new_session(const unsigned char *_Nonnull key, int is_outbound) {
    srtp_policy_t policy;
    memset(&policy, 0, sizeof policy);
    srtp_crypto_policy_set_rtp_default(&policy.rtp);
    srtp_crypto_policy_set_rtcp_default(&policy.rtcp);
    policy.ssrc.type = is_outbound ? ssrc_any_outbound : ssrc_any_inbound;
    policy.key = (unsigned char *)key;
    policy.window_size = 1024;
    /* A packet that is sent again without RTX has its old number. */
    policy.allow_repeat_tx = 1;
    srtp_t session = NULL;
    return srtp_create(&session, &policy) == srtp_err_status_ok ? session : NULL;
}

#endif

/* libopus: the audio codec of WebRTC (RFC 6716). The functions stand for variadic ones, which Swift does not import. */
#ifndef COPUS_SHIM_H
#define COPUS_SHIM_H

#include <opus.h>

/* Sets the bitrate in bit/s and the effort from 0 to 10. Returns OPUS_OK on success. */
static inline int copus_set(OpusEncoder *_Nonnull encoder, int bitrate, int complexity) {
    int result = opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bitrate));
    return result == OPUS_OK ? opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity)) : result;
}

/* The number of samples at 48 kHz by which the encoder delays the sound. */
static inline int copus_lookahead(OpusEncoder *_Nonnull encoder, int sample_rate) {
    opus_int32 samples = 0;
    return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(&samples)) == OPUS_OK ? samples * (48000 / sample_rate) : 0;
}

#endif

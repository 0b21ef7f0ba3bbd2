/* SPDX-License-Identifier: MIT */
/* coder_delta.h — compresses bytes with the help of others that the client has: dcz (RFC 9842 section 5), which is zstd
 * with a dictionary, after a head that names it by its SHA-256. */
#ifndef FARMSTEAD_CODER_DELTA_H
#define FARMSTEAD_CODER_DELTA_H

#include "coding/coder.h"

#define CODER_DICTIONARY_HASH_BYTES 32
#define CODER_DELTA_HEAD_BYTES (8 + CODER_DICTIONARY_HASH_BYTES)

struct coder_dictionary {
    struct span bytes;
    unsigned char hash[CODER_DICTIONARY_HASH_BYTES]; /* their SHA-256 */
};

/* As coder_compress(), head and all. What the result refers to is at most as far away as every client
 * has to remember: 8 MiB, or 1.25 times the dictionary. */
enum coder_end coder_delta(int level, const struct coder_dictionary *dictionary, struct span in,
                           char *out, size_t cap, size_t *len, const atomic_bool *stop);

/* As coder_mark(). */
uint32_t coder_delta_mark(int level);

#endif

/* SPDX-License-Identifier: MIT */
/* copy_dictionary.h — the bytes of a file that a client has, with whose help another is compressed for it. */
#ifndef FARMSTEAD_COPY_DICTIONARY_H
#define FARMSTEAD_COPY_DICTIONARY_H

#include "coding/coder_delta.h"

/* Where it is, and what it must be: whoever names it by its hash has exactly these bytes. */
struct copy_dictionary {
    const char *folder; /* an absolute path */
    char *path;         /* below it, with a '/' before it */
    unsigned char hash[CODER_DICTIONARY_HASH_BYTES];
};

/* Reads its bytes, which the caller frees. NULL: it is not there, is longer than CODER_MAX_BYTES, or has other bytes by now. Waits
 * for the disk and computes: threads of a lane only. */
char *copy_dictionary_read(struct coder_dictionary *out, const struct copy_dictionary *dictionary);

#endif

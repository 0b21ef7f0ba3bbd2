/* SPDX-License-Identifier: MIT */
/* release_content.h — a content on its way into the store: compared with its digest while it is written. */
#ifndef FARMSTEAD_RELEASE_CONTENT_H
#define FARMSTEAD_RELEASE_CONTENT_H

#include "release/release_store.h"

#include <openssl/evp.h>

struct release_content {
    char sha256[RELEASE_SHA256_LEN + 1];
    uint64_t size; /* that it is to have, or at most has */
    uint64_t done;
    int fd; /* -1: none is under way */
    EVP_MD_CTX *sum;
    bool goes_on; /* from what an earlier try left, of which nobody knows whether it is right */
};

/* 0, or -1 with errno. Only what has begun is to be ended. */
int release_content_begin(struct release_content *content, const struct release_store *store,
                          const char *sha256, uint64_t size);
/* The same, and `done` is what an earlier try has left of it, even before a restart (release_content_leave). */
int release_content_go_on(struct release_content *content, const struct release_store *store,
                          const char *sha256, uint64_t size);
/* 0, or -1 with errno; EFBIG: it is longer than it is to be. */
int release_content_put(struct release_content *content, const char *bytes, size_t len);
/* All bytes have come. True: they are the right ones, and wait for release_content_publish(); else they are
 * thrown away. */
bool release_content_end(struct release_content *content, const struct release_store *store);
/* Ends `sum`: do the bytes that it was given have that digest? */
bool release_content_has_digest(EVP_MD_CTX *sum, const char *sha256);
void release_content_drop(struct release_content *content, const struct release_store *store);
/* The same, but what has come of a large one stays for release_content_go_on(): of one content, the last. It goes when
 * another release is confirmed. */
void release_content_leave(struct release_content *content, struct release_store *store);

/* Has what was ended on the disk, then gives each its name, also in trees that have a file that was called so and
 * was wrong. 0, or -1 with errno; some may have it. */
int release_content_publish(struct release_store *store, char (*names)[RELEASE_SHA256_LEN + 1],
                            size_t count);

#endif

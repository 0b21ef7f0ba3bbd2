/* SPDX-License-Identifier: MIT */
/* site_copies.h — which files of a set's sites are compressed, how, and where their copies are. */
#ifndef FARMSTEAD_SITE_COPIES_H
#define FARMSTEAD_SITE_COPIES_H

#include "coding/coder_delta.h"
#include "files/file_place.h"
#include "http/http_coding.h"

#define SITE_COPIES_LABEL 24

/* How a file is compressed to one coding. */
struct site_coder {
    int level;
    uint32_t mark; /* coder_mark() */
    /* What the tag of a copy has that its file's has not: "br6-1a2b3c4d". Level and mark are in it, as
     * equal tags promise equal bytes. Empty where a dictionary has a part in it. */
    char label[SITE_COPIES_LABEL];
};

/* Immutable. */
struct site_copies {
    const struct config *cfg;
    struct config_site rules; /* for the folder of copies: no links, no index files, no listing */
    struct file_place place;
    struct site_coder coders[CODING_COUNT];
};

/* NULL: the config wants no copies. Compresses a sample to each coding: never on a loop. `cfg` must
 * live as long. */
struct site_copies *site_copies_new(const struct config *cfg);
/* The same for a copy with the dictionary that has this hash: "dcz-0123456789abcdef". */
void site_copies_label_delta(char out[SITE_COPIES_LABEL], const struct site_coder *coder,
                             const unsigned char hash[CODER_DICTIONARY_HASH_BYTES]);
void site_copies_free(struct site_copies *copies); /* NULL is allowed */

/* Is a file of this type and size compressed? `path` has the name that the type is of. */
bool site_copies_fit(const struct site_copies *copies, struct span path, const char *type,
                     uint64_t size);

#endif

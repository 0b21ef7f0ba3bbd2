/* SPDX-License-Identifier: MIT */
/* site_dictionaries.h — which files of a site's release a client may have from before, and get a newer one compressed with
 * (sites[].releaseDictionaries, RFC 9842): by the SHA-256 of their bytes, which is how a client names them.
 *
 * Prepared with the site. What there is is found out once, by a lane (site_dictionaries_load); until then none is
 * known. All else is immutable. */
#ifndef FARMSTEAD_SITE_DICTIONARIES_H
#define FARMSTEAD_SITE_DICTIONARIES_H

#include "files/checksum_store.h"
#include "files/content_table.h"
#include "files/copy_dictionary.h"
#include "http/http_dictionary.h"
#include "site/kept_versions.h"
#include "site/site_copies.h"

#define SITE_DICTIONARIES_MAX                                                                      \
    64 /* files that fit one pattern, so that a bit each tells what is known of them */

struct site_dictionaries;

/* NULL: the site wants none, or the node has no folder for copies. `versions` (NULL: none) and the others must live
 * as long. */
struct site_dictionaries *site_dictionaries_new(const struct config_site *cfg,
                                                const struct site_copies *copies,
                                                const struct kept_versions *versions);
void site_dictionaries_free(struct site_dictionaries *dictionaries); /* NULL is allowed */

/* All of these: any thread; none waits for a disk. */

/* The number of the first pattern that fits the path, from 1; 0: none, or it takes a password or a signature to see
 * the file, or an address that not everybody has. */
uint8_t site_dictionaries_fit(const struct site_dictionaries *dictionaries, struct span path);
/* The line of an answer that may become a dictionary. */
struct span site_dictionaries_line(const struct site_dictionaries *dictionaries, uint8_t pattern);
/* Upper bound for what an answer adds to a head, in bytes; 0 for NULL. */
size_t site_dictionaries_most_len(const struct site_dictionaries *dictionaries);

/* The dictionary of a pattern with this hash, and which of at most SITE_DICTIONARIES_MAX it is. NULL: there is
 * none, or it is not known yet. */
const struct copy_dictionary *
site_dictionaries_find(const struct site_dictionaries *dictionaries, uint8_t pattern,
                       const unsigned char hash[CODER_DICTIONARY_HASH_BYTES], unsigned *index);
/* Is it known which there are? */
bool site_dictionaries_are_known(const struct site_dictionaries *dictionaries);

/* True: it is to be found out which there are, by the caller, who has either of the next two called. */
bool site_dictionaries_begin(struct site_dictionaries *dictionaries);
void site_dictionaries_give_up(struct site_dictionaries *dictionaries);
/* Waits for the disk and computes: a thread of a lane. */
void site_dictionaries_load(struct site_dictionaries *dictionaries, struct content_table *contents,
                            struct checksum_store *checksums);

#endif

/* SPDX-License-Identifier: MIT */
/* content_hash.h — finds out the SHA-256 of a file's bytes: from a list of checksums, or by reading all of
 * it, a piece at a time. Waits for the disk and computes: threads of a lane only. */
#ifndef FARMSTEAD_CONTENT_HASH_H
#define FARMSTEAD_CONTENT_HASH_H

#include "files/checksum_store.h"
#include "files/content_table.h"

/* Sets work->end, and work->hash if that is CONTENT_HASHED. CONTENT_GOES_ON: call it again when others on
 * the lane have had their turn. */
void content_hash_make(struct content_table *table, struct checksum_store *store,
                       struct content_work *work);

#endif

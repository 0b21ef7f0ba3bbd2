/* SPDX-License-Identifier: MIT */
/* checksum_index.h — a long list of checksums (checksum_list.h), in which a name is found without reading
 * it all. Immutable: any thread. */
#ifndef FARMSTEAD_CHECKSUM_INDEX_H
#define FARMSTEAD_CHECKSUM_INDEX_H

#include "base/util.h"

struct checksum_index;

/* Takes over `bytes`, which free() can free. What is behind the last line feed is not a line yet: the list
 * may be in the making. "./" before a name is nothing. A name with two checksums that differ has none.
 * NULL: no memory. */
struct checksum_index *checksum_index_new(char *bytes, size_t len);
void checksum_index_free(struct checksum_index *index);
size_t checksum_index_bytes(const struct checksum_index *index); /* of memory */
bool checksum_index_find(const struct checksum_index *index, struct span name,
                         unsigned char hash[32]);

#endif

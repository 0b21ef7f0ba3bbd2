/* SPDX-License-Identifier: MIT */
/* checksum_store.h — long lists of checksums, such as SHA256SUMS, which are read once for all files that
 * they name, and again when they have changed. One store for all loops.
 *
 * A list is known by its state, as files are in content_table.h, so that nothing has to be told of a
 * change. The least recently asked go when there are more, or more bytes, than are kept. */
#ifndef FARMSTEAD_CHECKSUM_STORE_H
#define FARMSTEAD_CHECKSUM_STORE_H

#include "base/util.h"

#include <stdbool.h>
#include <sys/stat.h>

#define CHECKSUM_LIST_BYTES (16u << 20)  /* a longer list is not read */
#define CHECKSUM_STORE_BYTES (64u << 20) /* of memory */
#define CHECKSUM_STORE_LISTS 64

struct checksum_store;

struct checksum_store *checksum_store_new(void);
void checksum_store_free(struct checksum_store *store);

/* Finds the checksum of `name` in the list that is open as `fd` and is `st`. 0; UV_ENOENT: it has no such
 * line; UV_E2BIG: it is too long; UV_EAGAIN: it changed meanwhile; or another UV_E*. Waits for the disk:
 * threads of a lane only. */
int checksum_store_find(struct checksum_store *store, int fd, const struct stat *st,
                        struct span name, unsigned char hash[32]);

#endif

/* SPDX-License-Identifier: MIT */
/* content_list.h — what lists of checksums say of a file: NAME.sha256 beside it, and the site's own list
 * ("SHA256SUMS") in its folder or one above. Waits for the disk: threads of a lane only.
 *
 * A list is believed where it can't be older than the bytes. It must have been written after the file
 * was, and put there no earlier than the file got its place. The times of both ask for that: a file can
 * be replaced by one with an older time, and an unpacked archive has all of its ctimes in no order. A
 * folder between the two must not have changed since, or another one may have got its name; and no
 * link may be on the way, as it could lead elsewhere now. What nobody can tell is whether a list is
 * right, and whether it was put there before the files it speaks of. */
#ifndef FARMSTEAD_CONTENT_LIST_H
#define FARMSTEAD_CONTENT_LIST_H

#include "files/checksum_store.h"
#include "files/content_table.h"

/* Smaller files are hashed: that takes no longer than to look for a list, and is right always. */
#define CONTENT_LIST_MIN_BYTES (4u << 20)

enum content_list {
    CONTENT_LIST_NONE, /* that counts */
    CONTENT_LIST_SAYS, /* work->hash is set */
    CONTENT_LIST_YOUNG /* there is one that may still be written */
};

/* Sets work->list_is_too_long, too. */
enum content_list content_list_ask(struct checksum_store *store, struct content_work *work);
/* Is the path still that of the file? `symlinks` as for confined_open(). */
bool content_list_is_there(const struct content_work *work, int root,
                           enum config_symlinks symlinks);

#endif

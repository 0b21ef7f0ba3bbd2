/* SPDX-License-Identifier: MIT */
/* dir_note.h — a folder's own header or readme, which its listing shows. Included only by
 * dir_listing*.{c,h}. */
#ifndef FARMSTEAD_DIR_NOTE_H
#define FARMSTEAD_DIR_NOTE_H

#include "site/dir_listing.h"

#define DIR_NOTE_BYTES (64 * 1024) /* what goes beyond is not shown */

struct dir_note {
    char *text; /* on the heap; NULL: there is none */
    size_t len;
    bool is_html, is_cut;
};

/* Reads the first of `names` that is a file in the listed folder, if this client may have it without a
 * further password or signature. `root` is that of the place. Threads of the lane only. */
void dir_note_read(struct dir_note *note, const struct dir_listing_order *order, int root,
                   char *const *names, size_t count);

#endif

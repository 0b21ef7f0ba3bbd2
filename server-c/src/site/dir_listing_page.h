/* SPDX-License-Identifier: MIT */
/* dir_listing_page.h — the entries of a folder as HTML or JSON. Included only by dir_listing*.c. */
#ifndef FARMSTEAD_DIR_LISTING_PAGE_H
#define FARMSTEAD_DIR_LISTING_PAGE_H

#include "base/util.h"
#include "site/dir_listing_read.h"
#include "site/dir_note.h"

/* Returns the text on the heap, or NULL if there is no memory. Beyond 16 MiB the remaining entries
 * are left out, and the text says so. Any thread. */
char *dir_listing_html(const struct dir_entries *entries, struct span url_path,
                       const struct dir_note *header, const struct dir_note *readme, size_t *len);
char *dir_listing_json(const struct dir_entries *entries, struct span url_path, size_t *len);

#endif

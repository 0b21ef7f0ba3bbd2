/* SPDX-License-Identifier: MIT */
/* dir_listing_page.h — a folder's listing as HTML or JSON, whose text is made in parts, each when the
 * client has taken the one before: what is held of a listing are its names. Its length is counted
 * beforehand, so that it can be told and a client sees when it did not get all. */
#ifndef FARMSTEAD_DIR_LISTING_PAGE_H
#define FARMSTEAD_DIR_LISTING_PAGE_H

#include "base/util.h"
#include "site/dir_listing_read.h"
#include "site/dir_note.h"

struct dir_listing_page {
    bool as_json;
    struct dir_entries entries;
    struct dir_note header, readme; /* of HTML */
    uint64_t length;                /* of the whole text */
    size_t part_count;              /* at least 1 */
    size_t longest_part;
    size_t held_bytes; /* what the page takes of memory, with a part */
    size_t url_path_len;
    char url_path[];
};

/* Without entries and notes, which the caller adds before dir_listing_page_finish(). NULL: no memory.
 * All but dir_listing_page_part() and dir_listing_page_free() are for threads of the lane only. */
struct dir_listing_page *dir_listing_page_new(struct span url_path, bool as_json);
/* Packs the entries and counts the text. From then on nothing of the page changes. False: no memory. */
bool dir_listing_page_finish(struct dir_listing_page *page);
/* Makes the part that begins with entry `*next`, 0 for the first, on the heap, and sets `*next` to the entry
 * that the following part begins with. False: no memory. Any thread. */
bool dir_listing_page_part(const struct dir_listing_page *page, size_t *next, char **bytes,
                           size_t *len);
void dir_listing_page_free(struct dir_listing_page *page); /* NULL: does nothing */

#endif

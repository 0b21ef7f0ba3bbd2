/* SPDX-License-Identifier: MIT */
/* dir_listing.h — a folder as a page or as JSON, made by the read lane.
 *
 * Shown is what a request for it would find: no hidden names (unless the site serves them), no
 * devices, sockets and FIFOs, no links that the site's symlink policy does not follow or that lead
 * nowhere, no names that no URL can have (control characters), none that an access rule refuses to
 * this client. A file that may not be read is shown, and so is what needs a password or a signature.
 * Folders come first, then names by their bytes. Of a folder with more entries than the site's
 * listing may have, the first ones of that order are shown, and that there are more.
 *
 * JSON: {"path", "entries": [{"name", "href", "type": "file" or "folder", "sizeBytes": null for a
 * folder, "modified": "2026-11-21T22:47:11Z"}], "truncated"}. In "name" a byte that is no UTF-8 is
 * U+FFFD; "href", relative and percent-encoded, has the exact bytes. */
#ifndef FARMSTEAD_DIR_LISTING_H
#define FARMSTEAD_DIR_LISTING_H

#include "files/file_cache.h"
#include "match/address_block.h"
#include "site/site_policy.h"

/* Content-Security-Policy for the HTML form: it needs nothing but its own style. */
#define DIR_LISTING_CSP                                                                            \
    "default-src 'none'; style-src 'sha256-uGlOAHbPuD5TXsQSPYTOjsMh43uNKXmnpuVqtqN3zDA='; "        \
    "base-uri 'none'; form-action 'none'"

struct dir_listing_order {
    struct file_cache *cache;
    struct site_set *set; /* keeps `place` alive */
    const struct file_place *place;
    struct file_entry *entry; /* with is_folder */
    struct span url_path;     /* what was asked for, decoded; ends with '/'; shown as the title */
    const struct site_policy *policy; /* of the set; NULL: no rules */
    uint8_t address[ADDRESS_LEN];     /* the client's */
    bool has_address;                 /* else it came over a Unix socket */
    bool as_json;
};

struct dir_listing {
    enum http_status status; /* HTTP_OK, or the refusal: 403, 404, 500, 503 */
    char *text;              /* on the heap, for the receiver to free; NULL unless HTTP_OK */
    size_t len;
    uint64_t wait_ns, work_ns; /* time queued and time worked on */
};

struct dir_listing_job;

/* NULL: no memory, or the lane is full. The order is copied and the job has references of its own.
 * `on_done` is called on the loop thread, never inside this call, and the job is over then. */
struct dir_listing_job *
dir_listing_start(struct io_lane *lane, struct io_port *port, const struct dir_listing_order *order,
                  void (*on_done)(void *arg, const struct dir_listing *listing), void *arg);
/* Before on_done, which is not called then. */
void dir_listing_cancel(struct dir_listing_job *job);

#endif

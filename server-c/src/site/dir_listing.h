/* SPDX-License-Identifier: MIT */
/* dir_listing.h — makes a listing of a folder, as HTML or JSON, in the read lane.
 *
 * It shows what a request could get: no hidden names (unless the site serves them), no devices,
 * sockets or FIFOs, no symbolic links that the site's policy does not follow or that lead nowhere,
 * no names that no URL can have (control characters), and none that an access rule refuses to this
 * client. Files that can't be read are shown, and so are those that need a password or a signature.
 * Folders come first, then files, in the order that was asked for, names in that of their bytes. If the folder has more entries than
 * the site's listing may have, the first ones in this order are shown, and a note says that there
 * are more. The lane reads the names; their text is made as the client takes it (dir_listing_page.h).
 *
 * JSON: {"path", "entries": [{"name", "href", "type": "file" or "folder", "sizeBytes": null for a
 * folder, "modified": "2026-11-21T22:47:11Z"}], "truncated"}. In "name" a byte that is not UTF-8 is
 * replaced by U+FFFD; "href" is relative and percent-encoded, and has the exact bytes. */
#ifndef FARMSTEAD_DIR_LISTING_H
#define FARMSTEAD_DIR_LISTING_H

#include "files/file_cache.h"
#include "match/address_block.h"
#include "site/dir_listing_read.h"
#include "site/site_policy.h"

/* The Content-Security-Policy of the HTML form, which needs nothing but its own style. */
#define DIR_LISTING_CSP                                                                            \
    "default-src 'none'; style-src 'sha256-hdaFgjiwFJMNkAgH+COLJHh2/IvuTz6yPyRd1gklFr0='; "        \
    "base-uri 'none'; form-action 'none'"

struct dir_listing_order {
    struct file_cache *cache;
    struct site_set *set; /* keeps `place` valid */
    const struct file_place *place;
    struct file_entry *entry; /* a folder */
    struct span url_path;     /* the path asked for, decoded, ends with '/'; shown as the title */
    const struct site_policy *policy; /* belongs to `set`; NULL: no rules */
    uint8_t address[ADDRESS_LEN];     /* of the client */
    bool has_address;                 /* false: the client came over a Unix socket */
    bool as_json;
    struct dir_order sort;
};

struct dir_listing {
    enum http_status status;       /* HTTP_OK, or the status to refuse with: 403, 404, 500, 503 */
    struct dir_listing_page *page; /* freed by the receiver; NULL unless HTTP_OK */
    uint64_t wait_ns, work_ns;     /* time in the queue, and at work */
};

struct dir_listing_job;
struct dir_listing_page;

/* Is the folder with this path (decoded, ends with '/') one that the site lists? Whether it lists any
 * is another question. */
bool dir_listing_may_show(const struct config_site *site, struct span path);

/* The order that a query asks for: "sort=name", "size" or "date" and "order=asc" or "desc", anywhere in
 * it; else by name. */
struct dir_order dir_listing_order_of(struct span query);

/* Starts a job. Returns NULL if there is no memory or the lane is full. The order is copied, and
 * the job takes its own references. `on_done` is called on the loop thread, never from within this
 * function; after that the job no longer exists. */
struct dir_listing_job *
dir_listing_start(struct io_lane *lane, struct io_port *port, const struct dir_listing_order *order,
                  void (*on_done)(void *arg, const struct dir_listing *listing), void *arg);
/* Call it before on_done, which is then not called. */
void dir_listing_cancel(struct dir_listing_job *job);

#endif

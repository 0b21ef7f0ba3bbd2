/* SPDX-License-Identifier: MIT */
/* dir_listing.c — the job of the read lane: opens the folder again, reads it and makes
 * the page. */
#include "site/dir_listing.h"

#include "match/glob.h"
#include "site/dir_listing_page.h"
#include "site/dir_listing_read.h"
#include "site/site.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct dir_listing_job {
    struct io_job job;
    struct dir_listing_order order; /* its url_path points to `url_path` below */
    void (*on_done)(void *arg, const struct dir_listing *listing);
    void *arg;
    atomic_bool is_cancelled;
    struct dir_listing result;
    char url_path[];
};

bool dir_listing_may_show(const struct config_site *site, struct span path)
{
    const struct glob_choice choice = {site->listing.paths, site->listing.path_count,
                                       site->listing.except_paths, site->listing.except_path_count};
    return glob_path_chosen(&choice, path);
}

/* `path` begins with the folder's path and has room for the name and a slash. */
static bool is_refused(const struct dir_listing_order *order, char *path,
                       const struct dir_entry *entry)
{
    size_t len = order->url_path.len, name_len = strlen(entry->name);

    memcpy(path + len, entry->name, name_len);
    len += name_len;
    if (entry->is_folder)
        path[len++] = '/';
    return site_policy_access(order->policy, order->has_address ? order->address : NULL,
                              (struct span){path, len}) != HTTP_OK;
}

/* Names may be longer than NAME_MAX: on FUSE, or on a file system that stores UTF-16. */
static size_t longest_name(const struct dir_entries *entries)
{
    size_t longest = 0;

    for (size_t i = 0; i < entries->count; i++) {
        size_t len = strlen(entries->items[i].name);
        longest = len > longest ? len : longest;
    }
    return longest;
}

static enum http_status drop_refused(const struct dir_listing_order *order,
                                     struct dir_entries *entries)
{
    size_t kept = 0;
    char *path;

    if (!order->policy || order->policy->cfg->access_count == 0)
        return HTTP_OK;
    path = malloc(order->url_path.len + longest_name(entries) + 1);
    if (!path)
        return HTTP_UNAVAILABLE;
    memcpy(path, order->url_path.ptr, order->url_path.len);
    for (size_t i = 0; i < entries->count; i++)
        if (is_refused(order, path, &entries->items[i]))
            free(entries->items[i].name);
        else
            entries->items[kept++] = entries->items[i];
    entries->count = kept;
    free(path);
    return HTTP_OK;
}

static enum http_status fill(struct dir_listing_page *page, const struct dir_listing_order *order,
                             const struct dir_scan *scan)
{
    const struct config_site *site = scan->site;
    enum http_status status = dir_listing_read(&page->entries, scan);

    if (status == HTTP_OK)
        status = drop_refused(order, &page->entries);
    if (status != HTTP_OK)
        return status;
    if (!order->as_json) {
        dir_note_read(&page->header, order, scan->root, site->listing.header,
                      site->listing.header_count);
        dir_note_read(&page->readme, order, scan->root, site->listing.readme,
                      site->listing.readme_count);
    }
    return dir_listing_page_finish(page) ? HTTP_OK : HTTP_UNAVAILABLE;
}

static enum http_status list_folder(struct dir_listing_job *listing, int folder, int root)
{
    const struct dir_listing_order *order = &listing->order;
    const struct dir_scan scan = {
        .folder = folder,
        .root = root,
        .path = file_entry_path(order->entry).ptr,
        .site = order->place->site,
        .order = order->sort,
        .is_cancelled = &listing->is_cancelled,
    };
    struct dir_listing_page *page = dir_listing_page_new(order->url_path, order->as_json);
    enum http_status status;

    if (!page) {
        close(folder);
        return HTTP_UNAVAILABLE;
    }
    status = fill(page, order, &scan);
    if (status == HTTP_OK)
        listing->result.page = page;
    else
        dir_listing_page_free(page);
    return status;
}

struct dir_order dir_listing_order_of(struct span query)
{
    static const char *const keys[] = {[DIR_SORT_NAME] = "sort=name",
                                       [DIR_SORT_SIZE] = "sort=size",
                                       [DIR_SORT_DATE] = "sort=date"};
    struct dir_order order = {DIR_SORT_NAME, false};

    while (query.len > 0) {
        const char *end = memchr(query.ptr, '&', query.len);
        struct span part = {query.ptr, end ? (size_t)(end - query.ptr) : query.len};
        for (size_t i = 0; i < ARRAY_LEN(keys); i++)
            if (span_is(part, keys[i]))
                order.by = (enum dir_sort)i;
        if (span_is(part, "order=asc") || span_is(part, "order=desc"))
            order.is_descending = part.len == strlen("order=desc");
        query.ptr += part.len + (end != NULL);
        query.len -= part.len + (end != NULL);
    }
    return order;
}

/* The look-up opened this folder a moment ago. So an error now is a lack of resources, or a folder
 * of which names may be read but no file may be opened. */
static void run(struct io_job *job)
{
    struct dir_listing_job *listing = container_of(job, struct dir_listing_job, job);
    const struct dir_listing_order *order = &listing->order;
    int root, folder;

    listing->result.status = HTTP_UNAVAILABLE;
    if (atomic_load_explicit(&listing->is_cancelled, memory_order_relaxed))
        return;
    root = file_place_open(order->place, file_entry_variable(order->entry));
    if (root < 0)
        return;
    /* The entry's own descriptor has a reading position, which all its users share. */
    folder = openat(order->entry->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0)
        listing->result.status = list_folder(listing, folder, root);
    else if (errno == EACCES)
        listing->result.status = HTTP_FORBIDDEN;
    else if (errno == ENOENT) /* removed since the look-up */
        listing->result.status = HTTP_NOT_FOUND;
    close(root);
}

static void let_go(struct dir_listing_job *listing)
{
    file_entry_release_descriptor(listing->order.entry);
    file_cache_put(listing->order.cache, listing->order.entry);
    site_set_put(listing->order.set);
    free(listing);
}

static void on_run_done(struct io_job *job)
{
    struct dir_listing_job *listing = container_of(job, struct dir_listing_job, job);

    listing->result.wait_ns = job->started_ns - job->queued_ns;
    listing->result.work_ns = job->ended_ns - job->started_ns;
    if (listing->on_done)
        listing->on_done(listing->arg, &listing->result);
    else
        dir_listing_page_free(listing->result.page);
    let_go(listing);
}

struct dir_listing_job *
dir_listing_start(struct io_lane *lane, struct io_port *port, const struct dir_listing_order *order,
                  void (*on_done)(void *arg, const struct dir_listing *listing), void *arg)
{
    struct dir_listing_job *listing = calloc(1, sizeof(*listing) + order->url_path.len + 1);

    if (!listing)
        return NULL;
    CHECK(order->entry->is_folder);
    memcpy(listing->url_path, order->url_path.ptr, order->url_path.len);
    listing->order = *order;
    listing->order.url_path.ptr = listing->url_path;
    listing->on_done = on_done;
    listing->arg = arg;
    listing->job.run = run;
    listing->job.on_done = on_run_done;
    file_cache_get(order->entry);
    file_entry_hold_descriptor(order->entry);
    site_set_get(order->set);
    if (io_lane_submit(lane, port, &listing->job) == 0)
        return listing;
    let_go(listing);
    return NULL;
}

void dir_listing_cancel(struct dir_listing_job *job)
{
    job->on_done = NULL;
    atomic_store_explicit(&job->is_cancelled, true, memory_order_relaxed);
}

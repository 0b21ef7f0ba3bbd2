/* SPDX-License-Identifier: MIT */
/* conn_listing.c — a folder's listing: made by the read lane, sent from memory.
 *
 * It costs more than any other answer, work as well as memory, for a request as short as any. So
 * there is a bound for each, of the whole process: how many are made at a time, as files have to
 * be read by the same threads, and how many bytes of them clients may leave with us. What is beyond
 * it is answered with 503. */
#include "connection/conn_answer.h"

#include "http/http_cond.h"
#include "response/response.h"

#define LISTINGS_MAX 32                      /* being made, or waiting to be */
#define LISTING_BYTES_MAX ((size_t)64 << 20) /* made, and not yet sent */

static bool begin_listing(struct conn *c)
{
    _Atomic uint32_t *listings = &c->loop->shared->listings;

    if (atomic_fetch_add_explicit(listings, 1, memory_order_relaxed) < LISTINGS_MAX)
        return true;
    atomic_fetch_sub_explicit(listings, 1, memory_order_relaxed);
    return false;
}

static void end_listing(struct conn *c)
{
    c->ex->listing = NULL;
    atomic_fetch_sub_explicit(&c->loop->shared->listings, 1, memory_order_relaxed);
}

/* One alone always has room. */
static bool reserve_bytes(struct conn *c, size_t len)
{
    _Atomic size_t *bytes = &c->loop->shared->listing_bytes;
    size_t before = atomic_fetch_add_explicit(bytes, len, memory_order_relaxed);

    if (before == 0 || before + len <= LISTING_BYTES_MAX) {
        c->ex->listing_bytes = len;
        return true;
    }
    atomic_fetch_sub_explicit(bytes, len, memory_order_relaxed);
    return false;
}

void conn_end_listing(struct conn *c)
{
    if (c->ex->listing) {
        dir_listing_cancel(c->ex->listing);
        end_listing(c);
    }
    if (c->ex->listing_bytes ==
        0) /* all loops share the number: others' requests do not touch it */
        return;
    atomic_fetch_sub_explicit(&c->loop->shared->listing_bytes, c->ex->listing_bytes,
                              memory_order_relaxed);
    c->ex->listing_bytes = 0;
}

/* RFC 9110 section 13.2.1: preconditions count here as well, though nothing but "*" names a listing,
 * which has neither tag nor date. */
static enum http_status listing_status(struct conn *c)
{
    static const struct http_validators none = {.last_modified = INT64_MIN};

    loop_date(c->loop);
    switch (http_cond_decide(&c->ex->req, c->in + c->in_pos, &none, c->loop->date_second)) {
    case HTTP_COND_SERVE:
        return HTTP_OK;
    case HTTP_COND_NOT_MODIFIED:
        return HTTP_NOT_MODIFIED;
    case HTTP_COND_FAILED:
        return HTTP_PRECONDITION_FAILED;
    }
    return HTTP_INTERNAL_ERROR;
}

static void send_listing(struct conn *c, const struct dir_listing *listing, enum http_status status)
{
    static const struct mime_type json = {"application/json", NULL}, html = {"text/html", "utf-8"};
    bool as_json = http_prefers_json(&c->ex->req, c->in + c->in_pos);
    struct response_listing about = {
        .status = status,
        .type = as_json ? json : html,
        .length = listing->len,
        .policy = as_json ? NULL : DIR_LISTING_CSP,
    };
    struct body_part part = {.text = listing->text, .text_len = listing->len};
    struct response_head head = conn_start_head(c, status);
    bool has_body = status == HTTP_OK && c->ex->req.method != HTTP_HEAD;

    response_head_listing(&head, &c->ex->scope, &about, c->loop->date_second);
    if (!has_body)
        body_part_fini(&part);
    conn_send_head(c, &head, has_body ? &part : NULL);
}

static void on_listing(void *arg, const struct dir_listing *listing)
{
    struct conn *c = arg;
    enum http_status status = listing->status == HTTP_OK ? listing_status(c) : listing->status;

    end_listing(c);
    c->ex->clock.read_disk = true;
    c->ex->clock.read_wait_ns += listing->wait_ns;
    c->ex->clock.read_ns += listing->work_ns;
    if (status == HTTP_OK && c->ex->req.method != HTTP_HEAD && !reserve_bytes(c, listing->len))
        status = HTTP_UNAVAILABLE;
    if (status == HTTP_OK || status == HTTP_NOT_MODIFIED) {
        send_listing(c, listing, status);
    } else {
        free(listing->text);
        conn_refuse(c, status);
    }
    conn_run(c);
}

static bool start(struct conn *c, const struct dir_listing_order *order)
{
    struct loop *loop = c->loop;

    if (begin_listing(c)) {
        c->ex->listing =
            dir_listing_start(loop->shared->read_lane, &loop->port, order, on_listing, c);
        if (c->ex->listing) {
            loop_count(c->ex->live, COUNTER_READ_JOBS, 1);
            return true;
        }
        end_listing(c);
    }
    loop_count(c->ex->live, COUNTER_LANE_REJECTED, 1);
    return false;
}

void conn_list_folder(struct conn *c, struct file_entry *entry)
{
    struct dir_listing_order order = {
        .cache = &c->loop->files,
        .set = c->ex->live->sites,
        .place = c->ex->place,
        .entry = entry,
        .policy = &c->ex->site->policy,
        .as_json = http_prefers_json(&c->ex->req, c->in + c->in_pos),
    };
    struct url_path path;
    struct span unused;
    enum http_status status = conn_map(c, &path, &unused);

    order.has_address = conn_address(c, order.address) != NULL;
    order.url_path = (struct span){c->loop->path, path.len};
    if (status == HTTP_OK && !start(c, &order))
        status = HTTP_UNAVAILABLE;
    file_cache_put(&c->loop->files, entry);
    if (status != HTTP_OK) {
        conn_refuse(c, status);
        return;
    }
    c->state = CONN_SOURCING;
    conn_arm(c, TIMEOUT_DISK);
}

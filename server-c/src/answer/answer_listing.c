/* SPDX-License-Identifier: MIT */
/* answer_listing.c — a folder's listing: its names are read by a thread of the read lane, and the text is
 * made of them a part at a time, when the client has taken the part before.
 *
 * A listing costs more work and memory than any other answer, for a request that is as short as
 * any. So there are two bounds for the whole process: how many listings are made at a time, as the
 * same threads have to read files too, and how many bytes of names may be waiting for their clients.
 * Requests beyond either bound get 503. */
#include "answer/answer.h"

#include "http/http_cond.h"
#include "response/response.h"
#include "site/dir_listing_page.h"

#include <stdlib.h>

#define LISTINGS_MAX 32                      /* being made, or waiting to be made */
#define LISTING_BYTES_MAX ((size_t)64 << 20) /* of those that are being sent */

static bool begin_listing(struct exchange *ex)
{
    _Atomic uint32_t *listings = &ex->loop->shared->listings;

    if (atomic_fetch_add_explicit(listings, 1, memory_order_relaxed) < LISTINGS_MAX)
        return true;
    atomic_fetch_sub_explicit(listings, 1, memory_order_relaxed);
    return false;
}

static void end_listing(struct exchange *ex)
{
    ex->listing = NULL;
    atomic_fetch_sub_explicit(&ex->loop->shared->listings, 1, memory_order_relaxed);
}

/* The bound never refuses a listing that is alone. */
static bool reserve_bytes(struct exchange *ex, size_t len)
{
    _Atomic size_t *bytes = &ex->loop->shared->listing_bytes;
    size_t before = atomic_fetch_add_explicit(bytes, len, memory_order_relaxed);

    if (before == 0 || before + len <= LISTING_BYTES_MAX) {
        ex->listing_bytes = len;
        return true;
    }
    atomic_fetch_sub_explicit(bytes, len, memory_order_relaxed);
    return false;
}

void answer_end_listing(struct exchange *ex)
{
    if (ex->listing) {
        dir_listing_cancel(ex->listing);
        end_listing(ex);
    }
    if (ex->listing_bytes == 0) /* all loops share the number: don't touch it for other requests */
        return;
    atomic_fetch_sub_explicit(&ex->loop->shared->listing_bytes, ex->listing_bytes,
                              memory_order_relaxed);
    ex->listing_bytes = 0;
}

/* Preconditions are evaluated here too (RFC 9110 section 13.2.1), though a listing has neither tag
 * nor date, so that only "*" can match it. */
static enum http_status listing_status(struct exchange *ex)
{
    static const struct http_validators none = {.last_modified = INT64_MIN};

    loop_date(ex->loop);
    switch (http_cond_decide(&ex->req, ex->head, &none, ex->loop->date_second)) {
    case HTTP_COND_SERVE:
        return HTTP_OK;
    case HTTP_COND_NOT_MODIFIED:
        return HTTP_NOT_MODIFIED;
    case HTTP_COND_FAILED:
        return HTTP_PRECONDITION_FAILED;
    }
    return HTTP_INTERNAL_ERROR;
}

struct listing_text {
    struct body_pieces pieces;
    struct dir_listing_page *page;
    size_t next_entry;
};

static bool make_part(struct body_pieces *pieces, size_t i, struct body_piece *piece)
{
    struct listing_text *text = container_of(pieces, struct listing_text, pieces);

    (void)i;
    return dir_listing_page_part(text->page, &text->next_entry, &piece->text, &piece->text_len);
}

static void free_text(struct body_pieces *pieces)
{
    struct listing_text *text = container_of(pieces, struct listing_text, pieces);

    dir_listing_page_free(text->page);
    free(text);
}

/* Takes over the page. NULL: no memory. */
static struct body_pieces *pieces_of(struct dir_listing_page *page)
{
    struct listing_text *text = malloc(sizeof(*text));

    if (!text) {
        dir_listing_page_free(page);
        return NULL;
    }
    text->pieces = (struct body_pieces){page->part_count, make_part, free_text};
    text->page = page;
    text->next_entry = 0;
    return &text->pieces;
}

/* Takes over the body, if there is one. */
static void send_listing(struct exchange *ex, enum http_status status, uint64_t length,
                         struct body_pieces *body)
{
    static const struct mime_type json = {"application/json", NULL}, html = {"text/html", "utf-8"};
    bool as_json = http_prefers_json(&ex->req, ex->head);
    struct response_listing about = {
        .status = status,
        .type = as_json ? json : html,
        .length = length,
        .policy = as_json ? NULL : DIR_LISTING_CSP,
    };
    struct body_part part = {.pieces = body};
    struct response_head head = answer_start_head(ex, status);

    response_head_listing(&head, &ex->scope, &about, ex->loop->date_second);
    answer_send(ex, &head, body ? &part : NULL);
}

/* Takes over the page. */
static void answer_listed(struct exchange *ex, struct dir_listing_page *page)
{
    enum http_status status = listing_status(ex);
    bool has_body = status == HTTP_OK && ex->req.method != HTTP_HEAD;
    uint64_t length = page->length;
    struct body_pieces *body = NULL;

    if (has_body && !reserve_bytes(ex, page->held_bytes))
        status = HTTP_UNAVAILABLE;
    if (!has_body || status != HTTP_OK)
        dir_listing_page_free(page);
    else if (!(body = pieces_of(page)))
        status = HTTP_UNAVAILABLE;
    if (status == HTTP_OK || status == HTTP_NOT_MODIFIED)
        send_listing(ex, status, length, body);
    else
        answer_refuse(ex, status);
}

static void on_listing(void *arg, const struct dir_listing *listing)
{
    struct exchange *ex = arg;
    struct carrier *carrier = ex->carrier;

    end_listing(ex);
    ex->clock.read_disk = true;
    ex->clock.read_wait_ns += listing->wait_ns;
    ex->clock.read_ns += listing->work_ns;
    if (listing->page)
        answer_listed(ex, listing->page);
    else
        answer_refuse(ex, listing->status);
    carrier_resume(carrier);
}

static bool start(struct exchange *ex, const struct dir_listing_order *order)
{
    struct loop *loop = ex->loop;

    if (begin_listing(ex)) {
        ex->listing =
            dir_listing_start(loop->shared->read_lane, &loop->port, order, on_listing, ex);
        if (ex->listing) {
            loop_count(ex->live, COUNTER_READ_JOBS, 1);
            return true;
        }
        end_listing(ex);
    }
    loop_count(ex->live, COUNTER_LANE_REJECTED, 1);
    return false;
}

void answer_folder(struct exchange *ex, struct file_entry *entry)
{
    struct dir_listing_order order = {
        .cache = &ex->loop->files,
        .set = ex->live->sites,
        .place = ex->place,
        .entry = entry,
        .policy = &ex->site->policy,
        .as_json = http_prefers_json(&ex->req, ex->head),
        .sort = dir_listing_order_of(exchange_slice(ex, ex->req.query)),
    };
    const struct config_site *site = ex->site->cfg;
    struct url_path path;
    struct span unused;
    enum http_status status = answer_map(ex, &path, &unused);

    order.has_address = visitor_address(ex->peer, order.address) != NULL;
    order.url_path = (struct span){ex->loop->path, path.len};
    if (status == HTTP_OK && !dir_listing_may_show(site, order.url_path))
        status = HTTP_NOT_FOUND;
    if (status == HTTP_OK && !start(ex, &order))
        status = HTTP_UNAVAILABLE;
    file_cache_put(&ex->loop->files, entry);
    if (status != HTTP_OK) {
        answer_refuse(ex, status);
        return;
    }
    carrier_wait(ex->carrier);
}

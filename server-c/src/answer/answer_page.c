/* SPDX-License-Identifier: MIT */
/* answer_page.c — responses other than files: refusals, redirects, OPTIONS.
 *
 * A site may have its own page for a status. It is looked up like any file. If it can't be had, the
 * client gets a short page of ours, so that a missing error page never hides the error. */
#include "answer/answer.h"

#include "http/http_auth.h"
#include "response/mime.h"
#include "response/response.h"
#include "site/site_error_page.h"

#include <string.h>

struct response_head answer_start_head(struct exchange *ex, enum http_status status)
{
    struct response_head head = {.out = ex->loop->head, .cap = ex->loop->head_cap};

    ex->status = status;
    ex->carrier->kind->start_head(ex->carrier, status, &head);
    /* Only with TLS: over plain HTTP anybody on the way could have written it (RFC 6797 section
     * 7.2). */
    if (ex->is_secure && ex->site && ex->site->hsts)
        response_append(&head, ex->site->hsts, strlen(ex->site->hsts));
    if (ex->cors.lines)
        response_append(&head, ex->cors.lines, strlen(ex->cors.lines));
    return head;
}

/* Copies our own page, which follows the head in the same memory, into a body: a carrier may send
 * head and body in different ways. */
static bool take_page(const struct response_head *head, struct body_part *part)
{
    if (head->body_len == 0)
        return true;
    part->text = malloc(head->body_len);
    if (!part->text)
        return false;
    part->text_len = head->body_len;
    memcpy(part->text, head->out + head->len - head->body_len, head->body_len);
    return true;
}

void answer_send(struct exchange *ex, const struct response_head *head, struct body_part *part)
{
    struct body_part own = {0};

    if (!part)
        part = &own;
    /* loop.c's reserve_scratch() has made room for every head that the config can ask for */
    if (head->overflow || !take_page(head, part)) {
        body_part_fini(part);
        carrier_fail(ex->carrier);
        return;
    }
    ex->head_len = head->len - head->body_len;
    body_begin(&ex->body, part);
    ex->carrier->kind->send(ex->carrier, head->out, ex->head_len);
}

/* --- what a page says besides its status ----------------------------------------------------- */

static struct response_page page_of(const struct exchange *ex, enum http_status status,
                                    char *challenge, size_t cap)
{
    struct response_page page = {
        .status = status,
        .head_only = ex->req.method == HTTP_HEAD,
        .file_size = ex->file_size,
        .retry_seconds = ex->retry_seconds,
        .varies_by_language = ex->page_varies,
    };

    if (status == HTTP_UNAUTHORIZED && ex->rule)
        page.authenticate =
            (struct span){challenge, http_auth_challenge(challenge, cap, ex->rule->realm)};
    return page;
}

static void answer_own_page(struct exchange *ex, const struct response_page *page)
{
    struct response_head head = answer_start_head(ex, page->status);

    response_head_page(&head, &ex->scope, page);
    answer_send(ex, &head, NULL);
}

#define CHALLENGE_MAX 1024 /* enough for any realm: config_table_site.c limits its length */

static void answer_status(struct exchange *ex, enum http_status status)
{
    char challenge[CHALLENGE_MAX];
    struct response_page page = page_of(ex, status, challenge, sizeof(challenge));

    answer_own_page(ex, &page);
}

/* --- refusals -------------------------------------------------------------------------------- */

void answer_refuse_plainly(struct exchange *ex)
{
    answer_status(ex, ex->page_status);
}

static void look_for_page(struct exchange *ex, const char *path)
{
    struct site_location location;

    if (site_places_locate_root(&ex->site->places, exchange_slice(ex, ex->req.host),
                                (struct span){path, strlen(path)}, &ex->loop->scratch,
                                &location) == HTTP_OK)
        answer_search(ex, &location);
    else
        answer_refuse_plainly(ex);
}

void answer_refuse(struct exchange *ex, enum http_status status)
{
    struct site_error_page page = {0};
    struct span path = {"", 0};

    if (ex->search == SEARCH_PAGE) { /* the error page itself failed */
        answer_refuse_plainly(ex);
        return;
    }
    if (ex->site && ex->site->cfg->error_rule_count > 0)
        path = answer_asked_path(ex);
    if (ex->site)
        page = site_error_page_find(ex->site->cfg, path, status, &ex->req, ex->head);
    ex->page_status = status;
    ex->page_varies = page.depends_on_language;
    ex->coding = CODING_IDENTITY;
    if (!page.path) {
        answer_refuse_plainly(ex);
        return;
    }
    ex->search = SEARCH_PAGE;
    look_for_page(ex, page.path);
}

void answer_page_file(struct exchange *ex, struct file_entry *entry, bool from_memory)
{
    char challenge[CHALLENGE_MAX];
    struct response_page page = page_of(ex, ex->page_status, challenge, sizeof(challenge));
    struct response_head head = answer_start_head(ex, ex->page_status);
    struct mime_type type = mime_type(ex->live->cfg, file_entry_name(entry));
    struct body_part part = {
        .entry = entry,
        .from_memory = from_memory,
        .len = page.head_only ? 0 : entry->facts.size,
    };

    page.coding = mime_coding(type, file_entry_name(entry));
    response_head_page_file(&head, &ex->scope, &page, type, entry->facts.size);
    answer_send(ex, &head, &part);
    file_cache_put(&ex->loop->files, entry);
}

/* --- redirects ------------------------------------------------------------------------------- */

void answer_redirect(struct exchange *ex, enum http_status status, struct span location)
{
    struct response_page page = {
        .status = status, .head_only = ex->req.method == HTTP_HEAD, .location = location};

    answer_own_page(ex, &page);
}

void answer_redirect_page(struct exchange *ex, enum site_address address)
{
    struct span query = exchange_slice(ex, ex->req.query), unused;
    struct site_scratch *scratch = &ex->loop->scratch;
    struct url_path path;
    size_t len = 0;

    if (answer_map(ex, &path, &unused) == HTTP_OK && path.len + 2 < ex->loop->path_cap) {
        site_try_move(address, ex->site->cfg, &path, ex->loop->path);
        len =
            url_path_encode(scratch->bytes, scratch->cap, (struct span){ex->loop->path, path.len});
    }
    if (len == 0 || len + 1 + query.len > scratch->cap) {
        answer_refuse(ex, HTTP_NOT_FOUND);
        return;
    }
    if (ex->req.query.off > 0) {
        scratch->bytes[len++] = '?';
        memcpy(scratch->bytes + len, query.ptr, query.len);
        len += query.len;
    }
    answer_redirect(ex, HTTP_MOVED_PERMANENTLY, (struct span){scratch->bytes, len});
}

void answer_options(struct exchange *ex)
{
    struct response_head head = answer_start_head(ex, HTTP_NO_CONTENT);

    response_head_options(&head, &ex->scope);
    answer_send(ex, &head, NULL);
}

void answer_preflight(struct exchange *ex)
{
    struct response_head head = answer_start_head(ex, HTTP_NO_CONTENT);

    if (ex->cors.preflight)
        response_append(&head, ex->cors.preflight, strlen(ex->cors.preflight));
    response_head_options(&head, &ex->scope);
    answer_send(ex, &head, NULL);
}

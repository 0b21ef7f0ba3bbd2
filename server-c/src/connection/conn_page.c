/* SPDX-License-Identifier: MIT */
/* conn_page.c — answers that are no file asked for: refusals, redirects, OPTIONS.
 *
 * A site may have a page for a status. It is looked for like any file; when it can't be had, the
 * client gets a short page of our own, so a missing error page never hides the error. */
#include "connection/conn_answer.h"

#include "http/http_auth.h"
#include "response/mime.h"
#include "response/response.h"

#include <string.h>

struct response_head conn_start_head(struct conn *c, enum http_status status)
{
    struct response_head head = {.out = c->loop->head, .cap = c->loop->head_cap};
    enum response_connection connection = CONNECTION_DEFAULT;

    if (c->loop->is_stopping && !c->close_after) /* the next request may be on its way */
        c->close_after = c->linger_after = true;
    if (c->close_after)
        connection = CONNECTION_CLOSE;
    else if (c->ex->req.minor == 0)
        connection = CONNECTION_KEEP_ALIVE;
    c->ex->status = status;
    response_head_start(&head, status, loop_date(c->loop), connection);
    return head;
}

void conn_send_head(struct conn *c, const struct response_head *head, struct body_part *part)
{
    if (head->overflow) { /* reserve_scratch() makes room for whatever a config asks for */
        if (part)
            body_part_fini(part);
        conn_close(c);
        return;
    }
    conn_send(c, head->out, head->len, part);
}

/* --- what a page says besides its status ----------------------------------------------------- */

static struct response_page page_of(const struct conn *c, enum http_status status, char *challenge,
                                    size_t cap)
{
    struct response_page page = {
        .status = status,
        .head_only = c->ex->req.method == HTTP_HEAD,
        .file_size = c->ex->file_size,
    };

    if (status == HTTP_UNAUTHORIZED && c->ex->rule)
        page.authenticate =
            (struct span){challenge, http_auth_challenge(challenge, cap, c->ex->rule->realm)};
    return page;
}

static void answer_own_page(struct conn *c, const struct response_page *page)
{
    struct response_head head = conn_start_head(c, page->status);

    response_head_page(&head, &c->ex->scope, page);
    conn_send_head(c, &head, NULL);
}

#define CHALLENGE_MAX 1024 /* config_table_site.c bounds the realm */

static void answer_status(struct conn *c, enum http_status status)
{
    char challenge[CHALLENGE_MAX];
    struct response_page page = page_of(c, status, challenge, sizeof(challenge));

    answer_own_page(c, &page);
}

/* --- refusals -------------------------------------------------------------------------------- */

/* "404" goes before "4xx"; of equal ones the config has one only. */
static const char *find_page(const struct config_site *cfg, enum http_status status)
{
    const char *of_class = NULL;
    char code[4], class[4];

    snprintf(code, sizeof(code), "%03u", (unsigned)status % 1000);
    snprintf(class, sizeof(class), "%uxx", (unsigned)status / 100 % 10);
    for (size_t i = 0; i < cfg->error_page_count; i++) {
        if (strcmp(cfg->error_pages[i].status, code) == 0)
            return cfg->error_pages[i].path;
        if (strcmp(cfg->error_pages[i].status, class) == 0)
            of_class = cfg->error_pages[i].path;
    }
    return of_class;
}

void conn_refuse_plainly(struct conn *c)
{
    answer_status(c, c->ex->page_status);
}

static void look_for_page(struct conn *c, const char *path)
{
    struct site_location location;

    if (site_places_locate_root(
            &c->ex->site->places, http_slice_of(c->in + c->in_pos, c->ex->req.host),
            (struct span){path, strlen(path)}, &c->loop->scratch, &location) == HTTP_OK)
        conn_search(c, &location);
    else
        conn_refuse_plainly(c);
}

void conn_refuse(struct conn *c, enum http_status status)
{
    const char *path = c->ex->site ? find_page(c->ex->site->cfg, status) : NULL;

    if (c->ex->search == SEARCH_PAGE) { /* that was the page */
        conn_refuse_plainly(c);
        return;
    }
    c->ex->page_status = status;
    c->ex->coding = CODING_IDENTITY;
    if (!path) {
        conn_refuse_plainly(c);
        return;
    }
    c->ex->search = SEARCH_PAGE;
    look_for_page(c, path);
}

void conn_answer_page_file(struct conn *c, struct file_entry *entry, bool from_memory)
{
    char challenge[CHALLENGE_MAX];
    struct response_page page = page_of(c, c->ex->page_status, challenge, sizeof(challenge));
    struct response_head head = conn_start_head(c, c->ex->page_status);
    struct mime_type type = mime_type(c->ex->live->cfg, file_entry_name(entry));
    struct body_part part = {
        .entry = entry,
        .from_memory = from_memory,
        .len = page.head_only ? 0 : entry->facts.size,
    };

    page.coding = mime_coding(type, file_entry_name(entry));
    response_head_page_file(&head, &c->ex->scope, &page, type, entry->facts.size);
    conn_send_head(c, &head, &part);
    file_cache_put(&c->loop->files, entry);
}

/* --- redirects ------------------------------------------------------------------------------- */

void conn_redirect(struct conn *c, enum http_status status, struct span location)
{
    struct response_page page = {
        .status = status, .head_only = c->ex->req.method == HTTP_HEAD, .location = location};

    answer_own_page(c, &page);
}

void conn_redirect_to_folder(struct conn *c)
{
    struct span query = http_slice_of(c->in + c->in_pos, c->ex->req.query), unused;
    struct site_scratch *scratch = &c->loop->scratch;
    struct url_path path;
    size_t len = 0;

    if (conn_map(c, &path, &unused) == HTTP_OK)
        len = url_path_encode(scratch->bytes, scratch->cap, (struct span){c->loop->path, path.len});
    if (len == 0 || len + 2 + query.len > scratch->cap) {
        conn_refuse(c, HTTP_NOT_FOUND);
        return;
    }
    scratch->bytes[len++] = '/';
    if (c->ex->req.query.off > 0) {
        scratch->bytes[len++] = '?';
        memcpy(scratch->bytes + len, query.ptr, query.len);
        len += query.len;
    }
    conn_redirect(c, HTTP_MOVED_PERMANENTLY, (struct span){scratch->bytes, len});
}

void conn_answer_options(struct conn *c)
{
    struct response_head head = conn_start_head(c, HTTP_NO_CONTENT);

    response_head_options(&head, &c->ex->scope);
    conn_send_head(c, &head, NULL);
}

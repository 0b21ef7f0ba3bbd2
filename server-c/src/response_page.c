/* SPDX-License-Identifier: MIT */
/* response_page.c — heads of answers that are no file asked for, and our own short pages. */
#include "response_parts.h"

#define ALLOWED_METHODS "GET, HEAD, OPTIONS"
#define RETRY_AFTER_SECONDS "1"

/* What the status calls for. */
static void append_status_fields(struct response_head *out, const struct response_choice *choice,
                                 const struct response_page *page)
{
    switch ((int)page->status) {
    case HTTP_MOVED_PERMANENTLY:
    case HTTP_FOUND:
    case HTTP_SEE_OTHER:
    case HTTP_TEMPORARY_REDIRECT:
    case HTTP_PERMANENT_REDIRECT:
        APPEND(out, "Location: ");
        response_append(out, page->location.ptr, page->location.len);
        APPEND(out, "\r\n");
        break;
    case HTTP_UNAUTHORIZED:
        APPEND(out, "WWW-Authenticate: ");
        response_append(out, page->authenticate.ptr, page->authenticate.len);
        APPEND(out, "\r\n");
        break;
    case HTTP_METHOD_NOT_ALLOWED:
        APPEND(out, "Allow: " ALLOWED_METHODS "\r\n");
        break;
    case HTTP_RANGE_NOT_SATISFIABLE:
        APPEND(out, "Content-Range: bytes */");
        append_number(out, page->file_size);
        APPEND(out, "\r\n");
        break;
    case HTTP_UNAVAILABLE:
        if (keeps(choice, OWN_RETRY_AFTER))
            APPEND(out, "Retry-After: " RETRY_AFTER_SECONDS "\r\n");
        break;
    }
}

void response_head_page_file(struct response_head *out, const struct response_scope *scope,
                             const struct response_page *page, struct mime_type type,
                             uint64_t length)
{
    struct response_choice choice = response_rules_choose(scope, page->status, type.name);

    append_server(out, &choice);
    if (keeps(&choice, OWN_CONTENT_TYPE))
        append_type(out, type);
    append_length(out, length);
    append_status_fields(out, &choice, page);
    append_end(out, &choice);
}

void response_head_page(struct response_head *out, const struct response_scope *scope,
                        const struct response_page *page)
{
    static const char before[] = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>";
    static const char middle[] = "</title><h1>";
    static const char after[] = "</h1></html>\n";
    static const struct mime_type html = {"text/html", "utf-8"};
    const char *text = http_status_text(page->status);
    size_t title_len = 4 + strlen(text);

    response_head_page_file(out, scope, page, html,
                            sizeof(before) + sizeof(middle) + sizeof(after) - 3 + 2 * title_len);
    if (page->head_only)
        return;
    for (int i = 0; i < 2; i++) {
        append_text(out, i == 0 ? before : middle);
        append_number(out, (uint64_t)page->status);
        APPEND(out, " ");
        append_text(out, text);
    }
    append_text(out, after);
}

void response_head_listing(struct response_head *out, const struct response_scope *scope,
                           struct mime_type type, uint64_t length, int64_t now)
{
    struct response_choice choice = response_rules_choose(scope, HTTP_OK, type.name);
    struct response_clock clock = {now, false, 0};

    append_server(out, &choice);
    if (keeps(&choice, OWN_CONTENT_TYPE))
        append_type(out, type);
    append_length(out, length);
    if (keeps(&choice, OWN_CACHE_CONTROL))
        response_expires_append(out, scope, type.name, &clock);
    APPEND(out, "Vary: Accept\r\n");
    append_end(out, &choice);
}

void response_head_options(struct response_head *out, const struct response_scope *scope)
{
    struct response_choice choice = response_rules_choose(scope, HTTP_NO_CONTENT, NULL);

    append_server(out, &choice);
    APPEND(out, "Allow: " ALLOWED_METHODS "\r\n");
    append_end(out, &choice);
}

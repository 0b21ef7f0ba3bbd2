/* SPDX-License-Identifier: MIT */
/* response_page.c — writes the heads of responses other than files, and our own short pages. */
#include "response/response_parts.h"

#define ALLOWED_METHODS "GET, HEAD, OPTIONS"
#define RETRY_AFTER_SECONDS 1

/* Writes the field that the status requires: Location (RFC 9110 section 10.2.2), WWW-Authenticate
 * (section 11.6.1), Allow (section 10.2.1), Content-Range (section 15.5.17) or Retry-After (section
 * 10.2.3). */
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
    case HTTP_TOO_MANY_REQUESTS:
    case HTTP_UNAVAILABLE:
        if (!keeps(choice, OWN_RETRY_AFTER))
            break;
        APPEND(out, "Retry-After: ");
        append_number(out, page->retry_seconds ? page->retry_seconds : RETRY_AFTER_SECONDS);
        APPEND(out, "\r\n");
        break;
    }
}

static void append_page_head(struct response_head *out, const struct response_scope *scope,
                             const struct response_page *page, struct mime_type type,
                             uint64_t length, bool is_own)
{
    struct response_choice choice = response_rules_choose(scope, page->status, type.name);

    choice.skips_policy = is_own;
    append_server(out, &choice);
    if (keeps(&choice, OWN_CONTENT_TYPE))
        append_type(out, type);
    append_length(out, length);
    append_coding(out, page->coding);
    append_status_fields(out, &choice, page);
    if (page->varies_by_language)
        APPEND(out, "Vary: Accept-Language\r\n");
    append_end(out, &choice);
}

void response_head_page_file(struct response_head *out, const struct response_scope *scope,
                             const struct response_page *page, struct mime_type type,
                             uint64_t length)
{
    append_page_head(out, scope, page, type, length, false);
}

/* --- our own page ---------------------------------------------------------------------------- */

/* Uses the colours of the listing, is centred, and has no script. */
static const char page_start[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<style>"
    ":root{color-scheme:light dark}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;text-align:center;"
    "font:1rem/1.5 system-ui,sans-serif;background:#fff;color:#1b1b1f}"
    "main{max-width:30rem;padding:1rem}"
    "h1{margin:0;font-size:1.5rem}"
    "p{margin:.5rem 0 0;color:#5b5b66}"
    "a{color:#0b57d0}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#e4e4e9}p{color:#a9abb6}"
    "a{color:#9cc2ff}}</style>\n<title>";

static const char *sentence_of(enum http_status status)
{
    static const struct {
        enum http_status status;
        const char *sentence;
    } rows[] = {
#define X(code, name, text, sentence) {HTTP_##name, sentence},
#include "http/http_status.def"
#undef X
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (rows[i].status == status)
            return rows[i].sentence;
    return "";
}

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

/* Bytes of an address; a longer one is only in Location (RFC 9110 section 15.4). */
#define LINK_MAX 512
#define LINK_HTML_MAX (6 * LINK_MAX + 64)

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static struct span link_to(struct span location, char html[LINK_HTML_MAX])
{
    struct response_head out = {.out = html, .cap = LINK_HTML_MAX};

    if (location.len == 0 || location.len > LINK_MAX)
        return span_of("another address");
    APPEND(&out, "<a href=\"");
    for (size_t i = 0; i < location.len; i++) {
        const char *escape = escape_of(location.ptr[i]);
        response_append(&out, escape ? escape : location.ptr + i, escape ? strlen(escape) : 1);
    }
    APPEND(&out, "\">another address</a>");
    return (struct span){html, out.len};
}

void response_head_page(struct response_head *out, const struct response_scope *scope,
                        const struct response_page *page)
{
    static const struct mime_type html = {"text/html", "utf-8"};
    const char *sentence = sentence_of(page->status), *mark = strchr(sentence, '%');
    size_t before_mark = mark ? (size_t)(mark - sentence) : strlen(sentence);
    char code[5] = {(char)('0' + page->status / 100 % 10), (char)('0' + page->status / 10 % 10),
                    (char)('0' + page->status % 10), ' '};
    struct span text = span_of(http_status_text(page->status));
    char link[LINK_HTML_MAX];
    const struct span pieces[] = {
        {page_start, sizeof(page_start) - 1},
        {code, 4},
        text,
        span_of("</title>\n</head>\n<body>\n<main>\n<h1>"),
        {code, 4},
        text,
        span_of("</h1>\n<p>"),
        {sentence, before_mark},
        mark ? link_to(page->location, link) : span_of(""),
        span_of(mark ? mark + 1 : ""),
        span_of("</p>\n</main>\n</body>\n</html>\n"),
    };
    uint64_t length = 0;

    for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
        length += pieces[i].len;
    append_page_head(out, scope, page, html, length, true);
    if (page->head_only)
        return;
    for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
        response_append(out, pieces[i].ptr, pieces[i].len);
    out->body_len = (size_t)length;
}

/* --- listings and OPTIONS -------------------------------------------------------------------- */

static void append_listing_body(struct response_head *out, const struct response_choice *choice,
                                const struct response_listing *listing)
{
    if (keeps(choice, OWN_CONTENT_TYPE))
        append_type(out, listing->type);
    append_length(out, listing->length);
    if (listing->policy && keeps(choice, OWN_CONTENT_SECURITY_POLICY)) {
        APPEND(out, "Content-Security-Policy: ");
        append_text(out, listing->policy);
        APPEND(out, "\r\n");
    }
}

void response_head_listing(struct response_head *out, const struct response_scope *scope,
                           const struct response_listing *listing, int64_t now)
{
    struct response_choice choice =
        response_rules_choose(scope, listing->status, listing->type.name);
    struct response_clock clock = {now, false, 0};

    choice.skips_policy = listing->policy != NULL;
    append_server(out, &choice);
    if (listing->status == HTTP_OK)
        append_listing_body(out, &choice, listing);
    if (keeps(&choice, OWN_CACHE_CONTROL))
        response_expires_append(out, scope, listing->type.name, &clock);
    /* RFC 9110 section 12.5.5: Accept decides between HTML and JSON. */
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

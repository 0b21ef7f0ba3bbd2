/* SPDX-License-Identifier: MIT */
/* answer_hint.c — a 103 (Early Hints, RFC 8297): what a page will want, said to a browser while a disk is
 * asked for the page. Why to so few: docs/decisions/0122-early-hints-to-browsers-that-wait.md. */
#include "answer/answer.h"

#include "response/mime.h"
#include "response/response.h"

/* Browsers alone send Sec-Fetch-Mode, and each that does knows what a 1xx is. A proxy may not. */
static bool takes_hints(const struct exchange *ex)
{
    const struct http_request *req = &ex->req;

    return req->method == HTTP_GET && req->minor > 0 &&
           http_span_equals(http_request_field(req, ex->head, FIELD_SEC_FETCH_MODE), "navigate") &&
           !http_request_has(req, FIELD_VIA) && !http_request_has(req, FIELD_FORWARDED) &&
           !http_request_has(req, FIELD_X_FORWARDED_FOR) &&
           !http_request_has(req, FIELD_X_FORWARDED_PROTO);
}

/* Rules about who may ask are applied to the path before anything is looked up. They hold for the file
 * that is found, too. */
static bool may_be_refused(const struct exchange *ex)
{
    const struct config_site *cfg = ex->site->cfg;
    bool is_found = ex->entry || ex->plain;

    return !is_found &&
           cfg->access_count + cfg->auth_count + cfg->signed_url_count + cfg->hotlink_count > 0;
}

static bool has_suffix(struct span path)
{
    size_t i = path.len;

    while (i > 0 && path.ptr[i - 1] != '/' && path.ptr[i - 1] != '.')
        i--;
    return i > 0 && path.ptr[i - 1] == '.';
}

void answer_hint(struct exchange *ex, struct span path)
{
    struct response_choice choice;
    struct span lines;
    const char *type = "text/html"; /* of a path without a suffix, as far as one knows */

    if (ex->has_hints || ex->search == SEARCH_PAGE || !takes_hints(ex) || may_be_refused(ex))
        return;
    if (ex->plain)
        path = file_entry_name(ex->plain);
    if (has_suffix(path))
        type = mime_type(ex->live->cfg, path).name;
    choice = response_rules_choose(&ex->scope, HTTP_OK, type);
    lines = response_preload_lines(&choice, ex->scope.match, type);
    if (lines.len == 0)
        return;
    ex->has_hints = true;
    if (ex->carrier->kind->hint(ex->carrier, lines.ptr, lines.len))
        loop_count(ex->live, COUNTER_EARLY_HINTS, 1);
}

/* SPDX-License-Identifier: MIT */
/* exchange.c — begins an exchange, chooses the kind of response, and ends the exchange. */
#include "answer/exchange.h"

#include "answer/answer.h"

void exchange_init(struct exchange *ex)
{
    list_init(&ex->waiter.link);
    ex->body.clock = &ex->clock;
}

void exchange_begin(struct exchange *ex, struct carrier *carrier, const char *head)
{
    struct loop *loop = carrier->loop;

    ex->carrier = carrier;
    ex->loop = loop;
    ex->head = head;
    memset(&ex->clock, 0, sizeof(ex->clock));
    ex->clock.head_ns = stage_now();
    ex->live = live_config_get(loop->live);
    ex->peer = visitor_find(&ex->visitor, &ex->live->sites->proxies, carrier->peer, &ex->req, head);
    ex->is_secure = carrier->tls || carrier->is_secure ||
                    visitor_came_by_https(&ex->live->sites->proxies, carrier->peer, &ex->req, head);
    ex->attempts = 0;
    ex->fallback = 0;
    ex->site = site_set_find(ex->live->sites, exchange_slice(ex, ex->req.host));
    ex->scope = (struct response_scope){.rules = ex->site ? &ex->site->rules : NULL};
    ex->cors = (struct site_cors_answer){0};
    ex->search = SEARCH_FILE;
    ex->coding = CODING_IDENTITY;
    ex->is_copy = ex->skips_copies = false;
    ex->page_status = HTTP_OK;
    ex->page_varies = false;
    ex->retry_seconds = 0;
    ex->is_signed_in = ex->has_hints = false;
    ex->rule = NULL;
}

/* No site for the host: 421 (RFC 9110 sections 7.4 and 15.5.20). Unknown methods get 501, others
 * that are not allowed 405 (section 9.1). */
void exchange_answer(struct exchange *ex)
{
    if (answer_challenge(ex))
        return;
    if (ex->site && ex->site->cors && answer_cors(ex))
        return;
    if (ex->site && ex->site->limits && answer_limit(ex))
        return;
    if (!ex->site)
        answer_refuse(ex, HTTP_MISDIRECTED_REQUEST);
    else if (!answer_admit_connection(ex) || (ex->site->preview && !answer_admit_preview(ex)))
        return;
    else if (ex->req.method == HTTP_OTHER_METHOD)
        answer_refuse(ex, HTTP_NOT_IMPLEMENTED);
    else if (ex->req.method == HTTP_KNOWN_METHOD)
        answer_refuse(ex, HTTP_METHOD_NOT_ALLOWED);
    else if (ex->req.method == HTTP_OPTIONS)
        answer_options(ex);
    else
        answer_find(ex);
}

void exchange_answer_broken(struct exchange *ex)
{
    if (ex->req.status != HTTP_REQUEST_TIMEOUT)
        loop_count(ex->live, COUNTER_BAD_REQUESTS, 1);
    ex->page_status = ex->req.status;
    answer_refuse_plainly(ex);
}

void exchange_answer_status(struct exchange *ex, enum http_status status)
{
    answer_refuse(ex, status);
}

void exchange_stop_waiting(struct exchange *ex)
{
    struct file_cache *files = &ex->loop->files;

    file_cache_cancel(&ex->waiter);
    auth_cancel(&ex->auth_waiter);
    answer_end_listing(ex);
    if (ex->entry)
        file_cache_put(files, ex->entry);
    if (ex->plain)
        file_cache_put(files, ex->plain);
    ex->entry = ex->plain = NULL;
    answer_forget_user(ex);
}

void exchange_end(struct exchange *ex)
{
    if (!ex->live)
        return;
    exchange_stop_waiting(ex);
    body_end(&ex->body, ex->loop);
    live_config_put(ex->live);
    ex->live = NULL;
}

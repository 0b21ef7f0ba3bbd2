/* SPDX-License-Identifier: MIT */
/* answer_challenge.c — answers an authority that looks whether we hold a host name (acme_challenges.h),
 * before anything that a config says. */
#include "answer/answer.h"

#include "base/util.h"
#include "response/response.h"
#include "site/acme_challenges.h"

#include <string.h>

static void send_answer(struct exchange *ex, const char *answer)
{
    static const struct mime_type plain = {"text/plain", "utf-8"};
    const struct response_page page = {.status = HTTP_OK, .head_only = ex->req.method == HTTP_HEAD};
    struct body_part part = {0};
    struct response_head head;

    ex->scope = (struct response_scope){0};
    head = answer_start_head(ex, HTTP_OK);
    response_head_page_file(&head, &ex->scope, &page, plain, strlen(answer));
    if (!page.head_only) {
        part.text_len = strlen(answer);
        part.text = malloc(part.text_len);
        if (!part.text) {
            carrier_fail(ex->carrier);
            return;
        }
        memcpy(part.text, answer, part.text_len);
    }
    answer_send(ex, &head, &part);
}

bool answer_challenge(struct exchange *ex)
{
    static const size_t prefix_len = sizeof(ACME_PATH) - 1;
    struct span path = exchange_slice(ex, ex->req.path);
    char answer[ACME_ANSWER_LEN + 1];

    if (path.len <= prefix_len || memcmp(path.ptr, ACME_PATH, prefix_len) != 0 ||
        (ex->req.method != HTTP_GET && ex->req.method != HTTP_HEAD))
        return false;
    if (!acme_challenges_find(ex->loop->shared->challenges, exchange_slice(ex, ex->req.host),
                              (struct span){path.ptr + prefix_len, path.len - prefix_len},
                              monotonic_ns() / NS_PER_MS, answer))
        return false;
    send_answer(ex, answer);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* answer_limit.c — counts a request against what its address may ask of the site. */
#include "answer/answer.h"

#include "net/request_table.h"

bool answer_limit(struct exchange *ex)
{
    const struct site_limit *limit =
        site_limits_find(ex->site->limits, ex->site->cfg, answer_asked_path(ex));
    struct request_rate rate;

    if (!limit)
        return false;
    rate = (struct request_rate){limit->interval_ns, limit->cfg->burst};
    ex->retry_seconds = request_table_take(ex->loop->shared->requests, ex->peer, limit->mark, &rate,
                                           ex->clock.head_ns);
    if (ex->retry_seconds == 0)
        return false;
    loop_count(ex->live, COUNTER_RATE_LIMITED, 1);
    answer_refuse(ex, HTTP_TOO_MANY_REQUESTS);
    return true;
}

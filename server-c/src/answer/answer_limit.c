/* SPDX-License-Identifier: MIT */
/* answer_limit.c — counts a request against what its address may ask of the site. */
#include "answer/answer.h"

#include "net/request_table.h"

bool answer_limit(struct exchange *ex)
{
    struct loop *loop = ex->loop;
    const struct site_limit *limit;
    struct request_rate rate;
    struct url_path path;

    if (url_path_resolve(&path, loop->path, loop->path_cap, exchange_slice(ex, ex->req.path)) !=
        HTTP_OK)
        return false;
    limit = site_limits_find(ex->site->limits, ex->site->cfg, (struct span){loop->path, path.len});
    if (!limit)
        return false;
    rate = (struct request_rate){limit->interval_ns, limit->cfg->burst};
    ex->retry_seconds =
        request_table_take(loop->shared->requests, ex->peer, limit->mark, &rate, ex->clock.head_ns);
    if (ex->retry_seconds == 0)
        return false;
    loop_count(ex->live, COUNTER_RATE_LIMITED, 1);
    answer_refuse(ex, HTTP_TOO_MANY_REQUESTS);
    return true;
}

/* SPDX-License-Identifier: MIT */
#include "net/progress.h"

#define NOTHING_TAKEN INT64_MIN /* while lingering: before the first look */

bool progress_suffices(const struct progress *progress, int64_t taken, uint64_t least,
                       uint64_t now_ms)
{
    uint64_t wanted = least * (now_ms - progress->since_ms) / 1000;

    return taken >= progress->taken + (int64_t)(wanted > 0 ? wanted : 1);
}

bool progress_is_over(const struct progress *progress, const struct loop *loop)
{
    return uv_now(&loop->uv) - progress->since_ms >= WRITE_LOOKS * loop->timeout_ms[TIMEOUT_WRITE];
}

/* While lingering, nothing is sent any more, so what was taken is counted backwards: from minus the
 * bytes that the client has not acknowledged up to 0. */
void progress_begin_lingering(struct progress *progress, const struct loop *loop)
{
    *progress = (struct progress){uv_now(&loop->uv), NOTHING_TAKEN};
}

bool progress_lingers(struct progress *progress, const struct loop *loop,
                      struct transport *transport)
{
    uint64_t least = loop->live ? loop->live->cfg->limits.min_bytes_per_second : 0;
    uint64_t now_ms = uv_now(&loop->uv);
    int64_t unsent = transport_unsent(transport);
    bool is_first = progress->taken == NOTHING_TAKEN;

    if (unsent < 0)
        return false;
    if (unsent == 0 && (is_first || progress->taken == 0))
        return false; /* it has had all since the last look or longer */
    if (is_first || unsent == 0 || progress_suffices(progress, -unsent, least, now_ms)) {
        *progress = (struct progress){now_ms, -unsent};
        return true;
    }
    return !progress_is_over(progress, loop);
}

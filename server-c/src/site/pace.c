/* SPDX-License-Identifier: MIT */
/* pace.c — draws from the rates of site and connection, and keeps from when on a share is due. */
#include "site/pace.h"

#include "base/util.h"

void pace_begin(struct pace *pace, struct rate_bucket *of_site, struct rate_limit *of_connection,
                uint64_t now_ns)
{
    *pace =
        (struct pace){.of_site = of_site, .of_connection = of_connection, .share_from_ns = now_ns};
}

uint64_t pace_draw(struct pace *pace, uint64_t now_ns)
{
    struct rate_bucket *bucket = pace->of_site;
    uint64_t wanted = UINT64_MAX, most;

    if (bucket && atomic_load_explicit(&bucket->waiting, memory_order_relaxed) > 0)
        wanted = rate_bucket_share(bucket, now_ns - pace->share_from_ns);
    most = rate_limit_take(pace->of_connection, wanted, now_ns);
    pace->drawn = bucket && most > 0 ? rate_bucket_take(bucket, most, now_ns) : most;
    pace->drawn_ns = now_ns;
    rate_limit_give_back(pace->of_connection, most - pace->drawn);
    return pace->drawn;
}

void pace_settle(struct pace *pace, uint64_t unused)
{
    uint64_t due_ns = pace->drawn_ns - pace->share_from_ns;

    if (pace->drawn > 0)
        pace->share_from_ns =
            pace->drawn_ns - (uint64_t)((double)due_ns * (double)unused / (double)pace->drawn);
    rate_limit_give_back(pace->of_connection, unused);
    if (pace->of_site)
        rate_bucket_give_back(pace->of_site, unused);
}

void pace_wait(struct pace *pace)
{
    if (pace->of_site && !pace->is_waiting)
        atomic_fetch_add_explicit(&pace->of_site->waiting, 1, memory_order_relaxed);
    pace->is_waiting = true;
}

void pace_stop_waiting(struct pace *pace)
{
    if (pace->of_site && pace->is_waiting)
        atomic_fetch_sub_explicit(&pace->of_site->waiting, 1, memory_order_relaxed);
    pace->is_waiting = false;
}

uint64_t pace_least(const struct pace *pace, uint64_t most)
{
    if (pace->of_connection->bytes_per_second > 0)
        most = smaller_of(most, pace->of_connection->bytes_per_second);
    if (pace->of_site)
        most = smaller_of(most, rate_bucket_rate_of_one(pace->of_site));
    return most;
}

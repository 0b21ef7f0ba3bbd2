/* SPDX-License-Identifier: MIT */
/* A budget that is spent, and given back by time and by what the client takes, never beyond its size. */
#include "http2/http2_guard.c"

#include "check.h"

static int spend_all(struct http2_guard *guard, uint64_t now_ms, enum guard_cost cost)
{
    int count = 0;

    while (count < 100000 && http2_guard_spend(guard, now_ms, cost))
        count++;
    return count;
}

int main(void)
{
    struct http2_guard guard;

    http2_guard_init(&guard, 1000);
    CHECK_INT(__LINE__, "frames at once", spend_all(&guard, 1000, GUARD_FRAME), GUARD_FULL);
    CHECK_INT(__LINE__, "none left", spend_all(&guard, 1009, GUARD_FRAME), 0);
    CHECK_INT(__LINE__, "10 ms later", spend_all(&guard, 1010, GUARD_FRAME), 1);
    CHECK_INT(__LINE__, "parts of a point stay due", spend_all(&guard, 1015, GUARD_FRAME), 0);
    CHECK_INT(__LINE__, "and come", spend_all(&guard, 1020, GUARD_FRAME), 1);
    CHECK_INT(__LINE__, "a second later", spend_all(&guard, 2020, GUARD_RESET), 10);
    CHECK_INT(__LINE__, "an hour later, no more than all", spend_all(&guard, 3602020, GUARD_ERROR),
              GUARD_FULL / GUARD_ERROR);

    http2_guard_init(&guard, 0);
    spend_all(&guard, 0, GUARD_FRAME);
    http2_guard_earn(&guard, 1000);
    CHECK_INT(__LINE__, "too few bytes", spend_all(&guard, 0, GUARD_FRAME), 0);
    http2_guard_earn(&guard, 24);
    CHECK_INT(__LINE__, "bytes add up", spend_all(&guard, 0, GUARD_FRAME), 1);
    http2_guard_earn(&guard, UINT32_MAX);
    CHECK_INT(__LINE__, "no more than all", spend_all(&guard, 0, GUARD_FRAME), GUARD_FULL);

    http2_guard_init(&guard, 0);
    CHECK_INT(__LINE__, "idle time saves nothing up", spend_all(&guard, 3600000, GUARD_FRAME),
              GUARD_FULL);
    return check_end("http2_guard");
}

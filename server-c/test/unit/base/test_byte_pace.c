/* SPDX-License-Identifier: MIT */
/* Bytes and the times at which they may be taken. */
#include "base/byte_pace.c"

#include "check.h"

#define RATE 1000000u
#define MS UINT64_C(1000000)

/* Takes pieces one after the other, each as soon as it may be; returns how long all of them take. */
static uint64_t take_all(struct byte_pace *pace, uint64_t piece, int count, uint64_t now_ns)
{
    uint64_t began_ns = now_ns;

    for (int i = 0; i < count; i++)
        now_ns = byte_pace_take(pace, piece, RATE, now_ns);
    return now_ns - began_ns;
}

int main(void)
{
    struct byte_pace pace = {0};

    CHECK_INT(__LINE__, "a second's bytes take a second", take_all(&pace, 1000, 1000, 5 * MS),
              1000 * MS);
    CHECK_INT(__LINE__, "in large pieces, too", take_all(&pace, 250000, 4, 1005 * MS), 1000 * MS);
    CHECK_INT(__LINE__, "nothing is made up for", take_all(&pace, 1000, 10, 90000 * MS), 10 * MS);
    byte_pace_take(&pace, 5000, RATE, 100000 * MS);
    CHECK_INT(__LINE__, "who comes early waits for all before",
              byte_pace_take(&pace, 1000, RATE, 100001 * MS), 100006 * MS);
    CHECK_INT(__LINE__, "without a rate at once", byte_pace_take(&pace, 1 << 30, 0, 100001 * MS),
              100001 * MS);
    return check_end("byte_pace");
}

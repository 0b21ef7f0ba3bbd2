/* SPDX-License-Identifier: MIT */
#include "measure/tls_counts.c"

#include "check.h"

int main(void)
{
    static struct tls_counts sum, one;
    uint64_t *counts = (uint64_t *)(void *)&one, *sums = (uint64_t *)(void *)&sum;
    size_t count = sizeof(one) / sizeof(uint64_t);

    for (size_t i = 0; i < count; i++)
        counts[i] = i + 1;
    tls_counts_add(&sum, &one);
    tls_counts_add(&sum, &one);
    for (size_t i = 0; i < count; i++)
        CHECK_INT((int)i, "each is added to its own", sums[i], 2 * (i + 1));
    for (int i = 0; i < TLS_FAILURE_COUNT; i++)
        for (int j = 0; j <= i; j++)
            CHECK_INT(i, "each has a name of its own",
                      strcmp(tls_failure_name((enum tls_failure)i),
                             tls_failure_name((enum tls_failure)j)) == 0,
                      i == j);
    return check_end("tls_counts");
}

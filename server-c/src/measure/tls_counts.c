/* SPDX-License-Identifier: MIT */
/* tls_counts.c — sums and names. */
#include "measure/tls_counts.h"

const char *tls_failure_name(enum tls_failure failure)
{
    static const char *const names[] = {
        [TLS_FAILURE_CLIENT_GONE] = "clientGone",
        [TLS_FAILURE_TIME_OUT] = "timeOut",
        [TLS_FAILURE_PLAIN_HTTP] = "plainHttp",
        [TLS_FAILURE_OTHER] = "other",
    };

    return names[failure];
}

void tls_counts_add(struct tls_counts *to, const struct tls_counts *from)
{
    for (int i = 0; i < TLS_CIPHER_COUNT; i++)
        for (int resumed = 0; resumed < 2; resumed++)
            to->handshakes[i][resumed] += from->handshakes[i][resumed];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 256; i++)
            to->alerts[side][i] += from->alerts[side][i];
    for (int i = 0; i < TLS_FAILURE_COUNT; i++)
        to->failures[i] += from->failures[i];
}

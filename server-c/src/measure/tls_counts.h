/* SPDX-License-Identifier: MIT */
/* tls_counts.h — handshakes of TLS, counted: how they came out, or why they failed. */
#ifndef FARMSTEAD_TLS_COUNTS_H
#define FARMSTEAD_TLS_COUNTS_H

#include "tls/tls.h"

/* Why a handshake failed without an alert. */
enum tls_failure {
    TLS_FAILURE_CLIENT_GONE, /* it closed or reset the connection */
    TLS_FAILURE_TIME_OUT,
    TLS_FAILURE_PLAIN_HTTP, /* it sent a request without TLS */
    TLS_FAILURE_OTHER,      /* it sent what is no handshake, or there was no memory */
    TLS_FAILURE_COUNT
};
const char *tls_failure_name(enum tls_failure failure); /* static */

struct tls_counts {
    uint64_t handshakes[TLS_CIPHER_COUNT][2]; /* full, resumed */
    uint64_t alerts[2][256];                  /* that we sent, that clients sent; by number */
    uint64_t failures[TLS_FAILURE_COUNT];
};
void tls_counts_add(struct tls_counts *to, const struct tls_counts *from);

#endif

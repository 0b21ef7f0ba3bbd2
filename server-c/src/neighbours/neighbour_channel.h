/* SPDX-License-Identifier: MIT */
/* neighbour_channel.h — TLS over a socket for a thread that waits: each step has a time by which it has ended.
 *
 * TLS 1.3, without resumption. Both sides show the certificates that they have as nodes: these are for clients, so what is
 * believed here is a client's certificate of the farm's CA, and the control plane's passes for none. One thread at a
 * time for each channel. */
#ifndef FARMSTEAD_NEIGHBOUR_CHANNEL_H
#define FARMSTEAD_NEIGHBOUR_CHANNEL_H

#include "neighbours/neighbour_pass.h"

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Who takes less in that time, of which only what it lets us wait counts, is too slow. */
#define NEIGHBOUR_SLOW_SECONDS 10u
#define NEIGHBOUR_SLOW_BYTES_PER_SECOND (256u << 10)

/* For the giver's side, of texts in PEM. NULL: OpenSSL can't use them. The caller frees it with SSL_CTX_free(). */
SSL_CTX *neighbour_channel_settings(const char *certificate, const char *key, const char *ca);

struct neighbour_channel {
    int fd; /* not blocking */
    SSL *ssl;
    char taker_key[NEIGHBOUR_KEY_LEN + 1];
    bool is_broken;                 /* something could not be written */
    uint64_t sent_bytes, waited_ns; /* since it was looked at last whether it is slow */
};

/* Shakes hands. False: no node of the farm, or no answer in time; then there is nothing to close but the socket, which
 * stays the caller's. */
bool neighbour_channel_open(struct neighbour_channel *channel, int fd, SSL_CTX *settings,
                            uint64_t until_ns);
void neighbour_channel_close(struct neighbour_channel *channel);

/* How many bytes came; 0: no more will, or not in time. */
size_t neighbour_channel_read(struct neighbour_channel *channel, char *bytes, size_t len,
                              uint64_t until_ns);
/* False: it has gone, or is too slow. */
bool neighbour_channel_write(struct neighbour_channel *channel, const char *bytes, size_t len);

#endif

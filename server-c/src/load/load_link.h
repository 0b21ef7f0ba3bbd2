/* SPDX-License-Identifier: MIT */
/* load_link.h — a client's connection, plain or TLS, that never blocks. */
#ifndef FARMSTEAD_LOAD_LINK_H
#define FARMSTEAD_LOAD_LINK_H

#include "load/load_result.h"

#include <openssl/types.h>

/* What reading and writing say in place of a number of bytes. */
enum load_link_answer {
    LINK_ENDED = 0, /* by the server, in order */
    LINK_AGAIN = -1,
    LINK_RESET = -2
};

struct load_link {
    int fd; /* -1: there is none */
    SSL *ssl;
};

/* The context for all connections; NULL with a sentence in `why`. */
SSL_CTX *load_tls_new(const struct load_plan *plan, struct buf *why);

/* FAULT_NONE: it is being connected. `receive_buffer`: bytes; 0: the kernel's choice. */
enum load_fault load_link_open(struct load_link *link, const struct load_target *target,
                               int receive_buffer);
/* FAULT_NONE when it is connected. Only after the socket became writable. */
enum load_fault load_link_connected(const struct load_link *link);
/* Begins TLS on a connected link. */
void load_link_begin_tls(struct load_link *link, SSL_CTX *tls, const struct load_target *target);
/* 1: done; LINK_AGAIN; else it failed, and `why` (of `size` bytes) says how. */
int load_link_shake(struct load_link *link, char *why, size_t size);
ssize_t load_link_read(struct load_link *link, char *bytes, size_t len);
ssize_t load_link_write(struct load_link *link, const char *bytes, size_t len);
void load_link_close(struct load_link *link);
/* With a reset instead of an end. */
void load_link_abort(struct load_link *link);

#endif

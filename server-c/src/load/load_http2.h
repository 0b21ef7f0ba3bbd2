/* SPDX-License-Identifier: MIT */
/* load_http2.h — connections of HTTP/2 that clients share: each client is a stream at a time.
 *
 * Over TLS it must be agreed on (ALPN "h2"), without TLS it is begun as known. Frames and fields are
 * libnghttp2's. Clients see the same states, faults and stages as over HTTP/1.1. */
#ifndef FARMSTEAD_LOAD_HTTP2_H
#define FARMSTEAD_LOAD_HTTP2_H

#include "load/load_client.h"

/* Divides the clients among connections, if the plan says HTTP/2. */
void load_http2_init(struct load_run *run);
void load_http2_fini(struct load_run *run);
/* Asks for the client's request, when its connection is ready. */
void load_http2_begin(struct load_run *run, struct load_client *c);
/* The client no longer waits for its answer. */
void load_http2_drop(struct load_run *run, struct load_client *c);
/* Writes what is to be said: once a turn, so that requests of one turn go together. */
void load_http2_flush(struct load_run *run);

#endif

/* SPDX-License-Identifier: MIT */
/* load_client.h — one client: a connection and at most one request at a time. */
#ifndef FARMSTEAD_LOAD_CLIENT_H
#define FARMSTEAD_LOAD_CLIENT_H

#include "load/load_run.h"

#define LOAD_REST_NS                                                                               \
    (10 * NS_PER_MS) /* after a failed connection: nobody is asked in a tight loop */

enum load_client_state {
    CLIENT_FREE,
    CLIENT_CONNECTING,
    CLIENT_SHAKING,
    CLIENT_SENDING,
    CLIENT_READING
};

struct load_client {
    struct load_watch watch;
    struct list link; /* in the run's `free`, `active` or `resting` */
    struct load_link io;
    enum load_client_state state;
    uint32_t target;     /* whom `io` is connected to */
    bool was_used;       /* `io` has carried a request before this one */
    bool has_ended;      /* the server sends nothing more on it */
    bool is_second_time; /* sent again, as the kept connection had just ended */

    struct load_session
        *session; /* over HTTP/2 whose stream it is; else NULL, as `io` is its own */
    struct list in_session;
    int32_t stream;

    struct load_record record; /* of the request under way */
    struct response_reader reader;
    EVP_MD_CTX *digest; /* NULL until a URL needs one */
    size_t sent;        /* bytes of the request */
    uint64_t due_ns;    /* by the clock */
    uint64_t free_ns;   /* since when it has been free, and until when it rests */
    uint64_t opened_ns, connected_ns, sent_ns, first_ns;
};

void load_client_init(struct load_client *c);
void load_client_fini(struct load_client *c);
void load_client_begin(struct load_run *run, struct load_client *c, const struct load_url *url,
                       uint64_t due_ns);
/* Its answer is whole; `may_keep`: the connection may be used again. */
void load_client_finish(struct load_run *run, struct load_client *c, bool may_keep);
void load_client_take_body(struct load_client *c, struct span body);
/* Gives up the request under way. */
void load_client_fail(struct load_run *run, struct load_client *c, enum load_fault fault);

#endif

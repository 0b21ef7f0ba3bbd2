/* SPDX-License-Identifier: MIT */
/* explain_head.h — the header fields of an answer, and the rule that each comes from. */
#ifndef FARMSTEAD_EXPLAIN_HEAD_H
#define FARMSTEAD_EXPLAIN_HEAD_H

#include "explain/explain_route.h"

struct explain_field {
    struct span name, value;
    bool is_of_file;     /* its value depends on the file's bytes and times, and is left out */
    const char *pointer; /* the place in the config (RFC 6901); "": the node's own doing */
};

/* Calls `on_field` for each, in the order in which they are sent. */
void explain_head(const struct site_set *sites, const struct site *site,
                  const struct explain_routed *routed, bool is_secure,
                  void (*on_field)(void *to, const struct explain_field *field), void *to);

#endif

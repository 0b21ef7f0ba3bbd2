/* SPDX-License-Identifier: MIT */
/* admin_page.h — what the admin listener answers to people: a page. */
#ifndef FARMSTEAD_ADMIN_PAGE_H
#define FARMSTEAD_ADMIN_PAGE_H

#include "base/buf.h"

#include <stdint.h>

struct server;

/* What the page showed last, to say how fast things went since then. All zeros at first. */
struct admin_look {
    uint64_t at_ms, requests, bytes; /* of the server's clock */
};

void admin_append_page(struct buf *out, struct server *server, struct admin_look *last);

#endif

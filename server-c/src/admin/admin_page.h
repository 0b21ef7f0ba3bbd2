/* SPDX-License-Identifier: MIT */
/* admin_page.h — what the admin listener shows people: a page. */
#ifndef FARMSTEAD_ADMIN_PAGE_H
#define FARMSTEAD_ADMIN_PAGE_H

#include "base/buf.h"

#include <stdint.h>

struct server;

/* What the page showed last, to compute the rates since then. All zero at first. */
struct admin_look {
    uint64_t at_ms, requests, bytes; /* from the server's clock */
};

void admin_append_page(struct buf *out, struct server *server, struct admin_look *last);

#endif

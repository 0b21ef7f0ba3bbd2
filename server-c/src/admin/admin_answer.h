/* SPDX-License-Identifier: MIT */
/* admin_answer.h — the admin listener's response to a request: for which path, in which form. */
#ifndef FARMSTEAD_ADMIN_ANSWER_H
#define FARMSTEAD_ADMIN_ANSWER_H

#include "admin/admin_page.h"
#include "base/buf.h"
#include "http/http_parser.h"

struct server;

#define ADMIN_HOST_LEN 256

struct admin_answerer {
    struct server *server;
    char host[ADMIN_HOST_LEN]; /* name of this machine; "": unknown */
    struct admin_look last_look;
};

void admin_answerer_init(struct admin_answerer *answerer, struct server *server);

/* Appends the whole response to a request; `parsed` is the parser's result, PARSE_OK or PARSE_BAD.
 * Asks the loops. */
void admin_answer(struct admin_answerer *answerer, struct buf *out, const struct http_request *req,
                  const char *head, enum parse parsed);

#endif

/* SPDX-License-Identifier: MIT */
/* conn_exchange.c — memory for a request under way: a few spare ones per loop, the last used first,
 * as it is still in the nearest cache. */
#include "connection/conn.h"
#include "connection/conn_state.h"

static struct exchange *new_exchange(void)
{
    struct exchange *ex = calloc(1, sizeof(*ex));

    if (!ex)
        return NULL;
    list_init(&ex->throttled);
    list_init(&ex->waiter.link);
    ex->body.on_ready = conn_on_body_ready;
    ex->body.clock = ex->sink.clock = &ex->clock;
    return ex;
}

bool conn_take_exchange(struct conn *c)
{
    const struct config *cfg = c->loop->live->cfg;
    struct loop *loop = c->loop;

    if (loop->spare_exchanges) {
        c->ex = loop->spare_exchanges;
        loop->spare_exchanges = c->ex->next_spare;
        loop->spare_count--;
    } else {
        c->ex = new_exchange();
    }
    if (!c->ex)
        return false;
    c->ex->conn = c;
    http_request_init(&c->ex->req, cfg->limits.head_bytes, cfg->limits.target_bytes);
    return true;
}

void conn_give_exchange_back(struct conn *c)
{
    struct loop *loop = c->loop;

    c->ex->next_spare = loop->spare_exchanges;
    loop->spare_exchanges = c->ex;
    loop->spare_count++;
    c->ex = NULL;
}

void conn_trim_spares(struct loop *loop, size_t keep)
{
    while (loop->spare_count > keep) {
        struct exchange *ex = loop->spare_exchanges;
        loop->spare_exchanges = ex->next_spare;
        loop->spare_count--;
        free(ex);
    }
}

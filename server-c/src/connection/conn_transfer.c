/* SPDX-License-Identifier: MIT */
/* conn_transfer.c — memory for requests under way. A loop keeps a few spare transfers and uses the
 * one freed last, which is most likely still in the processor's cache. */
#include "connection/conn.h"
#include "connection/conn_state.h"

static struct transfer *new_transfer(void)
{
    struct transfer *transfer = calloc(1, sizeof(*transfer));

    if (!transfer)
        return NULL;
    exchange_init(&transfer->ex);
    transfer->ex.body.on_ready = conn_on_body_ready;
    transfer->sink.clock = &transfer->ex.clock;
    list_init(&transfer->throttled);
    return transfer;
}

bool conn_take_transfer(struct conn *c)
{
    const struct config *cfg = c->loop->live->cfg;
    struct loop *loop = c->loop;

    if (loop->spare_transfers) {
        c->transfer = loop->spare_transfers;
        loop->spare_transfers = c->transfer->next_spare;
        loop->spare_count--;
    } else {
        c->transfer = new_transfer();
    }
    if (!c->transfer)
        return false;
    c->transfer->conn = c;
    http_request_init(&c->transfer->ex.req, cfg->limits.head_bytes, cfg->limits.target_bytes);
    return true;
}

void conn_give_transfer_back(struct conn *c)
{
    struct loop *loop = c->loop;

    c->transfer->next_spare = loop->spare_transfers;
    loop->spare_transfers = c->transfer;
    loop->spare_count++;
    c->transfer = NULL;
}

void conn_trim_spares(struct loop *loop, size_t keep)
{
    while (loop->spare_count > keep) {
        struct transfer *transfer = loop->spare_transfers;
        loop->spare_transfers = transfer->next_spare;
        loop->spare_count--;
        free(transfer);
    }
}

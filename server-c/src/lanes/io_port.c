/* SPDX-License-Identifier: MIT */
/* io_port.c — where jobs that are done wait for their loop; one mutex per port. */
#include "lanes/io_lane.h"

#include "base/util.h"

static void on_port_async(uv_async_t *async)
{
    struct io_port *port = container_of(async, struct io_port, async);
    struct io_job *job, *next;

    uv_mutex_lock(&port->lock);
    job = port->first;
    port->first = NULL;
    port->end = &port->first;
    uv_mutex_unlock(&port->lock);
    for (; job; job = next) {
        next = job->next;
        port->outstanding--;
        job->on_done(job);
    }
}

int io_port_init(struct io_port *port, uv_loop_t *loop)
{
    int err = uv_mutex_init(&port->lock);

    if (err)
        return err;
    err = uv_async_init(loop, &port->async, on_port_async);
    if (err)
        goto fail_async;
    port->first = NULL;
    port->end = &port->first;
    port->outstanding = 0;
    return 0;

fail_async:
    uv_mutex_destroy(&port->lock);
    return err;
}

void io_port_close(struct io_port *port, uv_close_cb on_close)
{
    CHECK(port->outstanding == 0);
    uv_close((uv_handle_t *)&port->async, on_close);
}

void io_port_fini(struct io_port *port)
{
    uv_mutex_destroy(&port->lock);
}

/* Wakes the loop while the lock is held. So when the loop has seen the job, and closes its port, no
 * thread can still be using `async`. */
void io_port_deliver(struct io_job *job)
{
    struct io_port *port = job->port;

    uv_mutex_lock(&port->lock);
    job->next = NULL;
    *port->end = job;
    port->end = &job->next;
    uv_async_send(&port->async);
    uv_mutex_unlock(&port->lock);
}

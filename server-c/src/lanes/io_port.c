/* SPDX-License-Identifier: MIT */
/* io_port.c — where jobs that are done wait for their loop; one mutex per port.
 *
 * The loop is woken by an eventfd of the port's own. uv_async_send() won't do: when the loop preempts
 * the thread that is in the middle of it, libuv has the loop spin until that thread has run again,
 * which on one processor can be milliseconds (decision 106). */
#include "lanes/io_lane.h"

#include "base/util.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct io_job *take_all(struct io_port *port)
{
    struct io_job *job;
    uint64_t count;

    uv_mutex_lock(&port->lock);
    (void)!read(port->wake_fd, &count, sizeof(count));
    job = port->first;
    port->first = NULL;
    port->end = &port->first;
    uv_mutex_unlock(&port->lock);
    return job;
}

static void on_wake(uv_poll_t *wake, int status, int events)
{
    struct io_port *port = container_of(wake, struct io_port, wake);
    struct io_job *next;

    (void)status;
    (void)events;
    for (struct io_job *job = take_all(port); job; job = next) {
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
    port->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (port->wake_fd < 0) {
        err = -errno;
        goto fail_fd;
    }
    err = uv_poll_init(loop, &port->wake, port->wake_fd);
    if (err)
        goto fail_poll;
    port->first = NULL;
    port->end = &port->first;
    port->outstanding = 0;
    uv_poll_start(&port->wake, UV_READABLE, on_wake);
    return 0;

fail_poll:
    close(port->wake_fd);
fail_fd:
    uv_mutex_destroy(&port->lock);
    return err;
}

void io_port_close(struct io_port *port, uv_close_cb on_close)
{
    CHECK(port->outstanding == 0);
    uv_close((uv_handle_t *)&port->wake, on_close);
    close(port->wake_fd);
}

void io_port_fini(struct io_port *port)
{
    uv_mutex_destroy(&port->lock);
}

/* Wakes the loop while the lock is held. So when the loop has seen the job, and closes its port, no
 * thread can still be using the eventfd. */
void io_port_deliver(struct io_job *job)
{
    struct io_port *port = job->port;
    uint64_t one = 1;

    uv_mutex_lock(&port->lock);
    if (!port->first)
        (void)!write(port->wake_fd, &one, sizeof(one));
    job->next = NULL;
    *port->end = job;
    port->end = &job->next;
    uv_mutex_unlock(&port->lock);
}

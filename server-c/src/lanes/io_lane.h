/* SPDX-License-Identifier: MIT */
/* io_lane.h — threads for what may block on a disk, one lane per kind of work.
 *
 * libuv's own pool is one unbounded queue for everything: slow reads would starve look-ups in it.
 * A lane has its own threads and a bounded queue, first come first served over all loops, but for
 * two kinds of jobs: the next read of a response that has begun is never refused (there is one at
 * most per connection), and what checks things known already goes before the rest. A job's result
 * goes back to the loop it came from, through that loop's port. */
#ifndef FARMSTEAD_IO_LANE_H
#define FARMSTEAD_IO_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct io_port;

/* Embedded in what the work is about. The lane owns it from a successful submit until `on_done`
 * has been called; there is no cancelling: whoever lost interest says so in its own fields. */
struct io_job {
    void (*run)(struct io_job *job);          /* Pool thread. */
    void (*on_done)(struct io_job *job);      /* loop thread, never inside submit */
    uint64_t queued_ns, started_ns, ended_ns; /* monotonic; for on_done to read */
    struct io_port *port;
    struct io_job *next;
};

/* Where finished jobs arrive on a loop. */
struct io_port {
    uv_async_t async;
    uv_mutex_t lock;
    struct io_job *first, **end; /* under `lock` */
    size_t outstanding;          /* submitted and not yet done; loop thread */
};
int io_port_init(struct io_port *port, uv_loop_t *loop);
/* Only when nothing is outstanding. Closes `async`; the port's memory must outlive its on_close. */
void io_port_close(struct io_port *port, uv_close_cb on_close);
void io_port_fini(struct io_port *port);  /* after on_close */
void io_port_deliver(struct io_job *job); /* io_lane.c's: it is done. Pool thread */

struct io_lane;

/* Starts `threads` threads that call themselves `name` (at most 15 characters). NULL when not one
 * could be started. Any thread. */
struct io_lane *io_lane_new(const char *name, uint32_t threads, uint32_t queue_length);
/* Ends the threads after the queue has been worked off. Any thread. */
void io_lane_free(struct io_lane *lane);

/* 0, or UV_EAGAIN when the queue is full: the caller answers 503. */
int io_lane_submit(struct io_lane *lane, struct io_port *port, struct io_job *job);
/* The same, before all that came by io_lane_submit(): for short jobs of things in use, which a busy
 * disk must not make wait. After a few in a row one of the others has its turn. */
int io_lane_submit_first(struct io_lane *lane, struct io_port *port, struct io_job *job);
/* As io_lane_submit(), and never refused: for who was let in and goes on. */
void io_lane_submit_next(struct io_lane *lane, struct io_port *port, struct io_job *job);
bool io_lane_has_queue(struct io_lane *lane); /* does a job wait just now? Any thread */

/* From two threads on, the lane's first does only what was submitted first: there is one left for it
 * when a disk holds up all the others. Before the first job. */
void io_lane_reserve_thread(struct io_lane *lane);

/* More threads start at once, surplus ones end after their job. Returns how many there are to be
 * now: fewer than asked for when the system gives no more. Any thread, one at a time. */
uint32_t io_lane_resize(struct io_lane *lane, uint32_t threads, uint32_t queue_length);

struct io_lane_state {
    uint32_t threads, busy, queued;
};
void io_lane_state(struct io_lane *lane, struct io_lane_state *state); /* Any thread. */

#endif

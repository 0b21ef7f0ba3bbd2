/* SPDX-License-Identifier: MIT */
/* io_lane.h — threads for work that may wait for a disk, in one lane for each kind of work.
 *
 * libuv has a single pool with one unbounded queue for everything, in which slow reads would delay
 * look-ups. A lane has its own threads and a bounded queue, in the order of arrival over all loops,
 * with two exceptions. The next read of a response that has begun is never refused; there is at
 * most one for each connection. And jobs that check what is known already go first. The result of a
 * job returns to the loop it came from, by that loop's port. */
#ifndef FARMSTEAD_IO_LANE_H
#define FARMSTEAD_IO_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct io_port;

/* A member of the struct that the work is about. After a successful submit it belongs to the lane
 * until `on_done` has been called. Jobs can't be cancelled: whoever is no longer interested notes
 * that in its own fields. */
struct io_job {
    void (*run)(struct io_job *job);          /* called on a thread of the lane */
    void (*on_done)(struct io_job *job);      /* called on the loop's thread, never by submit */
    uint64_t queued_ns, started_ns, ended_ns; /* monotonic; for on_done to read */
    struct io_port *port;
    struct io_job *next;
};

/* Where jobs that are done arrive on a loop. */
struct io_port {
    uv_poll_t wake;
    int wake_fd; /* an eventfd, see io_port.c */
    uv_mutex_t lock;
    struct io_job *first, **end; /* protected by `lock` */
    size_t outstanding;          /* submitted but not done; loop thread */
};
int io_port_init(struct io_port *port, uv_loop_t *loop);
/* Only if no job is outstanding. Closes `wake`; the port must remain until its on_close. */
void io_port_close(struct io_port *port, uv_close_cb on_close);
void io_port_fini(struct io_port *port);  /* after on_close */
void io_port_deliver(struct io_job *job); /* for io_lane.c: the job is done; thread of the lane */

struct io_lane;

/* Starts `threads` threads with that name (at most 15 characters). NULL if none could be started.
 * Any thread. */
struct io_lane *io_lane_new(const char *name, uint32_t threads, uint32_t queue_length);
/* The same for jobs that compute: its threads are `niceness` nicer than the process (nice(2)), so that
 * loops get a processor first. */
struct io_lane *io_lane_new_nice(const char *name, uint32_t threads, uint32_t queue_length,
                                 int niceness);
/* Ends the threads when the queue is empty. Any thread. */
void io_lane_free(struct io_lane *lane);

/* 0, or UV_EAGAIN if the queue is full: the client then gets 503. */
int io_lane_submit(struct io_lane *lane, struct io_port *port, struct io_job *job);
/* The same, ahead of all jobs from io_lane_submit(): for short jobs about things in use, which must
 * not wait for a busy disk. After a few in a row, one of the others gets its turn. */
int io_lane_submit_first(struct io_lane *lane, struct io_port *port, struct io_job *job);
/* Like io_lane_submit(), but never refused: for a response that has begun. */
void io_lane_submit_next(struct io_lane *lane, struct io_port *port, struct io_job *job);
bool io_lane_has_queue(struct io_lane *lane); /* is a job waiting? Any thread */

/* If the lane has two threads or more, the first one takes only jobs of io_lane_submit_first(): so
 * there is one left for them when a disk holds up all others. Call it before the first job. */
void io_lane_reserve_thread(struct io_lane *lane);

/* Further threads start at once; surplus ones end after their job. Returns how many there will be,
 * which is fewer than asked for if the system gives no more. Any thread, one at a time. */
uint32_t io_lane_resize(struct io_lane *lane, uint32_t threads, uint32_t queue_length);

struct io_lane_state {
    uint32_t threads, busy, queued;
};
void io_lane_state(struct io_lane *lane, struct io_lane_state *state); /* any thread */

#endif

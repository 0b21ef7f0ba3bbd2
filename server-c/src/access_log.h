/* SPDX-License-Identifier: MIT */
/* access_log.h — one line per response, written to the file by a thread of the log.
 *
 * Each loop puts whole lines into a ring of its own; the thread takes them out. Lines are never
 * torn or mixed, however many loops there are. When the disk can't follow, lines are dropped and
 * counted, and no request waits. */
#ifndef FARMSTEAD_ACCESS_LOG_H
#define FARMSTEAD_ACCESS_LOG_H

#include "config.h"
#include "log_file.h"
#include "util.h"

#include <sys/socket.h>

struct access_log;
struct access_ring;

struct access_record {
    const struct sockaddr *peer;
    struct span request_line, host, referer, user_agent; /* empty when there is none */
    struct span user;                                    /* who signed in; empty: nobody */
    int status;
    uint64_t bytes;      /* sent, head included */
    uint64_t body_bytes; /* … and without it */
    uint64_t total_ns;   /* from the head's last byte to the response's */
    int64_t now;         /* seconds since 1970 */
};

struct access_log *access_log_new(void); /* starts the thread; NULL when there is none to have */
/* Writes out what is left, for two seconds at most, then frees log and rings. False: a disk does
 * not answer, and a thread that waits for it still has them. */
bool access_log_free(struct access_log *log);

/* Until the next call; "" closes the file. 0, or a negative UV_E* and why; then nothing changes.
 * Any thread but a loop's. */
int access_log_configure(struct access_log *log, const char *path,
                         struct log_file_problem *problem);
int access_log_reopen(struct access_log *log, struct log_file_problem *problem);

struct access_ring *access_log_add_ring(struct access_log *log); /* Any thread. */

/* False when the ring was full and the line was dropped. The ring's loop thread. */
bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record);

#endif

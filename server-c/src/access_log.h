/* SPDX-License-Identifier: MIT */
/* access_log.h — one line per response, written to the file by a thread of the log.
 *
 * Each loop puts whole lines into a ring of its own; the thread takes them out. Lines are never
 * torn or mixed, however many loops there are. When the disk can't follow, lines are dropped and
 * counted, and no request waits. */
#ifndef FARMSTEAD_ACCESS_LOG_H
#define FARMSTEAD_ACCESS_LOG_H

#include "config.h"
#include "util.h"

#include <sys/socket.h>

struct access_log;
struct access_ring;

struct access_record {
    const struct sockaddr *peer;
    struct span request_line, host, referer, user_agent; /* empty when there is none */
    struct span user;                                    /* who signed in; empty: nobody */
    int status;
    uint64_t bytes;    /* sent, head included */
    uint64_t total_ns; /* from the head's last byte to the response's */
    int64_t now;       /* seconds since 1970 */
};

struct access_log *access_log_new(void); /* starts the thread; NULL when there is none to have */
void access_log_free(struct access_log *log); /* writes out what is left; rings are freed with it */

/* Until the next call; "" closes the file. 0 or a negative UV_E*, then nothing changes. */
int access_log_configure(struct access_log *log, const char *path); /* Any thread. */
int access_log_reopen(struct access_log *log);                      /* Any thread. */

struct access_ring *access_log_add_ring(struct access_log *log); /* Any thread. */

/* False when the ring was full and the line was dropped. The ring's loop thread. */
bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record);

#endif

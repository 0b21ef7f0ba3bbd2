/* SPDX-License-Identifier: MIT */
/* access_log.h — one line per response, written to the file by a thread of the log.
 *
 * Each loop puts whole lines into a ring of its own; the thread takes them out. Lines are never
 * torn or mixed, however many loops there are. When the disk can't follow, lines are dropped and
 * counted, and no request waits. */
#ifndef FARMSTEAD_ACCESS_LOG_H
#define FARMSTEAD_ACCESS_LOG_H

#include "base/util.h"
#include "config/config.h"
#include "log/log_file.h"
#include "measure/end_reasons.h"

#include <sys/socket.h>
#include <sys/types.h>

struct access_log;
struct access_ring;
struct log_out_next;

struct access_record {
    const struct sockaddr *peer;
    struct span request_line, host, referer, user_agent; /* empty when there is none */
    struct span user;                                    /* who signed in; empty: nobody */
    int status;
    uint64_t bytes;              /* sent, head included */
    uint64_t body_bytes;         /* … and without it */
    enum end_reason aborted_for; /* why the response is not whole; END_NONE: it is */
    uint64_t total_ns;           /* from the head's last byte to the response's */
    int64_t now;                 /* seconds since 1970 */
};

struct access_log *access_log_new(void); /* starts the thread; NULL when there is none to have */
/* Writes out what is left, for two seconds at most, then frees log and rings. False: a disk does
 * not answer, and a thread that waits for it still has them. */
bool access_log_free(struct access_log *log);

/* As log_out.h has them; "" is no file. */
struct log_out_next *access_log_prepare(struct access_log *log, const char *path,
                                        struct log_file_problem *problem);
void access_log_take(struct access_log *log, struct log_out_next *next);
void access_log_discard(struct access_log *log, struct log_out_next *next);
int access_log_configure(struct access_log *log, const char *path,
                         struct log_file_problem *problem);
int access_log_reopen(struct access_log *log, struct log_file_problem *problem);
int access_log_give(struct access_log *log, uid_t uid, gid_t gid);

struct access_ring *access_log_add_ring(struct access_log *log); /* Any thread. */

/* False when the ring was full and the line was dropped. The ring's loop thread. */
bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record);

#endif

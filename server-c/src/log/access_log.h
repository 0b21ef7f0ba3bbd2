/* SPDX-License-Identifier: MIT */
/* access_log.h — one line per response, written to a file by a thread of the log.
 *
 * Each loop puts whole lines into its own ring, and the thread takes them out. Lines are never torn
 * or mixed, however many loops there are. If the disk is too slow, lines are dropped and counted;
 * no request waits. */
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
    struct span request_line, host, referer, user_agent; /* empty if there is none */
    struct span user;                                    /* who signed in; empty: nobody */
    int status;
    uint64_t bytes;              /* bytes sent, with the head */
    uint64_t body_bytes;         /* bytes sent, without the head */
    enum end_reason aborted_for; /* why the response is incomplete; END_NONE: it is not */
    uint64_t total_ns;           /* from the head's last byte to the response's last byte */
    int64_t now;                 /* seconds since 1970 */
};

struct access_log *access_log_new(void); /* starts the thread; NULL: none is available */
/* Writes what is left, for at most two seconds, then frees log and rings. False: a disk does not
 * answer, and a thread that waits for it still uses them. */
bool access_log_free(struct access_log *log);

/* See log_out.h; "" is no file. */
struct log_out_next *access_log_prepare(struct access_log *log, const char *path,
                                        struct log_file_problem *problem);
void access_log_take(struct access_log *log, struct log_out_next *next);
void access_log_discard(struct access_log *log, struct log_out_next *next);
int access_log_configure(struct access_log *log, const char *path,
                         struct log_file_problem *problem);
int access_log_reopen(struct access_log *log, struct log_file_problem *problem);
int access_log_give(struct access_log *log, uid_t uid, gid_t gid);

struct access_ring *access_log_add_ring(struct access_log *log); /* any thread */

/* False: the ring was full and the line was dropped. Only on the thread of the ring's loop. */
bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record);

#endif

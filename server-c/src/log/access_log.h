/* SPDX-License-Identifier: MIT */
/* access_log.h — one line per response, written by a thread of the log.
 *
 * Each loop puts whole lines into its own ring, and the thread takes them out. Lines are never torn
 * or mixed, however many loops there are. If the disk is too slow, lines are dropped and counted;
 * no request waits. */
#ifndef FARMSTEAD_ACCESS_LOG_H
#define FARMSTEAD_ACCESS_LOG_H

#include "base/util.h"
#include "config/access_format.h"
#include "config/config.h"
#include "log/log_file.h"
#include "measure/end_reasons.h"

#include <sys/socket.h>
#include <sys/types.h>

#define ACCESS_LOG_LOOPS 256 /* loops have numbers below this */

struct access_log;

struct access_record {
    const struct sockaddr *peer;
    struct span request_line, host, referer, user_agent; /* empty if there is none */
    struct span path, query;                             /* as the client sent them */
    struct span user;                                    /* who signed in; empty: nobody */
    const char *site;                                    /* the site's first host; "": no site */
    const char *coding;                                  /* of the body; "": none */
    bool is_secure;
    int status;
    uint64_t bytes;              /* bytes sent, with the head */
    uint64_t body_bytes;         /* bytes sent, without the head */
    enum end_reason aborted_for; /* why the response is incomplete; END_NONE: it is not */
    uint64_t total_ns;           /* from the head's last byte to the response's last byte */
    int64_t now;                 /* seconds since 1970 */
};

/* How a line is written. */
struct access_form {
    struct access_format format;
    bool masks_addresses; /* only the /24 of IPv4 and the /48 of IPv6 is written */
};

/* Starts the thread, which writes to `target` (log_target.h), with one reference. NULL and the problem:
 * it can't be opened. Any thread but that of a loop. */
struct access_log *access_log_new(const char *target, struct log_file_problem *problem);
/* Writes what is left, for at most two seconds, then frees log and rings. False: a disk does not
 * answer, and a thread that waits for it still uses them. Nobody else may use it any more. */
bool access_log_free(struct access_log *log);

struct access_log *access_log_get(struct access_log *log); /* any thread; returns `log` */
/* Any thread. Frees nothing: access_logs.h does when nobody has a reference. */
void access_log_put(struct access_log *log);
bool access_log_is_used(const struct access_log *log);

const char *access_log_target(const struct access_log *log);
/* See log_out.h. */
int access_log_reopen(struct access_log *log, struct log_file_problem *problem);
int access_log_give(struct access_log *log, uid_t uid, gid_t gid);

/* False: the loop's ring was full and the line was dropped. Only on the thread of the loop with that
 * number. */
bool access_log_write(struct access_log *log, uint32_t loop, const struct access_form *form,
                      const struct access_record *record);

#endif

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

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

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

/* A file that is open and not yet written to. */
struct access_file {
    int fd;     /* -1: none */
    char *path; /* NULL: none */
    bool is_made;
};
/* `path` "" is no file. 0 or a negative UV_E* and nothing open. */
int access_file_open(struct access_file *file, const char *path);
void access_file_close(struct access_file *file);
/* Takes `file` over: lines go there until the next call. Any thread. */
void access_log_use(struct access_log *log, struct access_file *file);

/* Both steps. 0 or a negative UV_E*, then nothing changes. Any thread. */
int access_log_configure(struct access_log *log, const char *path);
/* After rotation: opens the path anew unless it still is the open file. Keeps that when it fails. Any
 * thread. */
int access_log_reopen(struct access_log *log);
/* If we made the file, it becomes that user's. 0 or a negative UV_E*. Any thread. */
int access_log_give(struct access_log *log, uid_t uid, gid_t gid);

struct access_ring *access_log_add_ring(struct access_log *log); /* Any thread. */

/* False when the ring was full and the line was dropped. The ring's loop thread. */
bool access_ring_write(struct access_ring *ring, enum config_log_format format,
                       const struct access_record *record);

#endif

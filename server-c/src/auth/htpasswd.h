/* SPDX-License-Identifier: MIT */
/* htpasswd.h — a file of users and password hashes. A line is "user:hash" or "user:hash:comment",
 * or empty, or a comment that begins with '#'.
 *
 * The file is read as a whole or not at all: one line that is not accepted refuses the file,
 * because a user who is left out silently would be noticed too late. Limited in bytes and users.
 * Waits for the disk: never on a loop's thread. Does not verify passwords; see auth_hash.h. */
#ifndef FARMSTEAD_HTPASSWD_H
#define FARMSTEAD_HTPASSWD_H

#include "base/util.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#define HTPASSWD_BYTES_MAX (1024 * 1024)
#define HTPASSWD_USERS_MAX 10000
#define HTPASSWD_PROBLEM_LEN 200

struct htpasswd_user {
    const char *name, *hash; /* point into the file's text */
    uint32_t line;
};

/* Immutable, with a count of references; shared by threads. */
struct htpasswd {
    _Atomic uint32_t refs;
    char *text;
    size_t text_len;
    struct htpasswd_user *users; /* sorted by name */
    size_t count;
};

/* What is wrong with a file, as a sentence, and in which line; 0: in none. */
struct htpasswd_problem {
    uint32_t line;
    char text[HTPASSWD_PROBLEM_LEN];
};

/* Parses a copy of `text`. 0 and *out with one reference; or UV_EINVAL or UV_ENOMEM, and *problem.
 * Any thread. */
int htpasswd_parse(struct htpasswd **out, const char *text, size_t len,
                   struct htpasswd_problem *problem);
/* The same for a regular file; other UV_E* if it can't be read. `st` (may be NULL) receives its
 * state at the time it was read. */
int htpasswd_read(struct htpasswd **out, const char *path, struct stat *st,
                  struct htpasswd_problem *problem);
/* Would htpasswd_read() succeed? For checks of configs: 0, or UV_E* and the first problem. */
int htpasswd_check(const char *path, struct htpasswd_problem *problem);

struct htpasswd *htpasswd_get(struct htpasswd *file); /* any thread; returns `file` */
/* Any thread; NULL is allowed; wipes the text. */
void htpasswd_put(struct htpasswd *file);

/* Returns the hash of `user`, or NULL. Any thread. */
const char *htpasswd_find(const struct htpasswd *file, struct span user);

#endif

/* SPDX-License-Identifier: MIT */
/* htpasswd.h — a file of users and password hashes: a line is "user:hash" or "user:hash:comment",
 * empty, or a comment that begins with '#'.
 *
 * Read as a whole or not at all: one line that we can't take refuses the file, as a user who is
 * left out silently is found too late. Bounded in bytes and users. Blocks on the disk: never on a
 * loop's thread. Does not verify: see auth_hash.h. */
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

/* Immutable and counted; shared by threads. */
struct htpasswd {
    _Atomic uint32_t refs;
    char *text;
    size_t text_len;
    struct htpasswd_user *users; /* sorted by name */
    size_t count;
};

/* What is wrong with a file: a sentence, and its line, 0 when it is about no line. */
struct htpasswd_problem {
    uint32_t line;
    char text[HTPASSWD_PROBLEM_LEN];
};

/* Takes a copy of `text`. 0 and *out with one reference, or UV_EINVAL or UV_ENOMEM and *problem.
 * Any thread. */
int htpasswd_parse(struct htpasswd **out, const char *text, size_t len,
                   struct htpasswd_problem *problem);
/* The same of a regular file; other UV_E* when it can't be read. `st` (may be NULL) is what the
 * file was when it was read. */
int htpasswd_read(struct htpasswd **out, const char *path, struct stat *st,
                  struct htpasswd_problem *problem);
/* Whether htpasswd_read() would succeed, for config checks: 0, or UV_E* and the first problem. */
int htpasswd_check(const char *path, struct htpasswd_problem *problem);

struct htpasswd *htpasswd_get(struct htpasswd *file); /* Any thread. Returns file. */
void htpasswd_put(struct htpasswd *file);             /* Any thread. NULL is allowed. Wipes. */

/* The hash of `user`, or NULL. Any thread. */
const char *htpasswd_find(const struct htpasswd *file, struct span user);

#endif

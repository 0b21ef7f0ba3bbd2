/* SPDX-License-Identifier: MIT */
/* named_files.h — the files that a config names and whose bytes it goes by: the keys of signed URLs.
 *
 * A set is what was read of them at one moment; it does not change. Files change without the config, so
 * they are part of whether a config is the same, and are looked at again and again. A file that can't
 * be used any more keeps the bytes it had: a slip of the hand is no outage. (Password files are not
 * among them: auth_files.h reads those when somebody signs in.)
 *
 * Another kind of file (a certificate) is one more row of named_kind, one more reader beside that of
 * keys, and one more line where a config's files are listed. Everything here blocks on the disk: never
 * on a loop's thread. */
#ifndef FARMSTEAD_NAMED_FILES_H
#define FARMSTEAD_NAMED_FILES_H

#include "config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

enum named_kind { NAMED_KEY };

struct named_file {
    enum named_kind kind;
    char *path;
    int err;         /* UV_E*: why it can't be used; the bytes are those it had before */
    bool is_exposed; /* every user of the machine may read it */
    size_t len;      /* 0: there are none, and there were none */
    unsigned char *bytes;
};

struct named_files {
    struct named_file *items; /* each file once */
    size_t count;
};

/* Reads what `cfg` names. `previous` (may be NULL) is where files that can't be used have their bytes
 * from. */
void named_files_read(struct named_files *files, const struct config *cfg,
                      const struct named_files *previous);
void named_files_fini(struct named_files *files);

/* NULL: not named. */
const struct named_file *named_files_find(const struct named_files *files, enum named_kind kind,
                                          const char *path);

/* Of two sets for one config: the same bytes, and the same to be said of them. */
bool named_files_equal(const struct named_files *a, const struct named_files *b);
size_t named_files_unusable(const struct named_files *files);

/* Into the log, what is new since `previous` (may be NULL). */
void named_files_say(const struct named_files *files, const struct named_files *previous);

/* When each file of a set was seen in which state. */
struct named_stamp {
    struct stat st; /* zeroed: not to be had */
    bool is_due;    /* to be read at the next look, if it is still the same then */
};
struct named_watch {
    struct named_stamp *stamps;
    size_t count;
};
void named_watch_init(struct named_watch *watch, const struct named_files *files);
void named_watch_fini(struct named_watch *watch);

/* True: something differs, and *next is as it is now. A file is read when it was the same in two looks
 * in a row, as one that just changed may be half written, and again until a later change can't have the
 * same time. Call it once a second. */
bool named_watch_look(struct named_watch *watch, const struct named_files *files,
                      struct named_files *next);

#endif

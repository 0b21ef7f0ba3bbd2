/* SPDX-License-Identifier: MIT */
/* state_folder.h — a private folder whose files are replaced whole or not at all, and a lock that
 * one process at a time holds. Knows nothing of what the files say. One thread at a time. */
#ifndef FARMSTEAD_STATE_FOLDER_H
#define FARMSTEAD_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A config of 4 MiB, every byte of it escaped as \u00xx. */
#define STATE_FOLDER_FILE_MAX (26u << 20)
#define STATE_FOLDER_WHY_LEN 256 /* of a sentence that is to fit */

struct state_folder {
    char *path;
    char *made_at;         /* where a new folder is until it is published; NULL: it is at `path` */
    bool is_worth_keeping; /* though it is not published */
    int dir_fd;
    int lock_fd;
};

/* 0, or -1 with a sentence in `why` and nothing to close. `create` makes the folder, its parents
 * too, and takes over an empty one. A new one stands beside its place until it is published, so
 * that a folder at its place is whole. */
int state_folder_open(struct state_folder *folder, const char *path, bool create, char *why,
                      size_t why_len);
/* The same for a folder whose lock this process holds already, with the one it got `lock_fd` from,
 * which is taken over. */
int state_folder_open_locked(struct state_folder *folder, const char *path, int lock_fd, char *why,
                             size_t why_len);
/* 0, or -1 with a sentence. Nothing to do for a folder that was there before. */
int state_folder_publish(struct state_folder *folder, char *why, size_t why_len);
/* Removes a folder that was never published, unless it is worth keeping. */
void state_folder_close(struct state_folder *folder);

/* What changes when a file is written or replaced; all zero: there is none. */
struct state_stamp {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
};
void state_folder_stamp(struct state_folder *folder, const char *name, struct state_stamp *out);

/* 1 and a heap copy in *text, 0 when there is no such file, -1 with a sentence. */
int state_folder_read(struct state_folder *folder, const char *name, char **text, size_t *len,
                      char *why, size_t why_len);
/* Write beside, sync, rename, sync the folder. 0, or -1 with a sentence and the old file in place.
 */
int state_folder_replace(struct state_folder *folder, const char *name, const char *text,
                         size_t len, char *why, size_t why_len);
int state_folder_rename(struct state_folder *folder, const char *from, const char *to, char *why,
                        size_t why_len);
/* Makes the folder and all files in it somebody else's. 0, or -1 with a sentence. */
int state_folder_give(struct state_folder *folder, uid_t uid, gid_t gid, char *why, size_t why_len);
void state_folder_remove(struct state_folder *folder, const char *name);

#endif

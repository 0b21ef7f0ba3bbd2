/* SPDX-License-Identifier: MIT */
/* state_folder.h — a private folder in which files are replaced as a whole or not at all, with a
 * lock that one process at a time holds. Knows nothing about the contents of files. One thread at a
 * time. */
#ifndef FARMSTEAD_STATE_FOLDER_H
#define FARMSTEAD_STATE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A config of 4 MiB in which every byte is escaped as \u00xx. */
#define STATE_FOLDER_FILE_MAX (26u << 20)
#define STATE_FOLDER_WHY_LEN 256 /* enough for any of the sentences */

struct state_folder {
    char *path;
    char *made_at;         /* path of a new folder until it is published; NULL: it is at `path` */
    bool is_worth_keeping; /* keep the folder even if it is not published */
    int dir_fd;
    int lock_fd;
};

/* 0, or -1 with a sentence in `why` and nothing to close. `create` makes the folder and its
 * parents, and takes over an empty one. A new folder has a temporary name until it is published, so
 * that one with the final name is always complete. */
int state_folder_open(struct state_folder *folder, const char *path, bool create, char *why,
                      size_t why_len);
/* The same for a folder that this process has locked already by inheriting `lock_fd`, which is
 * taken over. */
int state_folder_open_locked(struct state_folder *folder, const char *path, int lock_fd, char *why,
                             size_t why_len);
/* Gives a new folder its final name. 0, or -1 with a sentence. Does nothing for a folder that
 * existed before. */
int state_folder_publish(struct state_folder *folder, char *why, size_t why_len);
/* Removes a folder that was never published, unless is_worth_keeping. */
void state_folder_close(struct state_folder *folder);

/* Changes when a file is written or replaced. All zero: there is no file. */
struct state_stamp {
    uint64_t device, inode, size;
    int64_t modified_ns, changed_ns;
};
void state_folder_stamp(struct state_folder *folder, const char *name, struct state_stamp *out);

/* 1 with a copy on the heap in *text, 0 if there is no such file, -1 with a sentence. */
int state_folder_read(struct state_folder *folder, const char *name, char **text, size_t *len,
                      char *why, size_t why_len);
/* Writes a temporary file, syncs it, renames it and syncs the folder. 0, or -1 with a sentence and
 * the old file in place. */
int state_folder_replace(struct state_folder *folder, const char *name, const char *text,
                         size_t len, char *why, size_t why_len);
int state_folder_rename(struct state_folder *folder, const char *from, const char *to, char *why,
                        size_t why_len);
/* Changes the owner of the folder and all its files. 0, or -1 with a sentence. */
int state_folder_give(struct state_folder *folder, uid_t uid, gid_t gid, char *why, size_t why_len);
void state_folder_remove(struct state_folder *folder, const char *name);

#endif

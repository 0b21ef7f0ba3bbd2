/* SPDX-License-Identifier: MIT */
/* auth_files.h — the files of users in use, each read once for all loops.
 *
 * What was read is trusted for AUTH_TRUST_MS from the moment the file was looked at, then looked at
 * again and read when it changed. A file that can't be read lets nobody in. Bounded in files: the
 * one not used for longest goes. Any thread, except where the disk is asked. */
#ifndef FARMSTEAD_AUTH_FILES_H
#define FARMSTEAD_AUTH_FILES_H

#include "auth/htpasswd.h"

#define AUTH_TRUST_MS 5000
#define AUTH_FILES_MAX 256

struct auth_files;
struct auth_file;

struct auth_files *auth_files_new(void);        /* NULL: no lock to be had */
void auth_files_free(struct auth_files *files); /* no file may be held; NULL is allowed */

/* The file of that path, held; it need not exist. NULL: no memory. Does not touch the disk. */
struct auth_file *auth_files_find(struct auth_files *files, const char *path);
void auth_file_get(struct auth_files *files, struct auth_file *file); /* held once more */
void auth_file_put(struct auth_files *files, struct auth_file *file);

enum auth_file_state {
    AUTH_FILE_READY, /* *users, with a reference */
    AUTH_FILE_BROKEN,
    AUTH_FILE_STALE /* not looked at, or too long ago: auth_file_look() */
};
enum auth_file_state auth_file_state(struct auth_files *files, struct auth_file *file,
                                     struct htpasswd **users);

/* What was read last, with a reference, however long ago; NULL: nothing, or it was broken. */
struct htpasswd *auth_file_users(struct auth_files *files, struct auth_file *file);

/* Nothing is trusted that was looked at before now. Any thread. */
void auth_files_expire(struct auth_files *files);

/* True for one caller when the time is half over: it has the file looked at before anybody would
 * have to wait for that, or says with auth_file_unclaim() that it can't. */
bool auth_file_claim(struct auth_files *files, struct auth_file *file);
void auth_file_unclaim(struct auth_files *files, struct auth_file *file);

/* Asks the disk, and reads the file when it changed. Blocks: a lane's thread. Ends a claim. */
void auth_file_look(struct auth_files *files, struct auth_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/* auth_files.h — the password files in use, each read once for all loops.
 *
 * What was read is trusted for AUTH_TRUST_MS from the moment the file was looked at. Then it is
 * looked at again, and read if it has changed. A file that can't be read lets nobody in. The number
 * of files is limited: the one unused for longest is dropped. Any thread, except where the disk is
 * asked. */
#ifndef FARMSTEAD_AUTH_FILES_H
#define FARMSTEAD_AUTH_FILES_H

#include "auth/htpasswd.h"

#define AUTH_TRUST_MS 5000
#define AUTH_FILES_MAX 256

struct auth_files;
struct auth_file;

struct auth_files *auth_files_new(void);        /* NULL: no lock available */
void auth_files_free(struct auth_files *files); /* no file may be held; NULL is allowed */

/* Returns the file with that path, held; it need not exist. NULL: no memory. Does not ask the
 * disk. */
struct auth_file *auth_files_find(struct auth_files *files, const char *path);
void auth_file_get(struct auth_files *files, struct auth_file *file); /* holds it once more */
void auth_file_put(struct auth_files *files, struct auth_file *file);

enum auth_file_state {
    AUTH_FILE_READY, /* *users is set, with a reference */
    AUTH_FILE_BROKEN,
    AUTH_FILE_STALE /* not looked at lately: call auth_file_look() */
};
enum auth_file_state auth_file_state(struct auth_files *files, struct auth_file *file,
                                     struct htpasswd **users);

/* Returns the users that were read last, however long ago, with a reference; NULL: none, or a
 * broken file. */
struct htpasswd *auth_file_users(struct auth_files *files, struct auth_file *file);

/* Looks at files before this moment do not count any more. Any thread. */
void auth_files_expire(struct auth_files *files);

/* True for one caller when half of the time is over: it must have the file looked at, so that
 * nobody has to wait for that later, or call auth_file_unclaim() if it can't. */
bool auth_file_claim(struct auth_files *files, struct auth_file *file);
void auth_file_unclaim(struct auth_files *files, struct auth_file *file);

/* Asks the disk, and reads the file if it has changed. Waits for the disk: a lane's thread. Ends a
 * claim. */
void auth_file_look(struct auth_files *files, struct auth_file *file);

#endif

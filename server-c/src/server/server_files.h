/* SPDX-License-Identifier: MIT */
/* server_files.h — looks every second at the files that the running config names (named_files.h),
 * and puts new contents in force on the loops.
 *
 * Runs on its own thread, which may wait for a disk while everything else goes on. */
#ifndef FARMSTEAD_SERVER_FILES_H
#define FARMSTEAD_SERVER_FILES_H

#include <stdbool.h>

struct server;
struct server_files;

struct server_files *server_files_start(struct server *srv); /* NULL: no thread is available */
/* The config has changed, and may name files now. Not on a loop's thread. */
void server_files_wake(struct server_files *files);
/* From then on it does not use the loops. */
void server_files_end(struct server_files *files);
/* Call it after server_files_end(). False if a disk has not answered for seconds: the thread is
 * left alone, with everything that it may use. Otherwise it is freed. */
bool server_files_join(struct server_files *files);

#endif

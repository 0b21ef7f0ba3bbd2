/* SPDX-License-Identifier: MIT */
/* server_files.h — looks each second at the files that the running config names (named_files.h), and
 * has the loops go by what is in them now.
 *
 * On a thread of its own, which may wait for a disk while all else goes on. */
#ifndef FARMSTEAD_SERVER_FILES_H
#define FARMSTEAD_SERVER_FILES_H

#include <stdbool.h>

struct server;
struct server_files;

struct server_files *server_files_start(struct server *srv); /* NULL: no thread to be had */
/* What runs has changed: it may name files now. Not on a loop's thread. */
void server_files_wake(struct server_files *files);
/* From then on it touches no loop. */
void server_files_end(struct server_files *files);
/* After server_files_end(). False when a disk has not answered for seconds: the thread is left, with all
 * that it may use. Else it is freed. */
bool server_files_join(struct server_files *files);

#endif

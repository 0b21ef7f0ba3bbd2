/* SPDX-License-Identifier: MIT */
/* left_threads.h — threads that hang on a disk, and that nobody waits for any more.
 *
 * They use memory and locks that exit handlers give back, OpenSSL's for example: a process that has any must end by
 * _exit(). Any thread. */
#ifndef FARMSTEAD_LEFT_THREADS_H
#define FARMSTEAD_LEFT_THREADS_H

#include <pthread.h>
#include <stdbool.h>

void left_threads_add(void);
/* One has ended after all: the last thing it does. */
void left_threads_remove(void);
bool left_threads_any(void);

/* Joins a thread that has nothing more to do, or leaves one behind that hangs. False: what it uses must stay. */
bool left_threads_end(pthread_t thread, bool is_at_rest);

#endif

/* SPDX-License-Identifier: MIT */
/* supervisor_child.h — a serving process as its parent sees it: starts it, receives its messages,
 * and says how it ended. */
#ifndef FARMSTEAD_SUPERVISOR_CHILD_H
#define FARMSTEAD_SUPERVISOR_CHILD_H

#include "process/supervisor_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct supervisor_child {
    pid_t pid;  /* 0: there is none */
    int socket; /* -1: there is none */
};

/* Returns a descriptor of memory in which a child keeps its last lines, for the next child to read.
 * -1 with errno: a child can do without. */
int supervisor_child_memory(void);

/* Starts this program again as "run --state `state_dir` [--policy `policy_path`] --child …", with
 * `order` ready for it. Of the parent's descriptors it gets memory_fd, lock_fd and its socket. 0,
 * or -1 with errno and no child. */
int supervisor_child_start(struct supervisor_child *child, const char *state_dir,
                           const char *policy_path, const struct supervisor_order *order,
                           int memory_fd, int lock_fd);

/* Receives its next message, even after it has ended. False: there is none. */
bool supervisor_child_hear(struct supervisor_child *child, struct supervisor_note *note);

void supervisor_child_signal(const struct supervisor_child *child, int number);
/* Is it stopped, by a debugger or by SIGSTOP? */
bool supervisor_child_is_held(const struct supervisor_child *child);

/* Call it when the child has been waited for. */
void supervisor_child_forget(struct supervisor_child *child);

/* Writes "killed by signal 11 (Segmentation fault)" or "exit code 3". */
void supervisor_child_say_ending(int status, char *out, size_t size);

#endif

/* SPDX-License-Identifier: MIT */
/* supervisor_child.h — one serving process as its parent sees it: starting it, hearing it, saying
 * how it ended. */
#ifndef FARMSTEAD_SUPERVISOR_CHILD_H
#define FARMSTEAD_SUPERVISOR_CHILD_H

#include "process/supervisor_wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct supervisor_child {
    pid_t pid;  /* 0: none */
    int socket; /* -1: none */
};

/* The memory in which the child keeps its last lines; the next child reads them. A descriptor, or
 * -1 with errno: a child does without it, too. */
int supervisor_child_memory(void);

/* This same program as "run --state `state_dir` [--policy `policy_path`] --child …", with `order` waiting for it. Of the
 * parent's descriptors it gets those two and its socket. 0, or -1 with errno and no child. */
int supervisor_child_start(struct supervisor_child *child, const char *state_dir,
                           const char *policy_path, const struct supervisor_order *order,
                           int memory_fd, int lock_fd);

/* The next thing it has said, also after its death. False: nothing more. */
bool supervisor_child_hear(struct supervisor_child *child, struct supervisor_note *note);

void supervisor_child_signal(const struct supervisor_child *child, int number);
/* Somebody holds it: a debugger, or SIGSTOP. */
bool supervisor_child_is_held(const struct supervisor_child *child);

/* It has been waited for. */
void supervisor_child_forget(struct supervisor_child *child);

/* "killed by signal 11 (Segmentation fault)", "exit code 3". */
void supervisor_child_say_ending(int status, char *out, size_t size);

#endif

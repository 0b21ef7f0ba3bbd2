/* SPDX-License-Identifier: MIT */
/* mount_list.h — the file systems that this process sees, as in /proc/self/mountinfo. */
#ifndef FARMSTEAD_MOUNT_LIST_H
#define FARMSTEAD_MOUNT_LIST_H

#include <stdbool.h>
#include <sys/types.h>

/* Texts are the visit's. */
struct mount {
    dev_t device;
    char *root; /* which part of the file system it is */
    char *point, *type, *source;
    char *options; /* the file system's own; "": none */
};

/* Calls `visit` for each until it says true; returns whether it did. What can't be read has none. May
 * wait for the disk. */
bool mount_list_visit(const char *file, bool (*visit)(const struct mount *mount, void *arg),
                      void *arg);

/* "8:1", and what follows it if anything. */
bool mount_list_parse_device(const char *text, dev_t *device);

#endif

/* SPDX-License-Identifier: MIT */
/* mount_list.h — the file systems that this process sees, as in /proc/self/mountinfo. */
#ifndef FARMSTEAD_MOUNT_LIST_H
#define FARMSTEAD_MOUNT_LIST_H

#include <stdbool.h>
#include <sys/types.h>

/* Texts are valid during the visit. */
struct mount {
    dev_t device;
    char *root; /* the part of the file system that is mounted */
    char *point, *type, *source;
    char *options; /* those of the file system; "": none */
};

/* Calls `visit` for each mount until it returns true; returns whether it did. A file that can't be
 * read has no mounts. May wait for the disk. */
bool mount_list_visit(const char *file, bool (*visit)(const struct mount *mount, void *arg),
                      void *arg);

/* Parses "8:1", whatever follows it. */
bool mount_list_parse_device(const char *text, dev_t *device);

#endif

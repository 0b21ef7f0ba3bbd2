/* SPDX-License-Identifier: MIT */
/* copy_tree.h — the files of a folder that may have compressed copies beside them, and copies without
 * their file. Links are not followed, and what begins with a dot is not looked at, except
 * "/.well-known/". */
#ifndef FARMSTEAD_COPY_TREE_H
#define FARMSTEAD_COPY_TREE_H

#include "config/config.h"

#include <sys/stat.h>

struct copy_tree_file {
    char *path;
    struct stat st;
};

struct copy_tree_list {
    struct copy_tree_file *items;
    size_t count;
};

struct copy_tree {
    struct copy_tree_list files;    /* of a type that is compressed, whatever their size */
    struct copy_tree_list orphans;  /* would be copies of such files, which are not there */
    struct copy_tree_list problems; /* folders that can't be read; st.st_mode is the errno */
};

/* What a copy is called until it is whole: a dot, the copy's name and this. */
#define COPY_TREE_UNFINISHED ".precompress"

/* Looks through `folder`, and removes what a process before has left unfinished. Types are those of
 * `cfg`. */
void copy_tree_read(struct copy_tree *tree, const char *folder, const struct config *cfg);
void copy_tree_fini(struct copy_tree *tree);

#endif

/* SPDX-License-Identifier: MIT */
/* copy_name.h — how compressed copies are called: a name says which state of which file a copy is of, and how it was made.
 * Pure: any thread. */
#ifndef FARMSTEAD_COPY_NAME_H
#define FARMSTEAD_COPY_NAME_H

#include "files/copy_dictionary.h"
#include "http/http_coding.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define COPY_NAME_BYTES 192 /* of the longest name, with its NUL */

/* What a copy is of, and how it is made. */
struct copy_source {
    uint64_t device, inode, size;
    struct timespec mtime, ctime;
    enum http_coding coding;
    int level;
    uint32_t mark;                            /* coder_mark() */
    const struct copy_dictionary *dictionary; /* only of CODING_DCZ */
};
/* Writes "/", the name of the copy in the store's folder, and a NUL. */
void copy_name(char out[COPY_NAME_BYTES], const struct copy_source *source);

/* Is it the name of a copy, as far as can be told? Without the "/". */
bool copy_name_is_one(const char *name);

#endif

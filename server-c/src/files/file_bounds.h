/* SPDX-License-Identifier: MIT */
/* file_bounds.h — keeps the cache within its limits. What was used least makes room for what is
 * new, at once and exactly. What exceeds limits that were lowered goes step by step, as hundreds of
 * thousands of entries take a tenth of a second or more; meanwhile nothing may grow. Included only
 * by the files of the cache. Loop thread only. */
#ifndef FARMSTEAD_FILE_BOUNDS_H
#define FARMSTEAD_FILE_BOUNDS_H

#include "files/file_cache.h"

void file_bounds_init(struct file_cache *cache);
void file_bounds_fini(struct file_cache *cache);    /* afterwards the loop must run once more */
void file_bounds_enforce(struct file_cache *cache); /* call it when something was added */

#endif

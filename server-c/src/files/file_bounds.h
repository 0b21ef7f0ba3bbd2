/* SPDX-License-Identifier: MIT */
/* file_bounds.h — what the cache may hold: the least used gives way to what is new, at once and exactly;
 * what is beyond limits that were lowered goes in steps, for hundreds of thousands of entries take a
 * tenth of a second and more. Meanwhile nothing grows. Only file_cache's own files include this. */
#ifndef FARMSTEAD_FILE_BOUNDS_H
#define FARMSTEAD_FILE_BOUNDS_H

#include "files/file_cache.h"

void file_bounds_init(struct file_cache *cache);
void file_bounds_fini(struct file_cache *cache);    /* the loop must run once more afterwards */
void file_bounds_enforce(struct file_cache *cache); /* something was added */

#endif

/* SPDX-License-Identifier: MIT */
/* redirect_file.h — reads a file of redirects (redirect_list.h) from the disk. */
#ifndef FARMSTEAD_REDIRECT_FILE_H
#define FARMSTEAD_REDIRECT_FILE_H

#include "match/redirect_list.h"

/* Replaces *list, which is NULL or what was read before, unless the file still has the same text.
 * 0; or UV_E*, and *list stays. What is wrong in the text is in `problems`, of which there are none
 * if it could not be read. Waits for the disk: never on a loop. */
int redirect_file_read(struct redirect_list **list, const char *path,
                       struct redirect_problems *problems);

/* The end of a sentence about another error, after the name of the file. */
const char *redirect_file_problem(int err);

#endif

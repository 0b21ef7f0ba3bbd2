/* SPDX-License-Identifier: MIT */
/* kernel_file.h — short texts that the kernel provides as files, such as those below /sys. */
#ifndef FARMSTEAD_KERNEL_FILE_H
#define FARMSTEAD_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads the first line of folder/name, without its end, and cut to cap - 1 bytes. False if there is
 * none. */
bool kernel_file_line(const char *folder, const char *name, char *out, size_t cap);

#endif

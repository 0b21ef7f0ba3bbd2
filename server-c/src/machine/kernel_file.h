/* SPDX-License-Identifier: MIT */
/* kernel_file.h — small texts that the kernel shows as files, as below /sys. */
#ifndef FARMSTEAD_KERNEL_FILE_H
#define FARMSTEAD_KERNEL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* The first line of folder/name, without its end, and cut to cap - 1 bytes; false when there is none. */
bool kernel_file_line(const char *folder, const char *name, char *out, size_t cap);

#endif

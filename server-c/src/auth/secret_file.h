/* SPDX-License-Identifier: MIT */
/* secret_file.h — a key in a file of its own, so that no config contains it. */
#ifndef FARMSTEAD_SECRET_FILE_H
#define FARMSTEAD_SECRET_FILE_H

#include <stdbool.h>
#include <stddef.h>

#define SECRET_FILE_MIN 16
#define SECRET_FILE_MAX 4096

/* The key is the file's bytes without one line end (LF or CR LF) at their end. */
struct secret {
    size_t len;
    bool is_exposed; /* every user of the machine may read the file, which is worth a warning */
    unsigned char bytes[SECRET_FILE_MAX];
};

/* 0; or UV_E* and nothing in `out`, and secret_file_problem() puts the error into words. Waits for
 * the disk: never on a loop's thread. Wipe the secret with secret_wipe(). */
int secret_file_read(struct secret *out, const char *path);
const char *secret_file_problem(int err); /* the end of a sentence: "… is too short …" */
void secret_wipe(struct secret *secret);

#endif

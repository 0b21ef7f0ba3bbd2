/* SPDX-License-Identifier: MIT */
/* body_file.h — how body.c gets the bytes of a file without waiting for the disk; nobody else
 * includes this. Loop thread. */
#ifndef FARMSTEAD_BODY_FILE_H
#define FARMSTEAD_BODY_FILE_H

#include "body/body.h"

/* Adds bytes of the range to the slice, which may already have bytes that precede them. Call it
 * only if body->remaining > 0. BODY_BYTES, or why there are none yet; then the bytes before them
 * wait as well. */
enum body_step body_file_next(struct body *body, struct loop *loop, const struct body_want *want,
                              struct body_slice *slice);

#endif

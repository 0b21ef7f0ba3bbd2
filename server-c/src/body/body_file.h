/* SPDX-License-Identifier: MIT */
/* body_file.h — body.c's way to the bytes of a file, never waiting for the disk. Nobody else includes
 * this. Loop thread. */
#ifndef FARMSTEAD_BODY_FILE_H
#define FARMSTEAD_BODY_FILE_H

#include "body/body.h"

/* Adds what can be had of the range to the slice, which has the bytes before it: body->remaining > 0.
 * BODY_BYTES, or why there are none yet; then those before it wait as well. */
enum body_step body_file_next(struct body *body, struct loop *loop, const struct body_want *want,
                              struct body_slice *slice);

#endif

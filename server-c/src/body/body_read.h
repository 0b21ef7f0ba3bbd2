/* SPDX-License-Identifier: MIT */
/* body_read.h — how body.c and body_file.c use the read lane; nobody else includes this. Loop
 * thread. */
#ifndef FARMSTEAD_BODY_READ_H
#define FARMSTEAD_BODY_READ_H

#include "body/body.h"

/* Has the next chunk of the range read, into the page cache, or if body->by_copy into body->chunk.
 * If that fails body->offset is BODY_OFFSET_LOST afterwards. Returns BODY_WAITING, BODY_REFUSED or
 * BODY_FAILED. */
enum body_step body_read_start(struct body *body, struct loop *loop);
void body_read_forget(struct body *body); /* on_ready is not called any more */

#define BODY_OFFSET_LOST UINT64_MAX

#endif

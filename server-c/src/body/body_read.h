/* SPDX-License-Identifier: MIT */
/* body_read.h — body.c's way to the read lane. Nobody else includes this. Loop thread. */
#ifndef FARMSTEAD_BODY_READ_H
#define FARMSTEAD_BODY_READ_H

#include "body/body.h"

/* Has the next chunk of the range read: into the page cache, or by_copy into body->chunk. When it
 * could not be read, body->offset is BODY_OFFSET_LOST afterwards. BODY_WAITING, BODY_REFUSED or
 * BODY_FAILED. */
enum body_step body_read_start(struct body *body, struct loop *loop);
void body_read_forget(struct body *body); /* nobody waits any more */

#define BODY_OFFSET_LOST UINT64_MAX

#endif

/* SPDX-License-Identifier: MIT */
/* body_file.h — body.c's way from a file to the socket, never waiting for the disk. Nobody else
 * includes this. Loop thread. */
#ifndef FARMSTEAD_BODY_FILE_H
#define FARMSTEAD_BODY_FILE_H

#include "body/body.h"

/* What is pending, then a burst of what remains of the piece: body->remaining > 0. */
enum body_step body_send_file(struct body *body, struct loop *loop, int socket);

#endif

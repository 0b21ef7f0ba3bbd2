/* SPDX-License-Identifier: MIT */
/* unix_socket.h — a listening Unix socket at a path of the file system.
 *
 * The name appears when the socket listens and has its mode, in one step, in the place of a socket
 * that a server left behind. A name at which somebody listens, or that is no socket, is not touched.
 * SO_REUSEPORT does not spread Unix sockets: the loops share this one. */
#ifndef FARMSTEAD_UNIX_SOCKET_H
#define FARMSTEAD_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

struct unix_socket;

/* `mode` in octal digits. 0, or a negative UV_E*: UV_EADDRINUSE when somebody listens there,
 * UV_EEXIST when something else has the name. Any thread. */
int unix_socket_bind(const char *path, const char *mode, struct unix_socket **out);
/* Another descriptor of it, for a loop; or a negative UV_E*. */
int unix_socket_dup(const struct unix_socket *local);
int unix_socket_set_mode(const struct unix_socket *local, const char *mode);
/* The name becomes that user's, who may then change its mode. 0 or a negative UV_E*. */
int unix_socket_give(const struct unix_socket *local, uid_t uid, gid_t gid);
/* Closes our descriptor and removes the name if it is still this socket's. Frees. 0, or a negative
 * UV_E* when the name is left, at which nobody listens. */
int unix_socket_close(struct unix_socket *local);

#endif

/* SPDX-License-Identifier: MIT */
/* unix_socket.h — a listening Unix socket at a path of the file system.
 *
 * The name appears in one step when the socket listens and has its mode, and replaces a socket that
 * an earlier server left behind. A name at which somebody listens, or that is not a socket, is left
 * alone. SO_REUSEPORT does not distribute Unix sockets, so all loops share this one. */
#ifndef FARMSTEAD_UNIX_SOCKET_H
#define FARMSTEAD_UNIX_SOCKET_H

#include <stdbool.h>
#include <sys/types.h>

struct unix_socket;

/* `mode` is in octal digits. Returns 0 or a negative UV_E*: UV_EADDRINUSE if somebody listens
 * there, UV_EEXIST if the name is not a socket. Any thread. */
int unix_socket_bind(const char *path, const char *mode, struct unix_socket **out);
/* Returns another descriptor of the socket, for a loop, or a negative UV_E*. */
int unix_socket_dup(const struct unix_socket *local);
int unix_socket_set_mode(const struct unix_socket *local, const char *mode);
/* Gives the file to that user, who may then change its mode. Returns 0 or a negative UV_E*. */
int unix_socket_give(const struct unix_socket *local, uid_t uid, gid_t gid);
/* Closes our descriptor, removes the name if it is still this socket's, and frees `local`. Returns
 * 0, or a negative UV_E* if the name could not be removed; nobody listens at it then. */
int unix_socket_close(struct unix_socket *local);

#endif

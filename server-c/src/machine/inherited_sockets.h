/* SPDX-License-Identifier: MIT */
/* inherited_sockets.h — listening sockets that a service manager has opened for this process
 * (systemd's socket activation, sd_listen_fds(3)). They stay open as long as the process, whatever a
 * config says, so that nobody is turned away while one follows another. */
#ifndef FARMSTEAD_INHERITED_SOCKETS_H
#define FARMSTEAD_INHERITED_SOCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes over the sockets that the environment tells of, and has it tell of none. Once, before there
 * are other threads. They are meant for the process LISTEN_PID names, which is this one or, where
 * that one runs this program, its parent. */
void inherited_sockets_init(void);
void inherited_sockets_fini(void); /* closes them; for tests */

/* Returns the socket that listens at this address and port, or at this path of a Unix socket, or -1.
 * It belongs to this module: duplicate it. Any thread. */
int inherited_sockets_at(const char *address, uint16_t port);
int inherited_sockets_at_path(const char *path);

/* What is wrong with the passed socket that stands in the way of listening at this address and port
 * by ourselves, as a hint for its unit; NULL: none does. Any thread. */
const char *inherited_sockets_conflict(const char *address, uint16_t port);

/* Calls `tell` with each descriptor that was passed, and its name: "127.0.0.1:80", "[::1]:80",
 * "/run/x" or what it is instead of a listening stream socket. */
void inherited_sockets_tell(void (*tell)(void *arg, int fd, const char *name), void *arg);

#endif

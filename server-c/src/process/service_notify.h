/* SPDX-License-Identifier: MIT */
/* service_notify.h — tells the service manager how this process is doing: systemd's notify protocol
 * (sd_notify(3)), datagrams to the socket that NOTIFY_SOCKET names. Without one, nothing is sent.
 *
 * A manager that does not listen is no reason for anything: all errors are passed over. */
#ifndef FARMSTEAD_SERVICE_NOTIFY_H
#define FARMSTEAD_SERVICE_NOTIFY_H

#include <stdint.h>

/* First thing in the process, before threads. Takes the variables out of the environment, so that
 * no process started from here speaks in this one's name. */
void service_notify_init(void);

/* Lines of "NAME=value", as sd_notify(3) has them. Any thread. */
void service_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A reload begins; "READY=1" ends it. */
void service_notify_reloading(void);

/* How often "WATCHDOG=1" is due: half of what the manager allows. 0: it does not watch. */
uint32_t service_notify_watchdog_ms(void);

#endif

/* SPDX-License-Identifier: MIT */
/* service_notify.h — tells the service manager how this process is: systemd's protocol
 * (sd_notify(3)), datagrams to the socket in NOTIFY_SOCKET. Without that variable nothing is sent.
 *
 * All errors are ignored: a manager that does not listen changes nothing here. */
#ifndef FARMSTEAD_SERVICE_NOTIFY_H
#define FARMSTEAD_SERVICE_NOTIFY_H

#include <stdint.h>

/* Call it first in the process, before there are threads. Removes the variables from the
 * environment, so that no process started from here can speak for this one. */
void service_notify_init(void);

/* Sends lines of the form "NAME=value", see sd_notify(3). Any thread. */
void service_notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Says that a reload begins; "READY=1" ends it. */
void service_notify_reloading(void);

/* Returns how often "WATCHDOG=1" must be sent: half of the time that the manager allows. 0:
 * never. */
uint32_t service_notify_watchdog_ms(void);

#endif

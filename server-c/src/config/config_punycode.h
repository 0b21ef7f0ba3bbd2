/* SPDX-License-Identifier: MIT */
/* config_punycode.h — a host name with letters beyond ASCII as the DNS and browsers write it (RFC 3492), for
 * hints to authors. */
#ifndef FARMSTEAD_CONFIG_PUNYCODE_H
#define FARMSTEAD_CONFIG_PUNYCODE_H

#include "base/buf.h"

#include <stdbool.h>

/* Appends the form of `host`, well-formed UTF-8 ("münchen.de" → "xn--mnchen-3ya.de"). False, with nothing
 * appended, where it holds what is no host name, or letters whose form would take tables to tell. */
bool config_punycode_host(struct buf *out, const char *host);

#endif

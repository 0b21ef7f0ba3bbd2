/* SPDX-License-Identifier: MIT */
/* config_punycode.h — writes a host name with letters beyond ASCII as the DNS and browsers do (RFC
 * 3492), for hints to authors. */
#ifndef FARMSTEAD_CONFIG_PUNYCODE_H
#define FARMSTEAD_CONFIG_PUNYCODE_H

#include "base/buf.h"

#include <stdbool.h>

/* Appends the encoded form of `host`, which is valid UTF-8 ("münchen.de" → "xn--mnchen-3ya.de").
 * False, with nothing appended, if it is not a host name, or if the form of its letters would take
 * large tables to know. */
bool config_punycode_host(struct buf *out, const char *host);

#endif

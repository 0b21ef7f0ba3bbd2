/* SPDX-License-Identifier: MIT */
/* address.h — an IP address as 16 bytes. An IPv4 address is kept as ::ffff:a.b.c.d (RFC 4291 section
 * 2.5.5.2), so that a client on a dual-stack socket is the same client. */
#ifndef FARMSTEAD_ADDRESS_H
#define FARMSTEAD_ADDRESS_H

#include <stdint.h>
#include <string.h>

#define ADDRESS_LEN 16
#define ADDRESS_V4_AT 12 /* where the four bytes of an IPv4 address are */

/* Makes it that of an IPv4 address, whose four bytes are to be put at the returned place. */
static inline uint8_t *address_begin_v4(uint8_t address[ADDRESS_LEN])
{
    static const uint8_t prefix[ADDRESS_V4_AT] = {[10] = 0xff, [11] = 0xff};

    memcpy(address, prefix, sizeof(prefix));
    return address + ADDRESS_V4_AT;
}

/* Returns the four bytes of an IPv4 address, or NULL if it is another one. */
static inline const uint8_t *address_v4(const uint8_t address[ADDRESS_LEN])
{
    static const uint8_t prefix[ADDRESS_V4_AT] = {[10] = 0xff, [11] = 0xff};

    return memcmp(address, prefix, sizeof(prefix)) == 0 ? address + ADDRESS_V4_AT : NULL;
}

#endif

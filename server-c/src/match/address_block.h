/* SPDX-License-Identifier: MIT */
/* address_block.h — an IP address or a CIDR block of them (RFC 4632, RFC 4291). */
#ifndef FARMSTEAD_ADDRESS_BLOCK_H
#define FARMSTEAD_ADDRESS_BLOCK_H

#include "base/address.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* IPv4 addresses are stored as ::ffff:a.b.c.d (RFC 4291 section 2.5.5.2), so that a client is the
 * same on a dual-stack socket. */
struct address_block {
    uint8_t bytes[ADDRESS_LEN];
    uint8_t bits; /* how many of the 128 bits count; the others are 0 */
};

/* Parses "192.0.2.7", "192.0.2.0/24", "2001:db8::/32": numeric, without zone or leading zeros.
 * Returns NULL; or what is wrong, as in "is not …", and *block is unchanged. Bits after the prefix
 * must be 0, because "10.0.0.1/8" is more likely a mistake than intended. */
const char *address_block_parse(struct address_block *block, const char *text);

/* Is the address in the block? No IPv4 client is in a block of IPv6, not even "::/0"; all are in
 * "0.0.0.0/0". */
bool address_block_holds(const struct address_block *block, const uint8_t address[ADDRESS_LEN]);

#endif

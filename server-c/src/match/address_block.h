/* SPDX-License-Identifier: MIT */
/* address_block.h — an IP address or a CIDR block of them (RFC 4632, RFC 4291). */
#ifndef FARMSTEAD_ADDRESS_BLOCK_H
#define FARMSTEAD_ADDRESS_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_LEN 16

/* IPv4 addresses are kept as ::ffff:a.b.c.d, so that a client on a dual-stack socket is the same
 * client. */
struct address_block {
    uint8_t bytes[ADDRESS_LEN];
    uint8_t bits; /* of the 128 that count; the others are 0 */
};

/* "192.0.2.7", "192.0.2.0/24", "2001:db8::/32": numeric, no zone, no leading zeros. NULL, or what
 * is wrong, as in "is not …"; *block is then unchanged. Bits set behind the prefix are wrong:
 * "10.0.0.1/8" is more likely a slip than a wish. */
const char *address_block_parse(struct address_block *block, const char *text);

/* A block of IPv6 holds no IPv4 client, not even "::/0": "0.0.0.0/0" is for them all. */
bool address_block_holds(const struct address_block *block, const uint8_t address[ADDRESS_LEN]);

#endif

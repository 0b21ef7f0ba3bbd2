/* SPDX-License-Identifier: MIT */
/* address_block.c — IPv4 addresses are mapped to ::ffff:0:0/96, so that everything is one
 * comparison. */
#include "match/address_block.h"

#include "base/util.h"

#include <arpa/inet.h>
#include <string.h>

#define V4_BITS 96 /* bits before those of a mapped IPv4 address */

/* Parses "0" … "128", without sign or leading zeros. -1 if it is something else. */
static int parse_bits(const char *text)
{
    size_t len = strspn(text, "0123456789");
    int bits = 0;

    if (len == 0 || len > 3 || text[len] != '\0' || (len > 1 && text[0] == '0'))
        return -1;
    for (size_t i = 0; i < len; i++)
        bits = bits * 10 + (text[i] - '0');
    return bits;
}

/* Returns the number of bits in an address of its family, or 0 if `text` is no address. */
static int parse_address(uint8_t address[ADDRESS_LEN], const char *text)
{
    if (inet_pton(AF_INET, text, address_begin_v4(address)) == 1)
        return 32;
    return inet_pton(AF_INET6, text, address) == 1 ? 128 : 0;
}

/* Are the first `bits` bits equal? */
static bool prefix_equals(const uint8_t *a, const uint8_t *b, unsigned bits)
{
    unsigned rest = bits % 8;

    if (memcmp(a, b, bits / 8) != 0)
        return false;
    return rest == 0 || (a[bits / 8] ^ b[bits / 8]) >> (8 - rest) == 0;
}

static bool has_bits_behind(const struct address_block *block)
{
    for (unsigned bit = block->bits; bit < 8 * ADDRESS_LEN; bit++)
        if (block->bytes[bit / 8] & (0x80u >> bit % 8))
            return true;
    return false;
}

const char *address_block_parse(struct address_block *block, const char *text)
{
    size_t len = strcspn(text, "/");
    char address[INET6_ADDRSTRLEN];
    struct address_block parsed;
    int family_bits, bits;

    if (len >= sizeof(address))
        return "is not an IP address";
    memcpy(address, text, len);
    address[len] = '\0';
    family_bits = parse_address(parsed.bytes, address);
    if (family_bits == 0)
        return "is not an IP address";
    bits = text[len] == '/' ? parse_bits(text + len + 1) : family_bits;
    if (bits < 0 || bits > family_bits)
        return family_bits == 32 ? "is not an IPv4 block: its prefix must be 0 to 32"
                                 : "is not an IPv6 block: its prefix must be 0 to 128";
    parsed.bits = (uint8_t)(8 * ADDRESS_LEN - family_bits + bits);
    if (has_bits_behind(&parsed))
        return "has bits set behind its prefix; a block is named by its first address, as in "
               "10.0.0.0/8";
    *block = parsed;
    return NULL;
}

bool address_block_holds(const struct address_block *block, const uint8_t address[ADDRESS_LEN])
{
    if (block->bits < V4_BITS && address_v4(address) != NULL)
        return false;
    return prefix_equals(block->bytes, address, block->bits);
}

/* SPDX-License-Identifier: MIT */
/* Any text: a block holds its first address, nothing behind its prefix is set, and what is written
 * for it is read as the same block. */
#include "match/address_block.h"
#include "base/util.h"

#include <arpa/inet.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_round_trip(const struct address_block *block)
{
    char address[INET6_ADDRSTRLEN], text[INET6_ADDRSTRLEN + 8];
    struct address_block again;

    CHECK(inet_ntop(AF_INET6, block->bytes, address, sizeof(address)) != NULL);
    snprintf(text, sizeof(text), "%s/%d", address, block->bits);
    CHECK(address_block_parse(&again, text) == NULL);
    CHECK(again.bits == block->bits && memcmp(again.bytes, block->bytes, ADDRESS_LEN) == 0);
}

static void check_holds(const struct address_block *block)
{
    uint8_t other[ADDRESS_LEN];

    CHECK(block->bits <= 8 * ADDRESS_LEN);
    CHECK(address_block_holds(block, block->bytes));
    for (unsigned bit = 0; bit < 8 * ADDRESS_LEN; bit++) {
        bool is_in_prefix = bit < block->bits;
        memcpy(other, block->bytes, ADDRESS_LEN);
        CHECK(is_in_prefix || (other[bit / 8] & 0x80u >> bit % 8) == 0);
        other[bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
        if (is_in_prefix)
            CHECK(!address_block_holds(block, other));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = strndup((const char *)data, len);
    struct address_block block;
    const char *error = address_block_parse(&block, text);

    if (error) {
        CHECK(strncmp(error, "is ", 3) == 0 || strncmp(error, "has ", 4) == 0);
    } else {
        check_holds(&block);
        check_round_trip(&block);
    }
    free(text);
    return 0;
}

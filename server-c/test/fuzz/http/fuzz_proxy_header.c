/* SPDX-License-Identifier: MIT */
/* Any beginning of a connection: a header that is whole does not change with what follows it, and was not
 * whole without its last byte. */
#include "http/proxy_header.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* In memory of exactly that length, so that a read beyond it is seen. */
static enum proxy_header_state parse(struct proxy_header *header, const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1);
    enum proxy_header_state state;

    CHECK(copy);
    if (len > 0)
        memcpy(copy, data, len);
    state = proxy_header_parse(header, copy, len);
    free(copy);
    return state;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct proxy_header header = {0}, alone = {0};

    if (parse(&header, data, len) != PROXY_HEADER_OK)
        return 0;
    CHECK(header.len > 0 && header.len <= len && header.len <= PROXY_HEADER_MAX);
    CHECK(parse(&alone, data, header.len) == PROXY_HEADER_OK);
    CHECK(alone.len == header.len && alone.has_client == header.has_client);
    CHECK(!header.has_client || memcmp(alone.client, header.client, ADDRESS_LEN) == 0);
    CHECK(parse(&alone, data, header.len - 1) == PROXY_HEADER_MORE);
    return 0;
}

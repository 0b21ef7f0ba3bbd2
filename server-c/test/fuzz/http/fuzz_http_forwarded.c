/* SPDX-License-Identifier: MIT */
/* Any list of hops: each element lies within it, in order, and one that is known is the same when it is
 * asked again. */
#include "http/http_forwarded.h"

#include "base/util.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check(enum http_field field, struct span list)
{
    const char *at = list.ptr, *end = list.ptr + list.len;
    struct span element;

    while (http_forwarded_next(field, &list, &element)) {
        struct forwarded_hop hop = http_forwarded_hop(field, element);
        struct forwarded_hop again = http_forwarded_hop(field, element);
        CHECK(element.len > 0 && element.ptr >= at && element.ptr + element.len <= end);
        CHECK(hop.is_known == again.is_known);
        CHECK(!hop.is_known || memcmp(hop.address, again.address, sizeof(hop.address)) == 0);
        at = element.ptr + element.len;
    }
    CHECK(list.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct span list = {(const char *)data, len};

    check(FIELD_FORWARDED, list);
    check(FIELD_X_FORWARDED_FOR, list);
    return 0;
}

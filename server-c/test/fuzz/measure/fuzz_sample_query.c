/* SPDX-License-Identifier: MIT */
/* Any query string: what is accepted is within bounds, and says the same when it is written anew. */
#include "measure/sample_query.h"
#include "base/util.h"

#include <inttypes.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static bool is_same(const struct sample_query *a, const struct sample_query *b)
{
    return a->limit == b->limit && a->since_us == b->since_us &&
           a->wants_regular == b->wants_regular && a->wants_slow == b->wants_slow;
}

static void check_again(const struct sample_query *query)
{
    bool has_kind = query->wants_regular != query->wants_slow;
    struct sample_query again;
    const char *reason;
    char text[128];
    int len =
        snprintf(text, sizeof(text), "since=%" PRIu64 "&limit=%zu%s", query->since_us, query->limit,
                 !has_kind           ? ""
                 : query->wants_slow ? "&kind=slow"
                                     : "&kind=regular");

    CHECK(sample_query_parse(&again, (struct span){text, (size_t)len}, &reason));
    CHECK(is_same(query, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    char *text = malloc(len ? len : 1); /* of this size, so that a byte beyond is found */
    const char *reason = NULL;
    struct sample_query query;

    if (len > 0)
        memcpy(text, data, len);
    if (sample_query_parse(&query, (struct span){text, len}, &reason)) {
        CHECK(query.limit >= 1 && query.limit <= SAMPLE_QUERY_LIMIT_MAX);
        CHECK(query.wants_regular || query.wants_slow);
        CHECK(query.since_us <= UINT64_MAX / 1000);
        check_again(&query);
    } else {
        CHECK(reason);
    }
    free(text);
    return 0;
}

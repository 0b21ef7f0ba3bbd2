/* SPDX-License-Identifier: MIT */
/* sample_query.h — the query string of GET /samples. Strict: what is not understood is refused,
 * because the answer to another question than the one meant looks just like a right answer. */
#ifndef FARMSTEAD_SAMPLE_QUERY_H
#define FARMSTEAD_SAMPLE_QUERY_H

#include "base/util.h"

#include <stdbool.h>

#define SAMPLE_QUERY_LIMIT 100 /* if the query has none */
#define SAMPLE_QUERY_LIMIT_MAX 10000

struct sample_query {
    size_t limit;
    uint64_t since_us; /* since the node's start: "next" of an earlier answer; 0: all */
    bool wants_regular, wants_slow;
};

/* Parses "limit=20&since=123&kind=slow": each at most once, in any order; may be empty. False:
 * *reason says what is wrong. */
bool sample_query_parse(struct sample_query *query, struct span text, const char **reason);

#endif

/* SPDX-License-Identifier: MIT */
/* request_searches.h — what people search for among the requests of this node, now.
 *
 * Each search has a reservoir of its own: of what matches, each has the same chance to be kept. While
 * there is none, nothing is held and nothing is compared. For one loop; loop thread only. */
#ifndef FARMSTEAD_REQUEST_SEARCHES_H
#define FARMSTEAD_REQUEST_SEARCHES_H

#include "measure/request_reservoir.h"

#define REQUEST_SEARCHES_MAX 4
#define REQUEST_SEARCH_MOST 50   /* requests that one may have kept between two messages */
#define REQUEST_SEARCH_ID_LEN 33 /* "search_" and 26 characters */

struct request_search {
    char id[REQUEST_SEARCH_ID_LEN + 1];
    uint32_t most; /* 1 … REQUEST_SEARCH_MOST */
    bool tells_clients;
    struct request_filter filter;
};

struct request_searching {
    struct request_search search;
    struct request_reservoir found;
    uint64_t looked_at; /* requests since it was emptied */
};

struct request_searches {
    struct request_searching *items; /* NULL: nobody searches */
    size_t count;
};

/* From now on these, and no others. What those among them that were there before have found stays. */
void request_searches_set(struct request_searches *searches, const struct request_search *wanted,
                          size_t count);
void request_searches_fini(struct request_searches *searches);
/* Adds what this loop has found for the search of this id, and empties it. */
void request_searches_take(struct request_searches *searches, const char *id,
                           struct taken_requests *out, uint64_t *random);

#endif

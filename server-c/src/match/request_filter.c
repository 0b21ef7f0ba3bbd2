/* SPDX-License-Identifier: MIT */
/* request_filter.c — the cheapest comparisons first. */
#include "match/request_filter.h"

#include <string.h>

static bool holds(struct span text, const char *part)
{
    return part[0] == '\0' || memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static bool is_of_site(const struct request_filter *filter, const struct request_facts *facts)
{
    if (filter->site[0] == '\0')
        return true;
    for (size_t i = 0; i < facts->site_host_count; i++)
        if (strcmp(facts->site_hosts[i], filter->site) == 0)
            return true;
    return false;
}

static bool is_of_client(const struct request_filter *filter, const uint8_t *client)
{
    return !filter->has_client || (client && address_block_holds(&filter->client, client));
}

bool request_filter_takes(const struct request_filter *filter, const struct request_facts *facts)
{
    if (filter->status_to > 0 &&
        (facts->status < filter->status_from || facts->status > filter->status_to))
        return false;
    if (facts->total_ns < filter->slower_ns || facts->bytes < filter->bytes_from)
        return false;
    if (filter->method[0] && !span_is(facts->method, filter->method))
        return false;
    return is_of_client(filter, facts->client) && is_of_site(filter, facts) &&
           holds(facts->host, filter->host);
}

bool request_filter_takes_path(const struct request_filter *filter, struct span masked)
{
    size_t len = strlen(filter->path);

    if (!filter->path_begins)
        return holds(masked, filter->path);
    return masked.len >= len && memcmp(masked.ptr, filter->path, len) == 0;
}

/* SPDX-License-Identifier: MIT */
/* Which limit is for a path, and what it is known by. */
#include "site/site_limits.c"

#include "check.h"

#include <stdlib.h>
#include <string.h>

#define S(text) ((char *)(uintptr_t)(text))

static struct config_request_limit rules[] = {
    {.paths = (char *[]){S("/api/**")},
     .path_count = 1,
     .requests = 10,
     .per_seconds = 60,
     .burst = 5},
    {.paths = (char *[]){S("*.iso")}, .path_count = 1, .requests = 2, .per_seconds = 1, .burst = 2},
};

static const struct site_limit *find(const struct site_limit *limits, const struct config_site *cfg,
                                     const char *path)
{
    return site_limits_find(limits, cfg, (struct span){path, strlen(path)});
}

int main(void)
{
    struct config_site cfg = {.hosts = (char *[]){S("a.test")},
                              .host_count = 1,
                              .request_limits = rules,
                              .request_limit_count = ARRAY_LEN(rules)};
    struct config_site other = cfg, without = {0};
    struct site_limit *limits = site_limits_new(&cfg), *others;

    other.hosts = (char *[]){S("b.test")};
    others = site_limits_new(&other);
    CHECK_TRUE(!site_limits_new(&without), "no rules");
    CHECK_TRUE(find(limits, &cfg, "/api/x.iso") == &limits[0], "the first");
    CHECK_TRUE(find(limits, &cfg, "/x.iso") == &limits[1], "the second");
    CHECK_TRUE(!find(limits, &cfg, "/x"), "none");
    CHECK_TRUE(limits[0].interval_ns == 6 * NS_PER_SECOND, "one in six seconds");
    CHECK_TRUE(limits[1].interval_ns == NS_PER_SECOND / 2, "two in one");
    CHECK_TRUE(limits[0].mark != limits[1].mark && limits[0].mark != others[0].mark,
               "marks differ");
    free(limits);
    free(others);
    return check_end("site_limits");
}

/* SPDX-License-Identifier: MIT */
/* Where files are looked for that the served version does not have. */
#include "site/site_fallback.c"

#include "check.h"

#include <stdio.h>

static char below_assets[] = "/assets/**", fonts[] = "*.woff2", start_page[] = "index.html";
static char *globs[] = {below_assets, fonts}, *index_names[] = {start_page};

static struct config_site site_of(const char *release, size_t glob_count)
{
    return (struct config_site){.root = (char *)(uintptr_t) "/t/served",
                                .release = (char *)(uintptr_t)release,
                                .release_fallback = globs,
                                .release_fallback_count = glob_count,
                                .index = index_names,
                                .index_count = 1,
                                .checksums = (char *)(uintptr_t) ""};
}

static void others_are_looked_at_in_their_order(void)
{
    static const struct kept_version_said said[] = {
        {"www", "/t/served", 4, NULL}, {"docs", "/t/docs", 1, NULL}, {"www", "/t/{host}", 3, NULL},
        {"www", "/t/old", 2, NULL},    {"www", "/t/old", 1, NULL},
    };
    struct kept_versions *versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    struct config_site cfg = site_of("www", 2);
    struct site_fallbacks fallbacks;

    site_fallbacks_init(&fallbacks, &cfg, NULL, versions);
    CHECK_INT(__LINE__, "without the served one, and each folder once", fallbacks.count, 2);
    CHECK_STR(__LINE__, "first", fallbacks.items[0].place.folder, "/t/{host}");
    CHECK_TRUE(!fallbacks.items[0].place.is_template, "braces are literal");
    CHECK_STR(__LINE__, "second", fallbacks.items[1].place.folder, "/t/old");
    CHECK_INT(__LINE__, "its version", fallbacks.items[1].version->number, 2);
    CHECK_TRUE(fallbacks.items[0].place.lookup_id != fallbacks.items[1].place.lookup_id,
               "look-ups are apart");
    site_fallbacks_fini(&fallbacks);

    cfg = site_of("www", 0);
    site_fallbacks_init(&fallbacks, &cfg, NULL, versions);
    CHECK_INT(__LINE__, "no paths", fallbacks.count, 0);
    site_fallbacks_fini(&fallbacks);
    cfg = site_of("www", 1);
    site_fallbacks_init(&fallbacks, &cfg, NULL, NULL);
    CHECK_INT(__LINE__, "no versions", fallbacks.count, 0);
    site_fallbacks_fini(&fallbacks);
    kept_versions_put(versions);
}

static void there_are_not_too_many(void)
{
    struct kept_version_said said[SITE_FALLBACKS_MAX + 8];
    char folders[SITE_FALLBACKS_MAX + 8][16];
    struct config_site cfg = site_of("www", 1);
    struct kept_versions *versions;
    struct site_fallbacks fallbacks;

    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        snprintf(folders[i], sizeof(folders[i]), "/t/%zu", i);
        said[i] = (struct kept_version_said){"www", folders[i], i + 1, NULL};
    }
    versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    site_fallbacks_init(&fallbacks, &cfg, NULL, versions);
    CHECK_INT(__LINE__, "the first ones", fallbacks.count, SITE_FALLBACKS_MAX);
    site_fallbacks_fini(&fallbacks);
    kept_versions_put(versions);
}

static void only_files_of_some_paths(void)
{
    static const struct {
        int line;
        const char *path;
        bool want;
    } rows[] = {
        {__LINE__, "/assets/app.js", true},    {__LINE__, "/assets/a/b.css", true},
        {__LINE__, "/fonts/a.woff2", true},    {__LINE__, "/assets/", false},
        {__LINE__, "/assets/a/", false},       {__LINE__, "/assets", false},
        {__LINE__, "/x/assets/app.js", false}, {__LINE__, "/", false},
    };
    struct config_site cfg = site_of("www", 2);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].path,
                  site_fallbacks_have(&cfg, (struct span){rows[i].path, strlen(rows[i].path)}),
                  rows[i].want);
}

int main(void)
{
    others_are_looked_at_in_their_order();
    there_are_not_too_many();
    only_files_of_some_paths();
    return check_end("site_fallback");
}

/* SPDX-License-Identifier: MIT */
/* What a preview's site is made from, and when there is none. */
#include "site/site_preview.c"

#include "check.h"

static char www[] = "www", docs[] = "docs", none[] = "", public_host[] = "www.example.org";
static char *public_hosts[] = {public_host};
static struct config_header_rule rules[RESPONSE_RULES_MAX];
static struct config_auth sign_in;
static struct config_expires expires;

static const struct kept_preview shown = {.host = "v2-www.preview.example.org"};
static const struct kept_version_said said[] = {
    {"www", "/t/a", 1, NULL}, {"www", "/t/b", 2, &shown}, {"gone", "/t/c", 1, &shown}};

static struct config_site serving(char *release, size_t headers)
{
    return (struct config_site){.hosts = public_hosts,
                                .host_count = 1,
                                .root = none,
                                .release = release,
                                .headers = rules,
                                .header_count = headers,
                                .expires = &expires,
                                .expires_count = 1,
                                .auth = &sign_in,
                                .auth_count = 1,
                                .release_fallback_count = 1};
}

static void it_is_the_site_with_another_host_and_folder(void)
{
    struct config_site sites[] = {serving(none, 0), serving(docs, 0), serving(www, 2),
                                  serving(www, 0)};
    struct config cfg = {.sites = sites, .site_count = ARRAY_LEN(sites)};
    struct kept_versions *versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    struct site_previews previews;

    rules[0].name = www;
    site_previews_init(&previews, &cfg, versions);
    CHECK_INT(__LINE__, "of a release that a site serves", previews.count, 1);
    const struct config_site *made = &previews.items[0].cfg;
    CHECK_INT(__LINE__, "the first of its sites", previews.items[0].site, 2);
    CHECK_STR(__LINE__, "host", made->hosts[0], shown.host);
    CHECK_INT(__LINE__, "hosts", made->host_count, 1);
    CHECK_STR(__LINE__, "folder", made->root, "/t/b");
    CHECK_INT(__LINE__, "nothing of other versions", made->release_fallback_count, 0);
    CHECK_INT(__LINE__, "nobody signs in to the site", made->auth_count, 0);
    CHECK_INT(__LINE__, "nobody keeps it", made->expires_count, 0);
    CHECK_INT(__LINE__, "headers", made->header_count, 8);
    CHECK_STR(__LINE__, "the site's first", made->headers[0].name, "www");
    CHECK_INT(__LINE__, "no cache is told more", made->headers[2].action, HEADER_REMOVE);
    CHECK_STR(__LINE__, "robots", made->headers[6].value, "noindex, nofollow");
    CHECK_STR(__LINE__, "caching", made->headers[7].value, "private, no-store");
    CHECK_INT(__LINE__, "the site has what it had", sites[2].auth_count + sites[2].header_count, 3);
    CHECK_STR(__LINE__, "and its host", sites[2].hosts[0], public_host);
    site_previews_fini(&previews);
    kept_versions_put(versions);
}

static void as_many_rules_as_may_be_leave_room_for_its_own(void)
{
    struct config_site sites[] = {serving(www, RESPONSE_RULES_MAX)};
    struct config cfg = {.sites = sites, .site_count = 1};
    struct kept_versions *versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    struct site_previews previews;

    site_previews_init(&previews, &cfg, versions);
    const struct config_site *made = &previews.items[0].cfg;
    CHECK_INT(__LINE__, "with those of a preset", made->header_count + SECURITY_HEADERS_MAX,
              RESPONSE_RULES_MAX);
    CHECK_STR(__LINE__, "the last", made->headers[made->header_count - 1].name, "Cache-Control");
    site_previews_fini(&previews);
    kept_versions_put(versions);
}

static void there_may_be_none(void)
{
    struct config_site sites[] = {serving(www, 0)};
    struct config cfg = {.sites = sites, .site_count = 1};
    struct kept_versions *versions = kept_versions_new(said, 1, NULL);
    struct site_previews previews;

    site_previews_init(&previews, &cfg, NULL);
    CHECK_INT(__LINE__, "no versions", previews.count, 0);
    site_previews_fini(&previews);
    site_previews_init(&previews, &cfg, versions);
    CHECK_INT(__LINE__, "none with a name of its own", previews.count, 0);
    site_previews_fini(&previews);
    kept_versions_put(versions);
}

int main(void)
{
    it_is_the_site_with_another_host_and_folder();
    as_many_rules_as_may_be_leave_room_for_its_own();
    there_may_be_none();
    return check_end("site_preview");
}

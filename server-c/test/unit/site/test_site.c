/* SPDX-License-Identifier: MIT */
/* Which site answers for a host, and which ids survive a reload. */
#include "site/site.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))

static char *hosts_a[] = {S("a.test"), S("b.test")};
static char *hosts_b[] = {S("*.test"), S("[::1]")};
static char *hosts_c[] = {S("*.deep.a.test")};
static char *hosts_d[] = {S("*")};
static char *index_a[] = {S("index.html")};

static struct config_site sites[] = {
    {.hosts = hosts_a,
     .host_count = 2,
     .root = S("/a"),
     .user_dirs = {.folder = S("")},
     .index = index_a,
     .index_count = 1},
    {.hosts = hosts_b,
     .host_count = 2,
     .root = S("/b"),
     .user_dirs = {.folder = S("")},
     .index = index_a,
     .index_count = 1},
    {.hosts = hosts_c,
     .host_count = 1,
     .root = S("/a"),
     .user_dirs = {.folder = S("")},
     .index = index_a,
     .index_count = 1},
    {.hosts = hosts_d, .host_count = 1, .root = S("/a"), .user_dirs = {.folder = S("")}},
};

/* Has one more reference than the sets take, so that config_put() never frees what is static
 * here. */
static struct config make_config(size_t site_count)
{
    return (struct config){.refs = 1, .sites = sites, .site_count = site_count};
}

static void test_find(void)
{
    static const struct {
        int line;
        const char *host;
        int want; /* index of the site, -1: none */
    } rows[] = {
        {__LINE__, "a.test", 0},
        {__LINE__, "B.TEST", 0},
        {__LINE__, "a.test.", 0},
        {__LINE__, "x.test", 1},
        {__LINE__, "x.y.test", 1},
        {__LINE__, "x.a.test", 1},
        {__LINE__, "x.deep.a.test", 2},
        {__LINE__, "deep.a.test", 1},
        {__LINE__, "[::1]", 1},
        {__LINE__, "y.x.deep.a.test", 2},
        {__LINE__, "test", -1},
        {__LINE__, ".test", -1},
        {__LINE__, "", -1},
        {__LINE__, "a.testing", -1},
    };
    char long_host[400];

    for (size_t with_fallback = 0; with_fallback < 2; with_fallback++) {
        struct config cfg = make_config(3 + with_fallback);
        struct site_set *set = site_set_new(&cfg, NULL, NULL);
        for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
            const struct site *site =
                site_set_find(set, (struct span){rows[i].host, strlen(rows[i].host)});
            int want = rows[i].want < 0 && with_fallback ? 3 : rows[i].want;
            CHECK_INT(rows[i].line, rows[i].host, site ? site - set->sites : -1, want);
        }
        memset(long_host, 'x', sizeof(long_host));
        CHECK_TRUE(site_set_find(set, (struct span){long_host, sizeof(long_host)}) == set->fallback,
                   "a host that is too long");
        site_set_put(set);
    }
}

static void test_ids(void)
{
    struct config first = make_config(4), second = make_config(2);
    struct site_set *old = site_set_new(&first, NULL, NULL),
                    *new = site_set_new(&second, NULL, old);

    CHECK_TRUE(old->sites[0].places.root.lookup_id == old->sites[2].places.root.lookup_id,
               "same root and index");
    CHECK_TRUE(old->sites[0].places.root.lookup_id != old->sites[1].places.root.lookup_id,
               "other root");
    CHECK_TRUE(old->sites[0].places.root.lookup_id != old->sites[3].places.root.lookup_id,
               "other index");
    CHECK_TRUE(old->sites[0].id != old->sites[2].id, "sites have ids of their own");
    CHECK_TRUE(new->sites[0].places.root.lookup_id == old->sites[0].places.root.lookup_id,
               "survives a reload");
    CHECK_TRUE(new->sites[0].id != old->sites[0].id, "what was prepared does not");
    site_set_put(old);
    site_set_put(new);
}

int main(void)
{
    test_find();
    test_ids();
    return check_end("site");
}

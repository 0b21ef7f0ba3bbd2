/* SPDX-License-Identifier: MIT */
/* Where paths lie: root, aliases, user folders; and when two places are the same. */
#include "site/site_place.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))

static struct span of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static bool is(struct span got, const char *want)
{
    return got.len == strlen(want) && (got.len == 0 || memcmp(got.ptr, want, got.len) == 0);
}

static struct config_alias aliases[] = {
    {S("/img/"), S("/srv/images")},
    {S("/img/big/"), S("/srv/{big}")},
};
static char *excluded[] = {S("root")};
static struct config_site plain = {
    .root = S("/srv/www"),
    .aliases = aliases,
    .alias_count = 2,
    .user_dirs = {
        .folder = S("public_html"), .base = S("/home"), .excluded = excluded, .excluded_count = 1}};
static struct config_site by_host = {.root = S("/srv/{host1}/{host}"),
                                     .user_dirs = {.folder = S(""), .base = S("/home")}};

struct row {
    int line;
    const char *host, *path;
    int status;
    const char *folder, *variable, *rest;
};

static void check_rows(struct config_site *cfg, const struct row *rows, size_t count)
{
    struct site_places places = {0};
    char bytes[64];
    struct site_scratch scratch = {.bytes = bytes, .cap = sizeof(bytes)};

    site_places_init(&places, cfg, NULL);
    for (size_t i = 0; i < count; i++) {
        struct site_location at;
        int status =
            (int)site_places_locate(&places, of(rows[i].host), of(rows[i].path), &scratch, &at);
        CHECK_INT(rows[i].line, rows[i].path, status, rows[i].status);
        if (status != 200 || !rows[i].folder)
            continue;
        CHECK_STR(rows[i].line, rows[i].path, at.place->folder, rows[i].folder);
        CHECK_TRUE(is(at.key.variable, rows[i].variable), "row %d: variable", rows[i].line);
        CHECK_TRUE(is(at.key.path, rows[i].rest), "row %d: path", rows[i].line);
    }
    site_places_fini(&places);
}

static void test_locate(void)
{
    static const struct row rows[] = {
        {__LINE__, "a", "/x", 200, "/srv/www", "", "/x"},
        {__LINE__, "a", "/img/x.png", 200, "/srv/images", "", "/x.png"},
        {__LINE__, "a", "/img/", 200, "/srv/images", "", "/"},
        {__LINE__, "a", "/img", 301, NULL, NULL, NULL},
        {__LINE__, "a", "/imgs/x", 200, "/srv/www", "", "/imgs/x"},
        {__LINE__, "a", "/img/big/x", 200, "/srv/{big}", "", "/x"},
        {__LINE__, "a", "/img/big", 301, NULL, NULL, NULL},
        {__LINE__, "a", "/~ann/x/y", 200, "/home/{user}", "ann", "/public_html/x/y"},
        {__LINE__, "a", "/~ann/", 200, "/home/{user}", "ann", "/public_html/"},
        {__LINE__, "a", "/~ann", 301, NULL, NULL, NULL},
        {__LINE__, "a", "/~root/", 404, NULL, NULL, NULL},
        {__LINE__, "a", "/~a..b/", 404, NULL, NULL, NULL},
        {__LINE__, "a", "/~.ssh/", 404, NULL, NULL, NULL},
        {__LINE__, "a", "/~", 200, "/srv/www", "", "/~"},
        {__LINE__, "a", "/~/x", 404, NULL, NULL, NULL},
        {__LINE__, "a", "/~ann/0123456789012345678901234567890123456789012345678901234567890", 414,
         NULL, NULL, NULL},
    };
    static const struct row host_rows[] = {
        {__LINE__, "WWW.Example.org.", "/x", 200, "/srv/{host1}/{host}", "www.example.org", "/x"},
        {__LINE__, "", "/x", 404, NULL, NULL, NULL},
        {__LINE__, "..", "/x", 404, NULL, NULL, NULL},
        {__LINE__, "a..b", "/x", 404, NULL, NULL, NULL},
        {__LINE__, "[::1]", "/x", 404, NULL, NULL, NULL},
        {__LINE__, "a", "/~ann/x", 200, "/srv/{host1}/{host}", "a", "/~ann/x"},
    };

    check_rows(&plain, rows, ARRAY_LEN(rows));
    check_rows(&by_host, host_rows, ARRAY_LEN(host_rows));
}

static void test_ids(void)
{
    struct config_site same = plain, links = plain, inode = plain, content = plain;
    struct site_places a = {0}, b = {0}, c = {0}, d = {0}, e = {0};

    links.symlinks = SYMLINKS_ANY;
    inode.etag_inode = true;
    content.etag = ETAG_BY_CONTENT;
    site_places_init(&a, &plain, NULL);
    site_places_init(&b, &same, NULL);
    site_places_init(&c, &links, NULL);
    site_places_init(&d, &inode, NULL);
    site_places_init(&e, &content, NULL);
    CHECK_TRUE(a.root.lookup_id == b.root.lookup_id, "what finds the same has the same id");
    CHECK_TRUE(a.root.lookup_id != c.root.lookup_id, "another symlink policy");
    CHECK_TRUE(a.root.lookup_id != d.root.lookup_id, "another ETag");
    CHECK_TRUE(a.root.lookup_id != e.root.lookup_id, "an ETag by content");
    CHECK_TRUE(a.root.lookup_id != a.aliases[0].lookup_id, "another folder");
    site_places_fini(&a);
    site_places_fini(&b);
    site_places_fini(&c);
    site_places_fini(&d);
    site_places_fini(&e);
}

int main(void)
{
    test_locate();
    test_ids();
    return check_end("site_place");
}

/* SPDX-License-Identifier: MIT */
/* What is foretold of a request is what it gets: each is asked both ways. */
#include "site/site_forecast.c"

#include "fake_carrier.h"

static const char config[] =
    "{ \"sites\": [{\n"
    "    \"hosts\": [\"a.test\"], \"root\": \"ROOT/site\",\n"
    "    \"directoryListing\": { \"enabled\": true, \"exceptPaths\": [\"/list/kept/\"] },\n"
    "    \"aliases\": [{ \"path\": \"/other/\", \"folder\": \"ROOT/elsewhere\" }],\n"
    "    \"redirects\": [{ \"match\": \"^/old/(.*)$\", \"to\": \"/new/$1\", \"status\": 308 }],\n"
    "    \"rewrites\": [{ \"match\": \"^/alias$\", \"to\": \"/small.txt\" }],\n"
    "    \"auth\": [{ \"paths\": [\"/club/**\"], \"realm\": \"Club\", \"file\": \"ROOT/users\" "
    "}],\n"
    "    \"access\": [{ \"action\": \"deny\", \"paths\": [\"*.inc\", \"/shut/index.html\"] }],\n"
    "    \"errorPages\": { \"404\": \"/small.txt\" } },\n"
    "  { \"hosts\": [\"app.test\"], \"root\": \"ROOT/site\",\n"
    "    \"access\": [{ \"action\": \"deny\", \"paths\": [\"/shut/index.html\"] }],\n"
    "    \"tryFiles\": [{ \"paths\": [\"/gone/**\"], \"candidates\": [\"{path}\", \"410\"] },\n"
    "      { \"candidates\": [\"{path}\", \"{path}/\", \"/docs/index.html\"] }] },\n"
    "  { \"hosts\": [\"pages.test\"], \"root\": \"ROOT/site\", \"trailingSlash\": \"remove\",\n"
    "    \"access\": [{ \"action\": \"deny\", \"paths\": [\"/shut.html\"] }],\n"
    "    \"cleanUrls\": true, \"tryFiles\": [{ \"candidates\": [\"{path}\", \"{path}.html\", "
    "\"{path}/\"] }] },\n"
    "  { \"hosts\": [\"released.test\"], \"release\": \"www\",\n"
    "    \"releaseFallback\": [\"/assets/**\", \"*.woff2\"],\n"
    "    \"aliases\": [{ \"path\": \"/assets/other/\", \"folder\": \"ROOT/elsewhere\" }] },\n"
    "  { \"hosts\": [\"released-app.test\"], \"release\": \"www\", \"cleanUrls\": true,\n"
    "    \"releaseFallback\": [\"/assets/**\", \"/soon\"],\n"
    "    \"tryFiles\": [{ \"candidates\": [\"{path}\", \"{path}.html\", \"410\"] }] },\n"
    "  { \"hosts\": [\"plain.test\"], \"root\": \"ROOT/site\" },\n"
    "  { \"hosts\": [\"*.many.test\"], \"root\": \"ROOT/{host}\" }] }";

static const char files[] =
    "mkdir -p site/docs site/list/kept site/club site/shut elsewhere one.many.test; "
    "for file in site/small.txt site/docs/index.html site/list/x site/club/page site/a.inc "
    "site/.hidden site/page.html site/shut.html site/shut/index.html elsewhere/file "
    "one.many.test/file tree3/assets/c.js tree2/assets/b.js tree2/page.html tree2/soon.html "
    "tree2/assets/part.html tree1/assets/a.js tree1/assets/index.html tree1/a.woff2 "
    "tree1/assets/.hidden; do mkdir -p $(dirname $file); echo x > $file; done; "
    "ln -s /etc/passwd site/out; mkfifo site/pipe; touch -d @1700000000 site/* site/*/*; "
    "chmod +t tree2/assets/b.js; ln -s a.js tree1/assets/link.js; "
    "ln -s ../../users tree1/assets/out.js; mkdir -p tree2/assets/folder.js; "
    "echo x > tree1/assets/folder.js; printf 'anna:%s\\n' \"$(openssl passwd -6 -salt abcdefgh "
    "open)\" > users";

static const struct {
    const char *host, *target;
    int status;
} rows[] = {
    {"a.test", "/small.txt", 200},
    {"A.Test", "/small.txt?query", 200},
    {"a.test", "/alias", 200},
    {"a.test", "/docs/", 200},
    {"a.test", "/docs", 301},
    {"a.test", "/list/", 200},
    {"plain.test", "/list/", 404},
    {"a.test", "/old/x", 308},
    {"a.test", "/missing", 404},
    {"a.test", "/small.txt/more", 404},
    {"a.test", "/.hidden", 404},
    {"a.test", "/a.inc", 403},
    {"a.test", "/shut/", 403},
    {"a.test", "/club/page", 401},
    {"a.test", "/club/missing", 401},
    {"a.test", "/other/file", 200},
    {"a.test", "/other/missing", 404},
    {"a.test", "/%00", 400},
    {"a.test", "/../etc/passwd", 400},
    {"a.test", "/pipe", 404},
    {"one.many.test", "/file", 200},
    {"two.many.test", "/file", 404},
    {"other.test", "/", 421},
    {"app.test", "/small.txt", 200},
    {"app.test", "/anything", 200},
    {"app.test", "/missing.png", 404},
    {"app.test", "/docs", 301},
    {"app.test", "/docs/", 200},
    {"app.test", "/list", 200},
    {"app.test", "/gone/x", 410},
    {"app.test", "/shut/", 403},
    {"app.test", "/shut/x", 200},
    {"app.test", "/.hidden", 404},
    {"app.test", "/pipe", 200},
    {"app.test", "/out", 200},
    {"pages.test", "/page", 200},
    {"pages.test", "/page/", 301},
    {"pages.test", "/page.html", 301},
    {"pages.test", "/docs", 200},
    {"pages.test", "/docs/", 301},
    {"pages.test", "/shut", 403},
    {"pages.test", "/docs/index.html", 301},
    {"pages.test", "/missing", 404},
    {"pages.test", "/list/", 404},
    {"a.test", "/list/kept/", 404},
    {"released.test", "/assets/c.js", 200},
    {"released.test", "/assets/a.js", 200},
    {"released.test", "/a.woff2", 200},
    {"released.test", "/assets/link.js", 200},
    {"released.test", "/assets/out.js", 404},
    {"released.test", "/assets/.hidden", 404},
    {"released.test", "/assets/", 404},
    {"released.test", "/assets", 301},
    {"released.test", "/page.html", 404},
    {"released.test", "/assets/x/../a.js", 200},
    {"released.test", "/assets/../page.html", 404},
    {"released.test", "/assets/none.js", 404},
    {"released.test", "/assets/folder.js", 200},
    {"released.test", "/assets/b.js", 503},
    {"released.test", "/assets/other/a.js", 404},
    {"released-app.test", "/assets/a.js", 200},
    {"released-app.test", "/assets/none.js", 410},
    {"released-app.test", "/soon", 410},
    {"released-app.test", "/assets/part.html", 200},
};

/* tree3 is served, tree2 and tree1 are kept; a fourth is gone. */
static void place_trees(struct config *cfg)
{
    static char folders[4][sizeof(root) + 8];
    struct kept_version_said said[4];

    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        snprintf(folders[i], sizeof(folders[i]), "%s/tree%zu", root, 4 - i);
        said[i] = (struct kept_version_said){"www", folders[i], 4 - i, NULL};
    }
    kept_versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    for (size_t i = 0; i < cfg->site_count; i++)
        if (config_has_release(&cfg->sites[i])) {
            config_place_release(cfg, i, folders[1]);
            cfg->sites[i].etag = ETAG_BY_TIME; /* nobody hashes here */
        }
}

static void test_counts(void)
{
    CHECK_INT(__LINE__, "of the newest: 503", kept_version_asked(&kept_versions->items[2]).requests,
              2);
    CHECK_INT(__LINE__, "of the oldest", kept_version_asked(&kept_versions->items[3]).requests, 6);
    CHECK_INT(__LINE__, "of the one that is served",
              kept_version_asked(&kept_versions->items[1]).requests, 0);
}

static void test_both_ways(void)
{
    struct fake_carrier *fake = fake_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char request[200];
        struct span host = {rows[i].host, strlen(rows[i].host)};
        struct span target = {rows[i].target, strlen(rows[i].target)};
        CHECK_INT((int)i, rows[i].target, site_forecast(the_loop.live->sites, host, target),
                  rows[i].status);
        snprintf(request, sizeof(request), "GET %s HTTP/1.1\nHost: %s\n\n", rows[i].target,
                 rows[i].host);
        fake_begin(fake, request);
        fake_run_to_the_end(fake);
        CHECK_INT((int)i, rows[i].target, atoi(fake->head + strlen("FAKE ")), rows[i].status);
    }
    fake_free(fake);
}

static void test_a_target_that_is_too_long(void)
{
    static char target[SITE_FORECAST_TARGET_MAX + 1];

    memset(target, 'x', sizeof(target));
    target[0] = '/';
    CHECK_INT(__LINE__, "the longest",
              site_forecast(the_loop.live->sites, (struct span){"plain.test", 10},
                            (struct span){target, SITE_FORECAST_TARGET_MAX}),
              404);
    CHECK_INT(__LINE__, "a longer one",
              site_forecast(the_loop.live->sites, (struct span){"plain.test", 10},
                            (struct span){target, SITE_FORECAST_TARGET_MAX + 1}),
              414);
}

int main(void)
{
    change_config = place_trees;
    begin(config, "ttl");
    shell_in(root, files);
    test_both_ways();
    test_counts();
    test_a_target_that_is_too_long();
    kept_versions_put(kept_versions);
    return end("site_forecast");
}

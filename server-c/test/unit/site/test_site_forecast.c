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
    "  { \"hosts\": [\"plain.test\"], \"root\": \"ROOT/site\" },\n"
    "  { \"hosts\": [\"*.many.test\"], \"root\": \"ROOT/{host}\" }] }";

static const char files[] =
    "mkdir -p site/docs site/list/kept site/club site/shut elsewhere one.many.test; "
    "for file in site/small.txt site/docs/index.html site/list/x site/club/page site/a.inc "
    "site/.hidden site/page.html site/shut.html site/shut/index.html elsewhere/file "
    "one.many.test/file; do echo x > $file; done; "
    "ln -s /etc/passwd site/out; mkfifo site/pipe; touch -d @1700000000 site/* site/*/*; "
    "printf 'anna:%s\\n' \"$(openssl passwd -6 -salt abcdefgh open)\" > users";

static const struct {
    const char *host, *target;
    int status;
} rows[] = {
    {"a.test", "/small.txt", 200},     {"A.Test", "/small.txt?query", 200},
    {"a.test", "/alias", 200},         {"a.test", "/docs/", 200},
    {"a.test", "/docs", 301},          {"a.test", "/list/", 200},
    {"plain.test", "/list/", 404},     {"a.test", "/old/x", 308},
    {"a.test", "/missing", 404},       {"a.test", "/small.txt/more", 404},
    {"a.test", "/.hidden", 404},       {"a.test", "/a.inc", 403},
    {"a.test", "/shut/", 403},         {"a.test", "/club/page", 401},
    {"a.test", "/club/missing", 401},  {"a.test", "/other/file", 200},
    {"a.test", "/other/missing", 404}, {"a.test", "/%00", 400},
    {"a.test", "/../etc/passwd", 400}, {"a.test", "/pipe", 404},
    {"one.many.test", "/file", 200},   {"two.many.test", "/file", 404},
    {"other.test", "/", 421},          {"app.test", "/small.txt", 200},
    {"app.test", "/anything", 200},    {"app.test", "/missing.png", 404},
    {"app.test", "/docs", 301},        {"app.test", "/docs/", 200},
    {"app.test", "/list", 200},        {"app.test", "/gone/x", 410},
    {"app.test", "/shut/", 403},       {"app.test", "/shut/x", 200},
    {"app.test", "/.hidden", 404},     {"app.test", "/pipe", 200},
    {"app.test", "/out", 200},         {"pages.test", "/page", 200},
    {"pages.test", "/page/", 301},     {"pages.test", "/page.html", 301},
    {"pages.test", "/docs", 200},      {"pages.test", "/docs/", 301},
    {"pages.test", "/shut", 403},      {"pages.test", "/docs/index.html", 301},
    {"pages.test", "/missing", 404},   {"pages.test", "/list/", 404},
    {"a.test", "/list/kept/", 404},
};

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
    begin(config, "ttl");
    shell_in(root, files);
    test_both_ways();
    test_a_target_that_is_too_long();
    return end("site_forecast");
}

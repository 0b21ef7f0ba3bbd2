/* SPDX-License-Identifier: MIT */
/* What is looked for at a path, and at which address a page is. */
#include "site/site_try.c"

#include "check.h"

static struct config *parse(const char *site)
{
    struct config_errors errors = {0};
    char text[800];
    struct config *cfg;

    snprintf(text, sizeof(text), "{\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/\",%s}]}", site);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", site, errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    return cfg;
}

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

/* All candidates for a path, with a blank behind each. */
static void candidates_row(int line, const char *list, const char *path, const char *want)
{
    char site[400], found[400] = "", bytes[64];
    struct config *cfg;
    struct site_try tries;

    snprintf(site, sizeof(site), "\"tryFiles\":[{\"candidates\":[%s]}]", list);
    cfg = parse(site);
    site_try_init(&tries, cfg, &cfg->sites[0], span_of(path));
    for (size_t i = 0; i < tries.count; i++) {
        enum http_status status = HTTP_OK;
        struct url_path at = {.len = strlen(path)};
        size_t len = strlen(found);
        memcpy(bytes, path, at.len + 1);
        switch (site_try_path(&tries, i, &at, bytes, sizeof(bytes), &status)) {
        case CANDIDATE_PATH:
            CHECK_INT(line, bytes, at.len, strlen(bytes));
            snprintf(found + len, sizeof(found) - len, "%s ", bytes);
            break;
        case CANDIDATE_OF_ALL:
            CHECK_INT(line, bytes, at.len, strlen(bytes));
            snprintf(found + len, sizeof(found) - len, "(%s) ", bytes);
            break;
        case CANDIDATE_STATUS:
            snprintf(found + len, sizeof(found) - len, "%d ", (int)status);
            break;
        case CANDIDATE_NONE:
            snprintf(found + len, sizeof(found) - len, "- ");
            break;
        }
    }
    CHECK_STR(line, path, found, want);
    config_put(cfg);
}

#define ALL "\"{path}\",\"{path}.html\",\"{path}/\",\"{path}/index.html\",\"/app.html\",\"404\""

static void test_candidates(void)
{
    candidates_row(__LINE__, ALL, "/a", "/a /a.html /a/ /a/index.html (/app.html) 404 ");
    candidates_row(__LINE__, ALL, "/a/", "- /a.html /a/ /a/index.html (/app.html) 404 ");
    candidates_row(__LINE__, ALL, "/", "- - / /index.html (/app.html) 404 ");
    candidates_row(__LINE__, "\"/app.html\"", "/a.png", "- ");
    candidates_row(__LINE__, "\"/app.html\"", "/a.png/b", "(/app.html) ");
    candidates_row(__LINE__, "\"/app.html\"", "/a.html", "(/app.html) ");
    candidates_row(__LINE__, "\"/app.html\"", "/john.doe", "(/app.html) ");
    candidates_row(__LINE__, "\"/app.html\"", "/.well-known/x", "- ");
    /* What has no room is no candidate. */
    candidates_row(__LINE__, "\"{path}.html\"",
                   "/123456789012345678901234567890123456789012345678901234567", /* 58 and 5 */
                   "/123456789012345678901234567890123456789012345678901234567.html ");
    candidates_row(__LINE__, "\"{path}.html\"",
                   "/1234567890123456789012345678901234567890123456789012345678", "- ");
}

static void address_row(int line, const char *policy, const char *candidate, const char *asked,
                        const char *want)
{
    char site[400], bytes[64];
    struct config *cfg;
    struct site_try tries;
    struct url_path path = {.len = strlen(asked)};
    struct site_page page = {span_of(asked), candidate, false};

    snprintf(site, sizeof(site),
             "\"trailingSlash\":\"%s\",\"cleanUrls\":true,\"tryFiles\":[{\"candidates\":[" ALL
             "]}]",
             policy);
    cfg = parse(site);
    site_try_init(&tries, cfg, &cfg->sites[0], span_of(asked));
    memcpy(bytes, asked, path.len + 1);
    site_try_move(site_try_address(&tries, &page), &cfg->sites[0], &path, bytes);
    CHECK_STR(line, policy, bytes, want);
    CHECK_INT(line, policy, path.len, strlen(want));
    config_put(cfg);
}

static void test_addresses(void)
{
    static const char *const policies[] = {"folders", "add", "remove", "keep"};
    static const struct {
        int line;
        const char *candidate, *asked, *want[4]; /* as the policies */
    } rows[] = {
        {__LINE__, "{path}", "/a", {"/a", "/a", "/a", "/a"}},
        {__LINE__, "{path}", "/a.html", {"/a", "/a/", "/a", "/a"}},
        {__LINE__, "{path}", "/b/a.html", {"/b/a", "/b/a/", "/b/a", "/b/a"}},
        {__LINE__, "{path}", "/index.html", {"/", "/", "/", "/"}},
        {__LINE__, "{path}", "/a/index.html", {"/a/", "/a/", "/a", "/a/"}},
        {__LINE__, "{path}", "/a.htm", {"/a.htm", "/a.htm", "/a.htm", "/a.htm"}},
        {__LINE__, "{path}.html", "/a", {"/a", "/a/", "/a", "/a"}},
        {__LINE__, "{path}.html", "/a/", {"/a/", "/a/", "/a", "/a/"}},
        {__LINE__, "{path}/", "/a", {"/a/", "/a/", "/a", "/a"}},
        {__LINE__, "{path}/", "/a/", {"/a/", "/a/", "/a", "/a/"}},
        {__LINE__, "{path}/", "/", {"/", "/", "/", "/"}},
        {__LINE__, "{path}/index.html", "/a", {"/a/", "/a/", "/a", "/a"}},
        {__LINE__, "/app.html", "/a", {"/a", "/a", "/a", "/a"}},
        {__LINE__, "/app.html", "/a/", {"/a/", "/a/", "/a/", "/a/"}},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t policy = 0; policy < ARRAY_LEN(policies); policy++)
            address_row(rows[i].line, policies[policy], rows[i].candidate, rows[i].asked,
                        rows[i].want[policy]);
}

int main(void)
{
    test_candidates();
    test_addresses();
    return check_end("site_try");
}

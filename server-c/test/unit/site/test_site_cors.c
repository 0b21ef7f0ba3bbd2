/* SPDX-License-Identifier: MIT */
/* What answers say to pages of other origins. */
#include "site/site_cors.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))
#define LIST(...) ((char *[]){__VA_ARGS__})

static struct span of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static struct config_cors rules[] = {
    {.paths = LIST(S("/api/**")),
     .path_count = 1,
     .origins = LIST(S("https://a.test"), S("null")),
     .origin_count = 2,
     .methods = LIST(S("GET")),
     .method_count = 1,
     .headers = LIST(S("Authorization"), S("X-A")),
     .header_count = 2,
     .exposed_headers = LIST(S("ETag")),
     .exposed_header_count = 1,
     .credentials = true,
     .max_age_seconds = 60},
    {.paths = LIST(S("*.woff2")),
     .path_count = 1,
     .origins = LIST(S("*")),
     .origin_count = 1,
     .methods = LIST(S("GET"), S("HEAD")),
     .method_count = 2},
};

#define FOR(origin)                                                                                \
    "Access-Control-Allow-Origin: " origin "\r\nAccess-Control-Allow-Credentials: true\r\n"        \
    "Access-Control-Expose-Headers: ETag\r\nVary: Origin\r\n"

static void test_rows(const struct site_cors *cors)
{
    static const struct {
        int line;
        const char *path, *origin, *want;
        bool is_welcome;
    } rows[] = {
        {__LINE__, "/api/x", "https://a.test", FOR("https://a.test"), true},
        {__LINE__, "/api/x.woff2", "null", FOR("null"), true},
        {__LINE__, "/api/x", "https://b.test", "Vary: Origin\r\n", false},
        {__LINE__, "/api/x", "https://a.test.evil", "Vary: Origin\r\n", false},
        {__LINE__, "/api/x", "https://a.tes", "Vary: Origin\r\n", false},
        {__LINE__, "/api/x", "HTTPS://A.TEST", "Vary: Origin\r\n", false},
        {__LINE__, "/api/x", "", "Vary: Origin\r\n", false},
        {__LINE__, "/f.woff2", "https://b.test", "Access-Control-Allow-Origin: *\r\n", true},
        {__LINE__, "/f.woff2", "", "Access-Control-Allow-Origin: *\r\n", true},
        {__LINE__, "/f.txt", "https://a.test", NULL, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct site_cors_answer answer = site_cors_find(cors, of(rows[i].path), of(rows[i].origin));
        if (rows[i].want)
            CHECK_STR(rows[i].line, rows[i].origin, answer.lines, rows[i].want);
        else
            CHECK_TRUE(!answer.lines, "row %d", rows[i].line);
        CHECK_TRUE((answer.preflight != NULL) == rows[i].is_welcome, "row %d", rows[i].line);
    }
}

static void test_preflight(const struct site_cors *cors)
{
    static const char first[] = "Access-Control-Allow-Methods: GET\r\n"
                                "Access-Control-Allow-Headers: Authorization, X-A\r\n"
                                "Access-Control-Max-Age: 60\r\n";
    static const char second[] =
        "Access-Control-Allow-Methods: GET, HEAD\r\nAccess-Control-Max-Age: 0\r\n";

    CHECK_STR(__LINE__, "first", site_cors_find(cors, of("/api/"), of("null")).preflight, first);
    CHECK_STR(__LINE__, "second", site_cors_find(cors, of("/f.woff2"), of("x")).preflight, second);
    CHECK_TRUE(site_cors_most_len(cors) == strlen(FOR("https://a.test")) + strlen(first),
               "the longest");
}

int main(void)
{
    struct config_site cfg = {.cors = rules, .cors_count = ARRAY_LEN(rules)}, without = {0};
    struct site_cors *cors = site_cors_new(&cfg);

    CHECK_TRUE(!site_cors_new(&without) && site_cors_most_len(NULL) == 0, "no rules");
    test_rows(cors);
    test_preflight(cors);
    site_cors_free(cors);
    site_cors_free(NULL);
    return check_end("site_cors");
}

/* SPDX-License-Identifier: MIT */
/* Header rules and expiry rules: which lines result for which path, type and status. */
#include "response/response_rules.c"

#include "check.h"

#define NOW INT64_C(1795252483)
#define MTIME INT64_C(784111777)
#define MODIFIED "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
#define TAG "ETag: \"ae1b981bc490a05-1\"\r\n"

static char out[8192];

static char *writable(const char *text)
{
    return (char *)(uintptr_t)text;
}

static struct config_header_rule rule(enum config_header_action action, const char *name,
                                      const char *value)
{
    return (struct config_header_rule){
        .action = action, .name = writable(name), .value = writable(value)};
}

static struct response_head start(void)
{
    return (struct response_head){.out = out, .cap = sizeof(out)};
}

static const char *text_of(const struct response_head *head)
{
    out[head->len] = '\0';
    return out;
}

/* Returns the head of a 200 for a one-byte file under a site's rules. */
static const char *whole_file(const struct response_rules *rules, const char *path,
                              const char *type, int64_t mtime, bool *is_momentary)
{
    struct response_head head = start();
    struct file_facts facts;
    struct response_file file = {.facts = &facts, .type = {type, NULL}};
    struct response_scope scope = {rules,
                                   response_rules_match(rules, (struct span){path, strlen(path)})};

    file_facts_init(&facts, 1, mtime, 5, NOW);
    response_head_whole_file(&head, &scope, &file, NOW);
    *is_momentary = head.is_momentary;
    return text_of(&head);
}

/* Returns only the lines of the rules. */
static const char *lines_for(const struct response_rules *rules, const char *path,
                             enum http_status status, const char *type)
{
    struct response_head head = start();
    struct response_scope scope = {rules,
                                   response_rules_match(rules, (struct span){path, strlen(path)})};
    struct response_choice choice = response_rules_choose(&scope, status, type);

    response_choice_append(&head, &choice);
    return text_of(&head);
}

/* --- without conditions ---------------------------------------------------------------------- */

static void test_unconditional(void)
{
    struct config_header_rule items[] = {
        rule(HEADER_SET, "X-A", "gone"),
        rule(HEADER_ADD, "X-A", "gone too"),
        rule(HEADER_SET, "x-a", "1"),
        rule(HEADER_ADD, "X-A", "2"),
        rule(HEADER_SET, "X-B", "removed"),
        rule(HEADER_REMOVE, "x-b", ""),
        rule(HEADER_REMOVE, "server", ""),
        rule(HEADER_SET, "ETag", "\"mine\""),
        rule(HEADER_ADD, "Accept-Ranges", "x"),
        rule(HEADER_SET, "Content-Length", "1"),
        rule(HEADER_REMOVE, "date", ""),
        rule(HEADER_SET, "Location", "/loop"),
        rule(HEADER_SET, "allow", "BREW"),
        rule(HEADER_SET, "WWW-Authenticate", "x"),
        rule(HEADER_SET, "Content-Encoding", "rot13"),
    };
    struct config_site site = {.headers = items, .header_count = ARRAY_LEN(items)};
    struct response_rules rules;
    bool is_momentary;

    response_rules_init(&rules, &site);
    CHECK_STR(__LINE__, "lines", rules.lines,
              "x-a: 1\r\nX-A: 2\r\nETag: \"mine\"\r\nAccept-Ranges: x\r\n");
    CHECK_STR(__LINE__, "head", whole_file(&rules, "/a", "a/b", MTIME, &is_momentary),
              "Content-Type: a/b\r\nContent-Length: 1\r\n" MODIFIED "Accept-Ranges: bytes\r\n"
              "x-a: 1\r\nX-A: 2\r\nETag: \"mine\"\r\nAccept-Ranges: x\r\n\r\n");
    CHECK_TRUE(!is_momentary, "worth keeping");
    response_rules_fini(&rules);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

/* A rule for a field that the status requires once caused it to appear twice. */
static void test_status_fields_come_once(void)
{
    struct config_header_rule items[] = {rule(HEADER_SET, "Location", "/x"),
                                         rule(HEADER_ADD, "Allow", "GET"),
                                         rule(HEADER_SET, "Retry-After", "60")};
    struct config_site site = {.headers = items, .header_count = ARRAY_LEN(items)};
    struct response_rules rules;
    struct response_scope scope = {.rules = &rules};
    static const struct {
        int line;
        enum http_status status;
        const char *want;
    } rows[] = {
        {__LINE__, HTTP_MOVED_PERMANENTLY, "Location: /b\r\n"},
        {__LINE__, HTTP_METHOD_NOT_ALLOWED, "Allow: GET, HEAD, OPTIONS\r\n"},
        {__LINE__, HTTP_UNAVAILABLE, "Retry-After: 60\r\n"},
    };

    response_rules_init(&rules, &site);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct response_page page = {.status = rows[i].status, .location = {"/b", 2}};
        struct response_head head = start();
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(rows[i].want, " "), rows[i].want);
        response_head_page(&head, &scope, &page);
        CHECK_INT(rows[i].line, name, count_of(text_of(&head), name), 1);
        CHECK_INT(rows[i].line, rows[i].want, count_of(out, rows[i].want), 1);
    }
    response_rules_fini(&rules);
}

/* --- with conditions ------------------------------------------------------------------------- */

static void test_conditions(void)
{
    static char *const inner[] = {(char *)(uintptr_t) "/inner/**"};
    static char *const text_types[] = {(char *)(uintptr_t) "text/*"};
    static char *const missing[] = {(char *)(uintptr_t) "404", (char *)(uintptr_t) "5xx"};
    static char *const found[] = {(char *)(uintptr_t) "200"};
    struct config_header_rule items[] = {
        rule(HEADER_SET, "X-All", "1"),
        rule(HEADER_SET, "X-Inner", "1"),
        rule(HEADER_SET, "X-Text", "1"),
        rule(HEADER_SET, "X-Missing", "1"),
        rule(HEADER_REMOVE, "X-All", ""),
        rule(HEADER_ADD, "X-Inner", "2"),
        rule(HEADER_SET, "Cache-Control", "no-store"),
        rule(HEADER_SET, "X-Found", "1"),
    };
    struct config_site site = {.headers = items, .header_count = ARRAY_LEN(items)};
    struct response_rules rules;
    static const struct {
        int line;
        const char *path;
        enum http_status status;
        const char *type, *want;
    } rows[] = {
        {__LINE__, "/a", HTTP_OK, "image/png",
         "X-All: 1\r\nCache-Control: no-store\r\nX-Found: 1\r\n"},
        {__LINE__, "/inner/a", HTTP_OK, "image/png",
         "X-Inner: 1\r\nX-Inner: 2\r\nCache-Control: no-store\r\nX-Found: 1\r\n"},
        {__LINE__, "/a", HTTP_OK, "TEXT/plain; charset=x",
         "X-All: 1\r\nX-Text: 1\r\nCache-Control: no-store\r\nX-Found: 1\r\n"},
        {__LINE__, "/a", HTTP_PARTIAL_CONTENT, "image/png", "X-All: 1\r\n"},
        {__LINE__, "/a", HTTP_NOT_FOUND, "text/html", "X-All: 1\r\nX-Text: 1\r\nX-Missing: 1\r\n"},
        {__LINE__, "/a", HTTP_UNAVAILABLE, "image/png", "X-All: 1\r\nX-Missing: 1\r\n"},
        {__LINE__, "/a", HTTP_GONE, "image/png", "X-All: 1\r\n"},
        /* A 304 repeats what the 200 would have said about caching. */
        {__LINE__, "/a", HTTP_NOT_MODIFIED, "image/png", "X-All: 1\r\nCache-Control: no-store\r\n"},
        {__LINE__, "/a", HTTP_NO_CONTENT, NULL, "X-All: 1\r\n"},
    };

    items[1].paths = items[4].paths = items[5].paths = (char **)(uintptr_t)inner;
    items[1].path_count = items[4].path_count = items[5].path_count = 1;
    items[2].types = (char **)(uintptr_t)text_types;
    items[2].type_count = 1;
    items[3].statuses = (char **)(uintptr_t)missing;
    items[3].status_count = 2;
    items[6].statuses = items[7].statuses = (char **)(uintptr_t)found;
    items[6].status_count = items[7].status_count = 1;
    response_rules_init(&rules, &site);
    CHECK_TRUE(rules.lines == NULL, "nothing is ready");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_STR(rows[i].line, rows[i].path,
                  lines_for(&rules, rows[i].path, rows[i].status, rows[i].type), rows[i].want);
    response_rules_fini(&rules);
}

static void test_own_headers_by_condition(void)
{
    static char *const paths[] = {(char *)(uintptr_t) "*.raw"};
    struct config_header_rule items[] = {rule(HEADER_SET, "Content-Type", "text/x-raw"),
                                         rule(HEADER_REMOVE, "Server", "")};
    struct config_site site = {.headers = items, .header_count = ARRAY_LEN(items)};
    struct response_rules rules;
    bool is_momentary;

    for (size_t i = 0; i < ARRAY_LEN(items); i++) {
        items[i].paths = (char **)(uintptr_t)paths;
        items[i].path_count = 1;
    }
    response_rules_init(&rules, &site);
    CHECK_STR(__LINE__, "is for it", whole_file(&rules, "/a.raw", "a/b", MTIME, &is_momentary),
              "Content-Length: 1\r\n" MODIFIED TAG
              "Accept-Ranges: bytes\r\nContent-Type: text/x-raw\r\n\r\n");
    CHECK_STR(__LINE__, "is not", whole_file(&rules, "/a.css", "a/b", MTIME, &is_momentary),
              "Server: farmstead\r\nContent-Type: a/b\r\nContent-Length: 1\r\n" MODIFIED TAG
              "Accept-Ranges: bytes\r\n\r\n");
    response_rules_fini(&rules);
}

/* A rule's Content-Type goes into the parts of a multipart body, never into the head that describes
 * the multipart body, and nowhere if there is no content. */
static void test_type_rule_and_framing(void)
{
    struct config_header_rule items[] = {rule(HEADER_SET, "X-A", "1"),
                                         rule(HEADER_SET, "Content-Type", "text/x-raw")};
    struct config_site site = {.headers = items, .header_count = ARRAY_LEN(items)};
    struct response_plan plan = {
        .status = HTTP_PARTIAL_CONTENT, .is_multipart = true, .ranges = {2, {{0, 1}, {5, 1}}}};
    struct response_multipart multipart;
    struct response_rules rules;
    struct response_scope scope = {.rules = &rules};
    struct response_head head = start();
    struct file_facts facts;
    struct response_file file = {.facts = &facts, .type = {"text/css", "utf-8"}};

    file_facts_init(&facts, 1000, MTIME, 5, NOW);
    response_rules_init(&rules, &site);
    response_multipart_init(&multipart, &plan, &scope, &file, "0123456789abcdef01234567");
    CHECK_STR(__LINE__, "part", multipart.type.name, "text/x-raw");
    CHECK_TRUE(!multipart.type.charset, "as written");
    response_head_multipart(&head, &scope, &file, &multipart, NOW);
    CHECK_INT(__LINE__, "one type", count_of(text_of(&head), "Content-Type:"), 1);
    CHECK_INT(__LINE__, "the multipart's", count_of(out, "Content-Type: multipart/byteranges"), 1);
    CHECK_INT(__LINE__, "other rules", count_of(out, "X-A: 1\r\n"), 1);
    CHECK_STR(__LINE__, "304", lines_for(&rules, "/", HTTP_NOT_MODIFIED, "a/b"), "X-A: 1\r\n");
    CHECK_STR(__LINE__, "204", lines_for(&rules, "/", HTTP_NO_CONTENT, NULL), "X-A: 1\r\n");
    response_rules_fini(&rules);

    items[1] = rule(HEADER_REMOVE, "Content-Type", "");
    response_rules_init(&rules, &site);
    response_multipart_init(&multipart, &plan, &scope, &file, "0123456789abcdef01234567");
    CHECK_TRUE(!multipart.type.name, "a type that is removed is in no part");
    response_rules_fini(&rules);
}

static void test_most_rules(void)
{
    struct config_header_rule items[RESPONSE_RULES_MAX];
    struct config_expires expires[RESPONSE_RULES_MAX];
    static char *const paths[] = {(char *)(uintptr_t) "/last"};
    struct config_site site = {.headers = items,
                               .header_count = RESPONSE_RULES_MAX,
                               .expires = expires,
                               .expires_count = RESPONSE_RULES_MAX};
    struct response_match match;
    struct response_rules rules;

    for (size_t i = 0; i < RESPONSE_RULES_MAX; i++) {
        items[i] = rule(HEADER_SET, "X-A", "1");
        items[i].paths = (char **)(uintptr_t)paths;
        items[i].path_count = i == RESPONSE_RULES_MAX - 1;
        expires[i] = (struct config_expires){
            .directives = writable(""), .paths = (char **)(uintptr_t)paths, .path_count = 1};
    }
    response_rules_init(&rules, &site);
    match = response_rules_match(&rules, (struct span){"/last", 5});
    CHECK_TRUE(match.headers == UINT64_C(1) << 63 && match.expires == UINT64_MAX, "bits");
    CHECK_TRUE(!response_match_equal(match, response_rules_match(&rules, (struct span){"/", 1})),
               "another path");
    CHECK_STR(__LINE__, "one is left", lines_for(&rules, "/last", HTTP_OK, "a/b"), "X-A: 1\r\n");
    response_rules_fini(&rules);
}

/* --- expiry ---------------------------------------------------------------------------------- */

static void test_expires(void)
{
    static char *const assets[] = {(char *)(uintptr_t) "/assets/**"};
    static char *const images[] = {(char *)(uintptr_t) "image/*"};
    struct config_expires items[] = {
        {.from = EXPIRES_FROM_ACCESS,
         .max_age_seconds = 31536000,
         .directives = writable("public, immutable"),
         .paths = (char **)(uintptr_t)assets,
         .path_count = 1},
        {.from = EXPIRES_FROM_MODIFICATION,
         .max_age_seconds = 100,
         .directives = writable("private"),
         .types = (char **)(uintptr_t)images,
         .type_count = 1},
        {.from = EXPIRES_FROM_ACCESS, .max_age_seconds = 60, .directives = writable("")},
    };
    struct config_site site = {.expires = items, .expires_count = ARRAY_LEN(items)};
    struct response_rules rules;
    static const struct {
        int line;
        const char *path, *type;
        int64_t mtime;
        const char *want;
        bool is_momentary;
    } rows[] = {
        {__LINE__, "/assets/a", "image/png", MTIME, "max-age=31536000, public, immutable\r\n",
         false},
        {__LINE__, "/a.png", "image/png", NOW - 40, "max-age=60, private\r\n", true},
        {__LINE__, "/a.png", "image/png", NOW - 100, "max-age=0, private\r\n", false},
        {__LINE__, "/a.png", "image/png", MTIME, "max-age=0, private\r\n", false},
        {__LINE__, "/a.png", "image/png", NOW + 1000, "max-age=100, private\r\n", true},
        {__LINE__, "/a.css", "text/css", MTIME, "max-age=60\r\n", false},
    };

    response_rules_init(&rules, &site);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        bool is_momentary;
        const char *head =
            whole_file(&rules, rows[i].path, rows[i].type, rows[i].mtime, &is_momentary);
        const char *line = strstr(head, "Cache-Control: ");
        CHECK_INT(rows[i].line, rows[i].path, count_of(head, "Cache-Control"), 1);
        CHECK_TRUE(line && strncmp(line + 15, rows[i].want, strlen(rows[i].want)) == 0,
                   "row %d: %s", rows[i].line, head);
        CHECK_INT(rows[i].line, rows[i].path, is_momentary, rows[i].is_momentary);
    }
    response_rules_fini(&rules);
}

static void test_expires_by_answer(void)
{
    struct config_expires items[] = {
        {.from = EXPIRES_FROM_MODIFICATION, .max_age_seconds = 9, .directives = writable("")},
        {.from = EXPIRES_FROM_ACCESS, .max_age_seconds = 60, .directives = writable("")},
    };
    struct config_site site = {.expires = items, .expires_count = ARRAY_LEN(items)};
    struct response_rules rules;
    struct response_scope scope = {.rules = &rules};
    struct response_plan plan = {.status = HTTP_NOT_MODIFIED};
    struct response_page page = {.status = HTTP_NOT_FOUND};
    struct response_head head = start();
    struct file_facts facts;
    struct response_listing listing = {HTTP_OK, {"text/html", NULL}, 1, NULL};
    struct response_file file = {.facts = &facts, .type = {"a/b", NULL}};

    file_facts_init(&facts, 1, NOW - 4, 5, NOW);
    response_rules_init(&rules, &site);
    response_head_file(&head, &scope, &file, &plan, NOW);
    CHECK_INT(__LINE__, "304", count_of(text_of(&head), "Cache-Control: max-age=5\r\n"), 1);
    plan = (struct response_plan){.status = HTTP_PARTIAL_CONTENT, .length = 1};
    head = start();
    response_head_file(&head, &scope, &file, &plan, NOW);
    CHECK_INT(__LINE__, "206", count_of(text_of(&head), "Cache-Control: max-age=5\r\n"), 1);
    head = start();
    response_head_page(&head, &scope, &page);
    CHECK_INT(__LINE__, "404", count_of(text_of(&head), "Cache-Control"), 0);
    head = start(); /* made for this request: there is no modification to count from */
    response_head_listing(&head, &scope, &listing, NOW);
    CHECK_INT(__LINE__, "listing", count_of(text_of(&head), "Cache-Control: max-age=60\r\n"), 1);
    response_rules_fini(&rules);
}

/* The most that a site's rules can add is known, so that there is room for any head. */
static void test_most_len(void)
{
    struct config_header_rule headers[] = {rule(HEADER_SET, "X", "12345"),
                                           rule(HEADER_REMOVE, "Server", ""),
                                           rule(HEADER_ADD, "Y", "1")};
    static char *const types[] = {(char *)(uintptr_t) "text/*"};
    struct config_site site = {.headers = headers, .header_count = 3};
    struct response_rules rules;

    response_rules_init(&rules, &site);
    CHECK_INT(__LINE__, "without conditions", rules.most_len, 10 + 6);
    response_rules_fini(&rules);
    headers[0].types = (char **)(uintptr_t)types;
    headers[0].type_count = 1;
    response_rules_init(&rules, &site);
    CHECK_INT(__LINE__, "with conditions", rules.most_len, 10 + 6);
    response_rules_fini(&rules);
}

/* A header rule for Cache-Control overrides expiry rules, but only where it applies. */
static void test_header_rule_beats_expires(void)
{
    static char *const paths[] = {(char *)(uintptr_t) "*.css"};
    struct config_header_rule headers[] = {rule(HEADER_SET, "cache-control", "no-cache")};
    struct config_expires expires[] = {{.max_age_seconds = 60, .directives = writable("")}};
    struct config_site site = {
        .headers = headers, .header_count = 1, .expires = expires, .expires_count = 1};
    struct response_rules rules;
    bool is_momentary;

    headers[0].paths = (char **)(uintptr_t)paths;
    headers[0].path_count = 1;
    response_rules_init(&rules, &site);
    CHECK_INT(__LINE__, "set",
              count_of(whole_file(&rules, "/a.css", "a/b", MTIME, &is_momentary), "max-age"), 0);
    CHECK_INT(__LINE__, "set", count_of(out, "cache-control: no-cache\r\n"), 1);
    CHECK_INT(__LINE__, "elsewhere",
              count_of(whole_file(&rules, "/a.js", "a/b", MTIME, &is_momentary), "max-age=60"), 1);
    response_rules_fini(&rules);

    headers[0].action = HEADER_REMOVE;
    response_rules_init(&rules, &site);
    CHECK_INT(__LINE__, "removed",
              count_of(whole_file(&rules, "/a.css", "a/b", MTIME, &is_momentary), "ache-"), 0);
    response_rules_fini(&rules);
}

static bool keeps_coding(const struct response_rules *rules, const char *path, const char *type)
{
    struct response_scope scope = {
        .rules = rules, .match = response_rules_match(rules, (struct span){path, strlen(path)})};

    return response_rules_keep_coding(&scope, type);
}

static bool is_private(const struct response_rules *rules, const char *path, const char *type)
{
    struct response_scope scope = {
        .rules = rules, .match = response_rules_match(rules, (struct span){path, strlen(path)})};

    return response_rules_are_private(&scope, type);
}

/* What a later rule sets, or a header rule in place of an expiry rule, counts. */
static void test_no_transform(void)
{
    static char *const paths[] = {(char *)(uintptr_t) "*.css"};
    static char *const types[] = {(char *)(uintptr_t) "text/*"};
    struct config_header_rule headers[] = {
        rule(HEADER_SET, "Cache-Control", "private, No-Transform"),
        rule(HEADER_SET, "cache-control", "public"), rule(HEADER_SET, "X", "no-transform")};
    struct config_expires expires[] = {
        {.max_age_seconds = 60, .directives = writable("no-transform")}};
    struct config_site site = {
        .headers = headers, .header_count = 3, .expires = expires, .expires_count = 1};
    struct response_rules rules;

    headers[1].paths = (char **)(uintptr_t)paths;
    headers[1].path_count = 1;
    expires[0].types = (char **)(uintptr_t)types;
    expires[0].type_count = 1;
    response_rules_init(&rules, &site);
    CHECK_TRUE(keeps_coding(&rules, "/a.js", "text/javascript"), "set");
    CHECK_TRUE(!keeps_coding(&rules, "/a.css", "text/css"), "set anew");
    CHECK_TRUE(is_private(&rules, "/a.js", "text/javascript"), "private");
    CHECK_TRUE(!is_private(&rules, "/a.css", "text/css"), "public anew");
    response_rules_fini(&rules);

    site.headers = headers + 1;
    site.header_count = 2;
    response_rules_init(&rules, &site);
    CHECK_TRUE(keeps_coding(&rules, "/a.js", "text/javascript"), "by expiry");
    CHECK_TRUE(!keeps_coding(&rules, "/a.json", "application/json"), "of another type");
    CHECK_TRUE(!keeps_coding(&rules, "/a.css", "text/css"), "a header rule goes before");
    response_rules_fini(&rules);

    expires[0].directives = writable("No-Store");
    response_rules_init(&rules, &site);
    CHECK_TRUE(is_private(&rules, "/a.js", "text/javascript"), "by expiry");
    CHECK_TRUE(!is_private(&rules, "/a.json", "application/json"), "of another type");
    response_rules_fini(&rules);

    site.header_count = site.expires_count = 0;
    response_rules_init(&rules, &site);
    CHECK_TRUE(!keeps_coding(&rules, "/a.js", "text/javascript"), "no rules");
    CHECK_TRUE(!is_private(&rules, "/a.js", "text/javascript"), "no rules");
    response_rules_fini(&rules);
}

/* --- links ------------------------------------------------------------------------------------ */

static void test_preload(void)
{
    static char css[] = "</a.css>; rel=preload; as=style", js[] = "</a.js>; rel=modulepreload",
                docs[] = "/docs/**", quiet[] = "/docs/quiet/**";
    char *paths[] = {docs}, *first[] = {css}, *all[] = {css, js}, *quiet_paths[] = {quiet};
    struct config_preload preload[] = {
        {.paths = paths, .path_count = 1, .links = first, .link_count = 1},
        {.links = all, .link_count = 2}};
    struct config_header_rule items[] = {rule(HEADER_REMOVE, "link", "")};
    struct config_site site = {
        .preload = preload, .preload_count = 2, .headers = items, .header_count = 1};
    static const struct {
        int line;
        const char *path, *type;
        size_t links;
    } rows[] = {
        {__LINE__, "/docs/a", "text/html", 1},
        {__LINE__, "/docs/a", "TEXT/HTML; charset=x", 1},
        {__LINE__, "/", "application/xhtml+xml", 2},
        {__LINE__, "/docs/a", "text/css", 0},
        {__LINE__, "/docs/quiet/a", "text/html", 0},
    };
    struct response_rules rules;
    bool is_momentary;

    items[0].paths = quiet_paths;
    items[0].path_count = 1;
    response_rules_init(&rules, &site);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *head = whole_file(&rules, rows[i].path, rows[i].type, MTIME, &is_momentary);
        CHECK_INT(rows[i].line, head, count_of(head, "\r\nLink: </a."), rows[i].links);
        CHECK_TRUE(!is_momentary, "worth keeping");
    }
    CHECK_TRUE(rules.most_len >= strlen(css) + strlen(js), "room for the longest");
    CHECK_TRUE(!response_match_equal(response_rules_match(&rules, (struct span){"/docs/a", 7}),
                                     response_rules_match(&rules, (struct span){"/", 1})),
               "heads are kept for one rule each");
    response_rules_fini(&rules);
}

int main(void)
{
    test_preload();
    test_no_transform();
    test_unconditional();
    test_status_fields_come_once();
    test_conditions();
    test_own_headers_by_condition();
    test_type_rule_and_framing();
    test_most_rules();
    test_expires();
    test_expires_by_answer();
    test_most_len();
    test_header_rule_beats_expires();
    return check_end("response_rules");
}

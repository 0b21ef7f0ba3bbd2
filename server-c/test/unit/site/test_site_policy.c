/* SPDX-License-Identifier: MIT */
/* A site's rules in their order: the first that matches decides. */
#include "site/site_policy.c"

#include "check.h"

#include <arpa/inet.h>

#define S(text) ((char *)(uintptr_t)(text))
#define LIST(...) ((char *[]){__VA_ARGS__})

static struct span of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static struct site_scratch no_scratch; /* of sites without signed links */

static struct config_redirect redirects[] = {
    {S("^/old/(.*)$"), S("/new/$1"), 308},
    {S("^/old/x$"), S("/never"), 302},
};
static struct config_rewrite rewrites[] = {
    {S("^/a/(.*)$"), S("/b/$1"), true},
    {S("^/b/(.*)$"), S("/c/$1"), false},
    {S("^/c/(.*)$"), S("/d/$1"), false},
    {S("^/up$"), S("/x/../../y"), false},
    {S("^/long$"), S("/0123456789012345678901234567890123456789012345678901234567890123456789"),
     false},
};

static void test_map(void)
{
    static const struct {
        int line;
        const char *path;
        int status;
        const char *want; /* the path, or the location */
    } rows[] = {
        {__LINE__, "/plain", 200, "/plain"}, {__LINE__, "/old/x", 308, "/new/x"},
        {__LINE__, "/a/x", 200, "/c/x"},     {__LINE__, "/b/x", 200, "/c/x"},
        {__LINE__, "/c/x", 200, "/d/x"},     {__LINE__, "/up", 400, NULL},
        {__LINE__, "/long", 414, NULL},
    };
    struct config_site cfg = {.redirects = redirects,
                              .redirect_count = ARRAY_LEN(redirects),
                              .rewrites = rewrites,
                              .rewrite_count = ARRAY_LEN(rewrites)};
    struct site_policy policy;
    char scratch_bytes[64];
    struct site_scratch scratch = {
        .bytes = scratch_bytes, .cap = sizeof(scratch_bytes), .rules = url_rule_scratch_new()};

    site_policy_init(&policy, &cfg, NULL);
    CHECK_TRUE(policy.has_rules, "it has rules");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char bytes[64];
        struct url_path path = {.len = strlen(rows[i].path)};
        struct span location = {0};
        struct site_request request = {.host = of("test")};
        int status;

        memcpy(bytes, rows[i].path, path.len + 1);
        status = (int)site_policy_map(&policy, &request, &scratch, &path, bytes, sizeof(bytes),
                                      &location);
        CHECK_INT(rows[i].line, rows[i].path, status, rows[i].status);
        if (status == 200)
            CHECK_STR(rows[i].line, rows[i].path, bytes, rows[i].want);
        else if (rows[i].want)
            CHECK_TRUE(location.len == strlen(rows[i].want) &&
                           memcmp(location.ptr, rows[i].want, location.len) == 0,
                       "row %d: location", rows[i].line);
    }
    site_policy_fini(&policy);
    url_rule_scratch_free(scratch.rules);
}

static void check_listed(const struct site_policy *policy, const char *asked, int want_status,
                         const char *want)
{
    char scratch_bytes[64], bytes[64];
    struct site_scratch scratch = {
        .bytes = scratch_bytes, .cap = sizeof(scratch_bytes), .rules = url_rule_scratch_new()};
    struct url_path path = {.len = strlen(asked)};
    struct span location = {0};
    struct site_request request = {.host = of("test"), .query = of("q")};

    memcpy(bytes, asked, path.len + 1);
    CHECK_INT(__LINE__, asked,
              site_policy_map(policy, &request, &scratch, &path, bytes, sizeof(bytes), &location),
              want_status);
    CHECK_TRUE(location.len == strlen(want) &&
                   (location.len == 0 || memcmp(location.ptr, want, location.len) == 0),
               "%s: location", asked);
    url_rule_scratch_free(scratch.rules);
}

static void test_redirect_file(void)
{
    static const char text[] = "/here /there 307\n/old/x /never\n~^/long /"
                               "0123456789012345678901234567890123456789012345678901234567890123\n";
    struct redirect_problems problems;
    struct named_file file = {.kind = NAMED_REDIRECTS,
                              .path = S("/list"),
                              .redirects = redirect_list_parse(of(text), &problems)};
    struct named_files files = {&file, 1};
    struct config_site cfg = {.redirects = redirects,
                              .redirect_count = ARRAY_LEN(redirects),
                              .redirect_file = S("/list")};
    struct site_policy policy;

    site_policy_init(&policy, &cfg, &files);
    CHECK_TRUE(policy.has_rules && policy.has_maps, "it has rules");
    check_listed(&policy, "/here", 307, "/there?q");
    check_listed(&policy, "/old/x", 308, "/new/x?q"); /* by the config, which comes first */
    check_listed(&policy, "/long", 414, "");
    check_listed(&policy, "/else", 200, "");
    site_policy_fini(&policy);

    cfg.redirect_count = 0;
    redirect_list_put(file.redirects);
    file.redirects = NULL; /* it could not be read */
    site_policy_init(&policy, &cfg, &files);
    CHECK_TRUE(!policy.has_rules && !policy.has_maps, "it has none");
    check_listed(&policy, "/here", 200, "");
    site_policy_fini(&policy);
}

static void test_access(void)
{
    struct config_access rules[] = {
        {.action = ACCESS_ALLOW, .paths = LIST(S("/open/**")), .path_count = 1},
        {.action = ACCESS_DENY,
         .paths = LIST(S("/lan/**")),
         .path_count = 1,
         .addresses = LIST(S("10.0.0.0/8"), S("2001:db8::/32")),
         .address_count = 2},
        {.action = ACCESS_DENY, .paths = LIST(S("*.inc")), .path_count = 1},
    };
    static const struct {
        int line;
        const char *path, *address; /* NULL: over a Unix socket */
        int want;
    } rows[] = {
        {__LINE__, "/x", "10.1.2.3", 200},     {__LINE__, "/lan/x", "10.1.2.3", 403},
        {__LINE__, "/lan/x", "11.1.2.3", 200}, {__LINE__, "/lan/x", "2001:db8::7", 403},
        {__LINE__, "/lan/x", NULL, 200},       {__LINE__, "/x.inc", NULL, 403},
        {__LINE__, "/open/x.inc", NULL, 200},  {__LINE__, "/lan/x.inc", "11.1.2.3", 403},
    };
    struct config_site cfg = {.access = rules, .access_count = ARRAY_LEN(rules)};
    struct site_policy policy;

    site_policy_init(&policy, &cfg, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint8_t address[ADDRESS_LEN] = {[10] = 0xff, [11] = 0xff};

        if (rows[i].address && inet_pton(AF_INET, rows[i].address, address + 12) != 1)
            inet_pton(AF_INET6, rows[i].address, address);
        CHECK_INT(rows[i].line, rows[i].path,
                  site_policy_access(&policy, rows[i].address ? address : NULL, of(rows[i].path)),
                  rows[i].want);
    }
    site_policy_fini(&policy);
}

static void test_hotlink(void)
{
    struct config_hotlink rules[] = {{.paths = LIST(S("*.png")),
                                      .path_count = 1,
                                      .hosts = LIST(S("*.friend.test")),
                                      .host_count = 1,
                                      .allow_empty = true}};
    static const struct {
        int line;
        const char *path, *referer;
        int want;
    } rows[] = {
        {__LINE__, "/a.png", "", 200},
        {__LINE__, "/a.png", "http://own.test/x", 200},
        {__LINE__, "/a.png", "http://alias.test/", 200},
        {__LINE__, "/a.png", "https://www.friend.test/", 200},
        {__LINE__, "/a.png", "https://friend.test.foe.test/", 403},
        {__LINE__, "/a.png", "https://foe.test/?own.test", 403},
        {__LINE__, "/a.png", "nonsense", 403},
        {__LINE__, "/a.html", "https://foe.test/", 200},
    };
    struct config_site cfg = {.hosts = LIST(S("alias.test"), S("*")),
                              .host_count = 2,
                              .hotlink = rules,
                              .hotlink_count = 1};
    struct site_policy policy;

    site_policy_init(&policy, &cfg, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct site_request request = {.host = of("own.test"), .referer = of(rows[i].referer)};
        CHECK_INT(rows[i].line, rows[i].referer,
                  site_policy_check(&policy, &request, &no_scratch, of(rows[i].path)),
                  rows[i].want);
    }
    site_policy_fini(&policy);
}

static void test_secret_missing(void)
{
    struct config_signed_url rules[] = {
        {.paths = LIST(S("/paid/**")), .path_count = 1, .secret_file = S("/nonexistent/secret")}};
    struct config_site cfg = {.signed_urls = rules, .signed_url_count = 1};
    struct config whole = {.sites = &cfg, .site_count = 1};
    struct named_files files;
    struct site_policy policy;
    struct site_scratch scratch = {.rules = url_rule_scratch_new()};
    struct site_request request = {.query = of("expires=9999999999&signature=x")};
    struct url_path path = {.len = 7};
    struct span location;
    char bytes[16] = "/paid/x";

    named_files_read(&files, &whole, NULL);
    site_policy_init(&policy, &cfg, &files);
    CHECK_INT(__LINE__, "without its secret a rule refuses",
              site_policy_map(&policy, &request, &scratch, &path, bytes, sizeof(bytes), &location),
              403);
    site_policy_fini(&policy);
    named_files_fini(&files);
    url_rule_scratch_free(scratch.rules);
}

static void test_auth(void)
{
    struct config_auth rules[] = {
        {.paths = LIST(S("/in/**")), .path_count = 1, .realm = S("first")},
        {.realm = S("rest")},
    };
    struct config_site cfg = {.auth = rules, .auth_count = 2};
    struct site_policy policy;

    site_policy_init(&policy, &cfg, NULL);
    CHECK_TRUE(!policy.has_rules, "signing in is asked for apart");
    CHECK_STR(__LINE__, "a path", site_policy_auth(&policy, NULL, of("/in/x"))->realm, "first");
    CHECK_STR(__LINE__, "all others", site_policy_auth(&policy, NULL, of("/x"))->realm, "rest");
    cfg.auth_count = 1;
    CHECK_TRUE(site_policy_auth(&policy, NULL, of("/x")) == NULL, "no rule");
    cfg.auth_count = 2;
    site_policy_fini(&policy);
}

/* Asking for an encoded form by its own name does not get around a rule for the file. */
static void test_coded_names(void)
{
    struct config_access access[] = {
        {.action = ACCESS_DENY, .paths = LIST(S("*.inc")), .path_count = 1},
        {.action = ACCESS_ALLOW, .paths = LIST(S("*.txt"), S("*.inc.gz")), .path_count = 2},
        {.action = ACCESS_DENY},
    };
    struct config_auth auth[] = {{.paths = LIST(S("*.html")), .path_count = 1}};
    static const struct {
        int line;
        const char *path;
        int access;
        bool needs_user;
    } rows[] = {
        {__LINE__, "/a.inc", 403, false},      {__LINE__, "/a.inc.gz", 403, false},
        {__LINE__, "/a.txt", 200, false},      {__LINE__, "/a.txt.gz", 403, false},
        {__LINE__, "/a.html", 403, true},      {__LINE__, "/a.html.gz", 403, true},
        {__LINE__, "/a.html.br", 403, false},  {__LINE__, "/.gz", 403, false},
        {__LINE__, "/a.html/.gz", 403, false},
    };
    struct config_site cfg = {.precompressed = LIST(S("zstd"), S("gzip")),
                              .precompressed_count = 2,
                              .access = access,
                              .access_count = ARRAY_LEN(access),
                              .auth = auth,
                              .auth_count = 1};
    struct site_policy policy;

    site_policy_init(&policy, &cfg, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        CHECK_INT(rows[i].line, rows[i].path, site_policy_access(&policy, NULL, of(rows[i].path)),
                  rows[i].access);
        CHECK_INT(rows[i].line, rows[i].path,
                  site_policy_auth(&policy, NULL, of(rows[i].path)) != NULL, rows[i].needs_user);
    }
    site_policy_fini(&policy);
}

static void test_satisfy(void)
{
    struct config_access access[] = {
        {.action = ACCESS_ALLOW, .addresses = LIST(S("192.0.2.0/24")), .address_count = 1},
        {.action = ACCESS_DENY, .paths = LIST(S("/in/**"), S("/out/**")), .path_count = 2},
    };
    struct config_auth auth[] = {
        {.paths = LIST(S("/in/**"), S("/free/**")), .path_count = 2, .satisfy = SATISFY_ANY},
        {.paths = LIST(S("/both/**"), S("/out/b/**")), .path_count = 2},
    };
    struct config_site cfg = {.access = access,
                              .access_count = ARRAY_LEN(access),
                              .auth = auth,
                              .auth_count = ARRAY_LEN(auth),
                              .precompressed = LIST(S("gzip")),
                              .precompressed_count = 1};
    static const struct {
        int line;
        const char *path;
        bool is_inside;
        int status;
        bool signs_in;
    } rows[] = {
        {__LINE__, "/in/x", true, 200, false},    {__LINE__, "/in/x", false, 200, true},
        {__LINE__, "/in/x.gz", true, 200, false}, {__LINE__, "/in/x.gz", false, 200, true},
        {__LINE__, "/free/x", false, 200, true},  {__LINE__, "/free/x", true, 200, false},
        {__LINE__, "/both/x", true, 200, true},   {__LINE__, "/both/x", false, 200, true},
        {__LINE__, "/out/x", false, 403, false},  {__LINE__, "/out/b/x", false, 403, true},
        {__LINE__, "/x", false, 200, false},
    };
    uint8_t inside[ADDRESS_LEN];
    struct site_policy policy;

    CHECK_TRUE(inet_pton(AF_INET, "192.0.2.7", address_begin_v4(inside)) == 1, "an address");
    site_policy_init(&policy, &cfg, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const uint8_t *address = rows[i].is_inside ? inside : NULL;
        CHECK_INT(rows[i].line, rows[i].path,
                  (int)site_policy_access(&policy, address, of(rows[i].path)), rows[i].status);
        CHECK_INT(rows[i].line, rows[i].path,
                  site_policy_auth(&policy, address, of(rows[i].path)) != NULL, rows[i].signs_in);
    }
    site_policy_fini(&policy);
}

static void test_maintenance(void)
{
    struct config_maintenance rules[] = {
        {.answer = MAINTENANCE_OPEN, .paths = LIST(S("/status/**")), .path_count = 1},
        {.answer = MAINTENANCE_GONE, .paths = LIST(S("/old/**")), .path_count = 1},
        {.except = LIST(S("192.0.2.7")), .except_count = 1},
    };
    struct config_site cfg = {.maintenance = rules, .maintenance_count = ARRAY_LEN(rules)};
    uint8_t mine[ADDRESS_LEN];
    struct site_policy policy;

    CHECK_TRUE(inet_pton(AF_INET, "192.0.2.7", address_begin_v4(mine)) == 1, "an address");
    site_policy_init(&policy, &cfg, NULL);
    CHECK_TRUE(policy.has_rules, "it has rules");
    CHECK_TRUE(!site_policy_maintenance(&policy, NULL, of("/status/x")), "open");
    CHECK_TRUE(site_policy_maintenance(&policy, mine, of("/old/x")) == &rules[1], "gone");
    CHECK_TRUE(site_policy_maintenance(&policy, NULL, of("/x")) == &rules[2], "closed");
    CHECK_TRUE(!site_policy_maintenance(&policy, mine, of("/x")), "not for me");
    CHECK_INT(__LINE__, "gone", (int)site_policy_maintenance_status(&rules[1]), 410);
    CHECK_INT(__LINE__, "closed", (int)site_policy_maintenance_status(&rules[2]), 503);
    site_policy_fini(&policy);
}

int main(void)
{
    test_satisfy();
    test_maintenance();
    test_coded_names();
    test_map();
    test_redirect_file();
    test_access();
    test_hotlink();
    test_secret_missing();
    test_auth();
    return check_end("site_policy");
}

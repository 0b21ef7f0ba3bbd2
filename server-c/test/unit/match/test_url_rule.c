/* SPDX-License-Identifier: MIT */
/* Redirects and rewrites as operators write them, and what clients can't do with them. */
#include "match/url_rule.c"
#include "match/url_template.c"

#include "check.h"

#include <time.h>

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

/* Returns the result with a NUL, or "-" and what came instead. */
static const char *apply(const struct url_rule *rule, const char *path, const char *query,
                         enum url_rule_use use)
{
    static char out[1024];
    struct url_rule_scratch *scratch = url_rule_scratch_new();
    struct url_rule_subject subject = {span_of(path), span_of("example.org"), span_of(query)};
    size_t len = 0;
    enum url_rule_result result =
        url_rule_apply(rule, scratch, &subject, use, out, sizeof(out) - 1, &len);

    url_rule_scratch_free(scratch);
    if (result != URL_RULE_MATCH)
        return result == URL_RULE_OTHER     ? "-"
               : result == URL_RULE_LIMIT   ? "-limit"
               : result == URL_RULE_NO_HOST ? "-host"
                                            : "-long";
    out[len] = '\0';
    return out;
}

static void test_no_host(void)
{
    static const struct {
        int line;
        const char *to;
        enum url_rule_result want;
    } rows[] = {
        {__LINE__, "https://${host}/$1", URL_RULE_NO_HOST},
        {__LINE__, "/sites/${host}/$1", URL_RULE_NO_HOST},
        {__LINE__, "/sites/$1", URL_RULE_MATCH},
    };
    struct url_rule_scratch *scratch = url_rule_scratch_new();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int use = URL_RULE_FOR_LOCATION; use <= URL_RULE_FOR_PATH; use++) {
            struct url_rule_subject subject = {span_of("/evil.test"), {"", 0}, {"", 0}};
            struct url_rule_error error;
            struct url_rule *rule = url_rule_new("^/(.*)$", rows[i].to, &error);
            char out[64];
            size_t len;

            CHECK_INT(rows[i].line, rows[i].to,
                      url_rule_apply(rule, scratch, &subject, (enum url_rule_use)use, out,
                                     sizeof(out), &len),
                      rows[i].want);
            url_rule_free(rule);
        }
    url_rule_scratch_free(scratch);
}

static void test_apply(void)
{
    static const struct {
        int line;
        const char *match, *to, *path, *query, *location, *rewritten;
    } rows[] = {
        {__LINE__, "^/old$", "/new", "/old", "", "/new", "/new"},
        {__LINE__, "^/old$", "/new", "/older", "", "-", "-"},
        {__LINE__, "old", "/new", "/very/older", "", "/new", "/new"},
        {__LINE__, "^/OLD$", "/new", "/old", "", "-", "-"},
        {__LINE__, "(?i)^/OLD$", "/new", "/old", "", "/new", "/new"},
        {__LINE__, "^/old$", "/new", "/old\n", "", "-", "-"},
        {__LINE__, "^/old.*$", "/new", "/old\nb", "", "/new", "/new"},
        {__LINE__, "^/a(.)$", "/b$1", "/a\xff", "", "/b%FF", "/b\xff"},
        {__LINE__, "^/(..)$", "/b/$1", "/\xc3\xa4", "", "/b/%C3%A4", "/b/\xc3\xa4"},

        {__LINE__, "^/(a+)/(b+)$", "/$2/$1", "/aa/b", "", "/b/aa", "/b/aa"},
        {__LINE__, "^/(a+)/(b+)$", "/x$0", "/aa/b", "", "/x/aa/b", "/x/aa/b"},
        {__LINE__, "^/(a+)$", "/${1}0", "/aa", "", "/aa0", "/aa0"},
        {__LINE__, "^/(a+)$", "/$10", "/aa", "", "/aa0", "/aa0"},
        {__LINE__, "^/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)$", "/${10}$9", "/abcdefghij", "", "/ji",
         "/ji"},
        {__LINE__, "^/(a)?(b)$", "/[$1]$2", "/b", "", "/[]b", "/[]b"},
        {__LINE__, "^/(a)(b)?$", "/$1[$2]", "/a", "", "/a[]", "/a[]"},
        {__LINE__, "^/a", "/$$1", "/a", "", "/$1", "/$1"},
        {__LINE__, "^/a", "/b$$", "/a", "", "/b$", "/b$"},
        {__LINE__, "/a\\Kb", "/$0", "/ab", "", "/b", "/b"},

        {__LINE__, "^(.*)$", "https://${host}$1", "/a b", "", "https://example.org/a%20b",
         "https://example.org/a b"},
        {__LINE__, "^(.*)$", "$1.html", "/a?b#c%d", "", "/a%3Fb%23c%25d.html", "/a?b#c%d.html"},
        {__LINE__, "^(.*)$", "/b$1", "/\"<>\\^`{|}", "", "/b/%22%3C%3E%5C%5E%60%7B%7C%7D",
         "/b/\"<>\\^`{|}"},
        {__LINE__, "^(.*)$", "/b$1", "/-._~!$&'()*+,;=:@z9", "", "/b/-._~!$&'()*+,;=:@z9",
         "/b/-._~!$&'()*+,;=:@z9"},
        {__LINE__, "^/(.*)$", "/b?x=$1&y=1", "/a&c=d+e;f/g?h", "",
         "/b?x=a%26c%3Dd%2Be%3Bf/g%3Fh&y=1", "/b?x=a&c=d+e;f/g?h&y=1"},
        {__LINE__, "^/(.*)$", "/b#$1", "/a&c", "", "/b#a%26c", "/b#a&c"},
        {__LINE__, "^/a", "/new page\xc3\xa4%20", "/a", "", "/new%20page%C3%A4%20",
         "/new page\xc3\xa4%20"},

        {__LINE__, "^/a", "/b", "/a", "x=1&y", "/b?x=1&y", "/b"},
        {__LINE__, "^/a", "/b?z", "/a", "x=1", "/b?z", "/b?z"},
        {__LINE__, "^/a", "/b?z&${query}", "/a", "x=%20", "/b?z&x=%20", "/b?z&x=%20"},
        {__LINE__, "^/a", "/b/${query}", "/a", "x", "/b/x", "/b/x"},
        {__LINE__, "^/a", "/b#c", "/a", "x", "/b?x#c", "/b#c"},
        {__LINE__, "^/a", "/b#c#d", "/a", "x", "/b?x#c#d", "/b#c#d"},
        {__LINE__, "^/(a)", "/b#?$1", "/a", "x", "/b?x#?a", "/b#?a"},
        {__LINE__, "^/a", "/$${query}", "/a", "x", "/$%7Bquery%7D?x", "/${query}"},

        {__LINE__, "^/go(.*)$", "/$1", "/go/evil.example", "", "/evil.example", "//evil.example"},
        {__LINE__, "^/go(.*)$", "$1", "/go//evil.example", "", "/evil.example", "//evil.example"},
        {__LINE__, "^/go/(.*)$", "$1", "/go/https:/evil.example", "", "/https:/evil.example",
         "https:/evil.example"},
        {__LINE__, "^/go(.*)$", "/$1", "/go\\evil.example", "", "/%5Cevil.example",
         "/\\evil.example"},
        {__LINE__, "^/go/(.*)$", "//cdn.example/$1", "/go/a", "", "//cdn.example/a",
         "//cdn.example/a"},
        {__LINE__, "^/go(.*)$", "https://a.example$1", "/go.evil.example", "",
         "https://a.example/.evil.example", "https://a.example.evil.example"},
        {__LINE__, "^/go(.*)$", "https://a.example$1?b", "/go@evil.example/c", "",
         "https://a.example/@evil.example/c?b", "https://a.example@evil.example/c?b"},
        {__LINE__, "^/go(.*)$", "//a.example:81$1", "/go82", "", "//a.example:81/82",
         "//a.example:8182"},
        {__LINE__, "^/go(.*)$", "https://${host}$1", "/go-x", "", "https://example.org/-x",
         "https://example.org-x"},
        {__LINE__, "^/go(.*)$", "https://a.example$1", "/go/b", "x", "https://a.example/b?x",
         "https://a.example/b"},
        {__LINE__, "^/go(.*)$", "https://a.example$1", "/go", "", "https://a.example",
         "https://a.example"},
        {__LINE__, "^/([a-z]+)(.*)$", "https://$1.example$2", "/de/b", "", "https://de.example/b",
         "https://de.example/b"},
        {__LINE__, "^/(.*)$", "https://$1.example/", "/evil.example/", "",
         "https://evil.example%2F.example/", "https://evil.example/.example/"},
        {__LINE__, "^/(.*)$", "HTTPS://www$1.a.example/", "/:80@b:81#", "",
         "HTTPS://www%3A80%40b%3A81%23.a.example/", "HTTPS://www:80@b:81#.a.example/"},
        {__LINE__, "^/(.*)$", "/b?u=x://$1", "/a/b", "", "/b?u=x://a/b", "/b?u=x://a/b"},
        {__LINE__, "^/(.*)$", "/b/x://$1", "/a/b", "", "/b/x://a/b", "/b/x://a/b"},
        {__LINE__, "^/(.*)$", "/b/$1", "/a\r\nSet-Cookie: x", "", "/b/a%0D%0ASet-Cookie:%20x",
         "/b/a\r\nSet-Cookie: x"},
        {__LINE__, "^/a", "/b", "/a", "x\r\ny: z", "/b?x%0D%0Ay:%20z", "/b"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct url_rule_error error = {0};
        struct url_rule *rule = url_rule_new(rows[i].match, rows[i].to, &error);
        CHECK_TRUE(rule != NULL, "row %d \"%s\" \"%s\": %s", rows[i].line, rows[i].match,
                   rows[i].to, error.message);
        if (!rule)
            continue;
        CHECK_STR(rows[i].line, rows[i].match,
                  apply(rule, rows[i].path, rows[i].query, URL_RULE_FOR_LOCATION),
                  rows[i].location);
        CHECK_STR(rows[i].line, rows[i].match,
                  apply(rule, rows[i].path, rows[i].query, URL_RULE_FOR_PATH), rows[i].rewritten);
        url_rule_free(rule);
    }
}

static void test_wrong(void)
{
    static const struct {
        int line;
        const char *match, *to;
        bool is_in_to;
        size_t offset;
        const char *says;
    } rows[] = {
        {__LINE__, "^/(a", "/b", false, 4, "missing closing parenthesis"},
        {__LINE__, "a)(b", "/b", false, 1, "unmatched closing parenthesis"},
        {__LINE__, "*a", "/b", false, 0, "quantifier"},
        {__LINE__, "[a", "/b", false, 2, "missing terminating ]"},
        {__LINE__, "(*UTF)a", "/b", false, 6, "UTF"},
        {__LINE__, "a", "", true, 0, "is empty"},
        {__LINE__, "a", "/$", true, 1, "a lone \"$\""},
        {__LINE__, "a", "/$x", true, 1, "a lone \"$\""},
        {__LINE__, "a", "/$$$", true, 3, "a lone \"$\""},
        {__LINE__, "a", "/$1", true, 1, "there is no group 1: the expression has 0"},
        {__LINE__, "(a)", "/$1$2", true, 3, "there is no group 2: the expression has 1"},
        {__LINE__, "a", "/${1", true, 1, "\"${\" without \"}\""},
        {__LINE__, "a", "/${}", true, 1, "\"${}\" is unknown"},
        {__LINE__, "a", "/${Host}", true, 1, "\"${Host}\" is unknown"},
        {__LINE__, "a", "/${hos", true, 1, "without"},
        {__LINE__, "(a)", "/${01}", true, 1, "leading zeros"},
        {__LINE__, "(a)", "/${100}", true, 1, "at most 99"},
        {__LINE__, "(a)", "/${4294967297}", true, 1, "at most 99"},
        {__LINE__, "(a)", "/${-1}", true, 1, "is unknown"},
        {__LINE__, "a", "/b\r\nx", true, 2, "a control character"},
        {__LINE__, "a", "/${\x7f}", true, 3, "a control character"},
        {__LINE__, "a",
         "/${aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}", true, 1,
         "aaa}\" is unknown"},
        {__LINE__, "a",
         "/${aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xef\xbb\xbf"
         "aaa}",
         true, 1, "${aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}\" is unknown"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct url_rule_error error = {0};
        struct url_rule *rule = url_rule_new(rows[i].match, rows[i].to, &error);
        CHECK_TRUE(rule == NULL, "row %d \"%s\"", rows[i].line, rows[i].to);
        CHECK_INT(rows[i].line, rows[i].to, error.is_in_to, rows[i].is_in_to);
        CHECK_INT(rows[i].line, rows[i].to, error.offset, rows[i].offset);
        CHECK_TRUE(strstr(error.message, rows[i].says) != NULL, "row %d says \"%s\"", rows[i].line,
                   error.message);
        url_rule_free(rule);
    }
}

static void test_long_expression(void)
{
    char *match = malloc(URL_RULE_MATCH_MAX + 2);
    struct url_rule_error error;
    struct url_rule *rule;

    memset(match, 'a', URL_RULE_MATCH_MAX + 1);
    match[URL_RULE_MATCH_MAX + 1] = '\0';
    CHECK_TRUE(url_rule_new(match, "/", &error) == NULL, "one byte too long");
    match[URL_RULE_MATCH_MAX] = '\0';
    rule = url_rule_new(match, "/", &error);
    CHECK_TRUE(rule != NULL, "the longest: %s", error.message);
    url_rule_free(rule);
    free(match);
}

/* More groups than the match data has room for. */
static void test_many_groups(void)
{
    char match[1024] = "^/", path[256] = "/";
    struct url_rule_error error;
    struct url_rule *rule;

    for (int i = 0; i < 150; i++) {
        memcpy(match + strlen(match), "(.)", 4);
        path[1 + i] = (char)('A' + i % 26);
    }
    rule = url_rule_new(match, "/${98}${99}", &error);
    CHECK_TRUE(rule != NULL, "%s", error.message);
    CHECK_STR(__LINE__, "groups 98 and 99", apply(rule, path, "", URL_RULE_FOR_PATH), "/TU");
    url_rule_free(rule);
}

/* Every size from nothing to enough: too long until it fits, and never a byte beyond the end. */
static void test_room(void)
{
    static const char want[] = "/b%20c?q#x";
    struct url_rule_error error;
    struct url_rule *rule = url_rule_new("^/(.*)$", "/$1#x", &error);
    struct url_rule_scratch *scratch = url_rule_scratch_new();
    struct url_rule_subject subject = {span_of("/b c"), {NULL, 0}, span_of("q")};

    for (size_t cap = 0; cap <= sizeof(want); cap++) {
        char *out = malloc(cap);
        size_t len = 99;
        int result =
            (int)url_rule_apply(rule, scratch, &subject, URL_RULE_FOR_LOCATION, out, cap, &len);
        bool fits = cap >= sizeof(want) - 1;
        CHECK_INT(__LINE__, "result", result, fits ? URL_RULE_MATCH : URL_RULE_TOO_LONG);
        CHECK_INT(__LINE__, "len", len, fits ? sizeof(want) - 1 : 99);
        CHECK_TRUE(!fits || memcmp(out, want, len) == 0, "at %zu", cap);
        free(out);
    }
    url_rule_scratch_free(scratch);
    url_rule_free(rule);
}

/* A path of 8 KiB with expressions that are slow by nature: given up within a moment, and the
 * scratch is still usable. */
static void test_limits(void)
{
    static const char *const slow[] = {
        "^[^x](a+)+$",          "(a+)+$",
        "^/.*.*.*.*[xy]",       "(.*)(.*)(.*)(.*)[xy]",
        "(?:a?){50}[bc]d?[xy]", "(a*)(?:\\1)*[xy]",
        "(?:a*+(?=c)|a)*[xy]",  "(?=[^x]*[xy])",
        "(a(?1)?)+[xy]",        "(?|((((((((a)*)*)*)*)*)*)*)*)*[xy]",
    };
    enum { PATH_LEN = 8192 };
    char *path = malloc(PATH_LEN), out[16];
    struct url_rule_scratch *scratch = url_rule_scratch_new();
    struct url_rule_subject subject = {.path = {path, PATH_LEN}};
    struct url_rule_error error;
    struct url_rule *plain = url_rule_new("^/(?:a|b)*$", "/c", &error);
    size_t len;

    memset(path, 'a', PATH_LEN);
    path[0] = '/';
    path[PATH_LEN - 1] = 'b';
    for (size_t i = 0; i < ARRAY_LEN(slow); i++) {
        struct url_rule *rule = url_rule_new(slow[i], "/b", &error);
        clock_t start = clock(), end;
        url_rule_begin(scratch);
        int result =
            (int)url_rule_apply(rule, scratch, &subject, URL_RULE_FOR_PATH, out, sizeof(out), &len);
        end = clock();
        CHECK_INT(__LINE__, slow[i], result, URL_RULE_LIMIT);
        CHECK_TRUE(end - start < CLOCKS_PER_SEC / 2, "\"%s\" takes %ld us", slow[i],
                   (long)(end - start));
        if (getenv("URL_RULE_TIMES"))
            printf("%-36s %ld us\n", slow[i], (long)(end - start));
        url_rule_free(rule);
        CHECK_INT(
            __LINE__, "a long path that matches",
            url_rule_apply(plain, scratch, &subject, URL_RULE_FOR_PATH, out, sizeof(out), &len),
            URL_RULE_MATCH);
    }
    url_rule_free(plain);
    url_rule_scratch_free(scratch);
    free(path);
}

/* Hundreds of rules, each slow but below its own limit. */
static void test_request_limit(void)
{
    enum { RULES = 512, PATH_LEN = 81 };
    char path[PATH_LEN], out[16];
    struct url_rule_scratch *scratch = url_rule_scratch_new();
    struct url_rule_subject subject = {.path = {path, PATH_LEN}};
    struct url_rule_error error;
    struct url_rule *rule = url_rule_new("a*a*[bc][de]", "/b", &error);
    int result = URL_RULE_OTHER, tried = 0;
    size_t len;

    memset(path, 'a', PATH_LEN);
    path[0] = '/';
    for (; tried < RULES && result == URL_RULE_OTHER; tried++)
        result =
            (int)url_rule_apply(rule, scratch, &subject, URL_RULE_FOR_PATH, out, sizeof(out), &len);
    CHECK_INT(__LINE__, "given up", result, URL_RULE_LIMIT);
    CHECK_TRUE(tried > REQUEST_STEPS_MAX / STEPS_MAX, "after %d", tried);
    url_rule_begin(scratch);
    result =
        (int)url_rule_apply(rule, scratch, &subject, URL_RULE_FOR_PATH, out, sizeof(out), &len);
    CHECK_INT(__LINE__, "the next request", result, URL_RULE_OTHER);
    url_rule_free(rule);
    url_rule_scratch_free(scratch);
}

/* As on a system where memory can't be executed: the interpreter must give the same results. */
static void test_interpreted(void)
{
    static const struct {
        int line;
        const char *match;
        int want;
    } rows[] = {
        {__LINE__, "(*NO_JIT)^/(?:a|b)*$", URL_RULE_MATCH},
        {__LINE__, "(*NO_JIT)^/(a|b|ab)*[cd]", URL_RULE_OTHER},
        {__LINE__, "(*NO_JIT)^[^x](a+)+$", URL_RULE_LIMIT},
        {__LINE__, "(*NO_JIT)(a*)(?:\\1)*[xy]", URL_RULE_LIMIT},
        {__LINE__, "(*NO_JIT)(a(?1)?)+[xy]", URL_RULE_LIMIT},
    };
    enum { PATH_LEN = 8192 };
    char *path = malloc(PATH_LEN), out[16];
    struct url_rule_scratch *scratch = url_rule_scratch_new();
    struct url_rule_subject subject = {.path = {path, PATH_LEN}};
    struct url_rule_error error;
    size_t len;

    memset(path, 'a', PATH_LEN);
    path[0] = '/';
    path[PATH_LEN - 1] = 'b';
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct url_rule *rule = url_rule_new(rows[i].match, "/b", &error);
        clock_t start = clock(), end;
        CHECK_INT(
            rows[i].line, rows[i].match,
            url_rule_apply(rule, scratch, &subject, URL_RULE_FOR_PATH, out, sizeof(out), &len),
            rows[i].want);
        end = clock();
        CHECK_TRUE(end - start < CLOCKS_PER_SEC / 2, "\"%s\" takes %ld us", rows[i].match,
                   (long)(end - start));
        if (getenv("URL_RULE_TIMES"))
            printf("%-36s %ld us\n", rows[i].match, (long)(end - start));
        url_rule_free(rule);
    }
    url_rule_scratch_free(scratch);
    free(path);
}

int main(void)
{
    test_apply();
    test_no_host();
    test_wrong();
    test_long_expression();
    test_many_groups();
    test_room();
    test_limits();
    test_request_limit();
    test_interpreted();
    url_rule_free(NULL);
    url_rule_scratch_free(NULL);
    return check_end("url_rule");
}

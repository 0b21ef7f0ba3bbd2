/* SPDX-License-Identifier: MIT */
/* What patterns match, and that none is slow. */
#include "match/glob.c"

#include "check.h"
#include "glob_reference.h"

#include <time.h>

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static void test_match(void)
{
    static const struct {
        int line;
        const char *pattern, *text;
        bool want;
    } rows[] = {
        {__LINE__, "", "", true},
        {__LINE__, "", "a", false},
        {__LINE__, "a", "", false},
        {__LINE__, "abc", "abc", true},
        {__LINE__, "abc", "abd", false},
        {__LINE__, "abc", "ab", false},
        {__LINE__, "abc", "abcd", false},
        {__LINE__, "abc", "ABC", false},
        {__LINE__, "\xc3\xa4", "\xc3\xa4", true},
        {__LINE__, "[a]", "a", false},
        {__LINE__, "[a]", "[a]", true},
        {__LINE__, "\\*", "\\x", true},
        {__LINE__, "\\*", "*", false},

        {__LINE__, "?", "a", true},
        {__LINE__, "?", "", false},
        {__LINE__, "?", "/", false},
        {__LINE__, "?", "ab", false},
        {__LINE__, "a?c",
         "a\xff"
         "c",
         true},

        {__LINE__, "*", "", true},
        {__LINE__, "*", "abc", true},
        {__LINE__, "*", "/", false},
        {__LINE__, "*", "a/", false},
        {__LINE__, "*.inc", "a.inc", true},
        {__LINE__, "*.inc", ".inc", true},
        {__LINE__, "*.inc", "a.inc.inc", true},
        {__LINE__, "*.inc", "a.inc.in", false},
        {__LINE__, "a*b*c", "abc", true},
        {__LINE__, "a*b*c", "axxbxxbxxc", true},
        {__LINE__, "a*b*c", "axxcxxb", false},
        {__LINE__, "a*a", "a", false},
        {__LINE__, "*a*", "xax", true},
        {__LINE__, "/*/b", "/a/b", true},
        {__LINE__, "/*/b", "/a/a/b", false},
        {__LINE__, "/*/*", "/a/b", true},
        {__LINE__, "/*/*", "/a", false},
        {__LINE__, "/a/*", "/a/", true},
        {__LINE__, "/a/*", "/a", false},
        {__LINE__, "/a/*", "/a/b/c", false},

        {__LINE__, "**", "", true},
        {__LINE__, "**", "/a/b/", true},
        {__LINE__, "***", "/a/b/", true},
        {__LINE__, "****", "", true},
        {__LINE__, "/private/**", "/private/", true},
        {__LINE__, "/private/**", "/private/a/b", true},
        {__LINE__, "/private/**", "/private", false},
        {__LINE__, "/private/**", "/privateer/a", false},
        {__LINE__, "/private**", "/privateer/a", true},
        {__LINE__, "**/x", "/x", true},
        {__LINE__, "**/x", "/a/b/x", true},
        {__LINE__, "**/x", "x", false},
        {__LINE__, "**/x", "/a/xx", false},
        {__LINE__, "/a/**/b", "/a/x/b", true},
        {__LINE__, "/a/**/b", "/a/x/y/b", true},
        {__LINE__, "/a/**/b", "/a//b", true},
        {__LINE__, "/a/**/b", "/a/b", false},
        {__LINE__, "/a**/b", "/a/b", true},
        {__LINE__, "/**/*.php", "/a/b/c.php", true},
        {__LINE__, "/**/*.php", "/c.php", false},
        {__LINE__, "/**.php", "/c.php", true},
        {__LINE__, "/**.php", "/a/c.php/d", false},
        {__LINE__, "**a*b", "ab/xaab", true},
        {__LINE__, "**a*/b", "aac/c/a/b", true},
        {__LINE__, "**/a*b/c", "/axb/d/axxb/c", true},
        {__LINE__, "**/a*b/c", "/axb/d/axxb/d", false},
        {__LINE__, "**a/*b/**c/*d", "xa/b/c/a/xb/yc/d", true},
        {__LINE__, "**a/*b/**c/*d", "xa/b/c/a/xb/yc/d/", false},
        {__LINE__, "**?", "", false},
        {__LINE__, "**?", "/", false},
        {__LINE__, "**?", "/a", true},
        {__LINE__, "**?**", "//a//", true},
        {__LINE__, "**?**", "////", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].pattern, glob_match(rows[i].pattern, span_of(rows[i].text)),
                  rows[i].want);
    CHECK_INT(__LINE__, "NUL is a byte", glob_match("a?*", (struct span){"a\0\0", 3}), true);
    CHECK_INT(__LINE__, "NUL isn't an end", glob_match("a", (struct span){"a\0", 2}), false);
}

/* Writes string number `n` of all strings over `alphabet`. */
static size_t nth(char *out, const char *alphabet, size_t n)
{
    size_t len = 0, base = strlen(alphabet);

    for (; n > 0; n = (n - 1) / base)
        out[len++] = alphabet[(n - 1) % base];
    out[len] = '\0';
    return len;
}

static void test_all_short_ones(void)
{
    char pattern[16], text[16];

    for (size_t p = 0; p < 5461; p++) { /* up to 6 of 4 */
        nth(pattern, "a/*?", p);
        for (size_t t = 0; t < 364; t++) { /* up to 5 of 3 */
            size_t len = nth(text, "ab/", t);
            bool want = glob_reference(pattern, text, len);
            CHECK_TRUE(glob_match(pattern, (struct span){text, len}) == want,
                       "\"%s\" for \"%s\" must be %d", pattern, text, want);
        }
    }
}

/* Each pattern would take cubic time or more in a matcher that tries every star again. The product
 * of both lengths is about 10^7 here. */
static void test_time(void)
{
    enum { TEXT_LEN = 200000 };
    static const char *const patterns[] = {
        "**a*a*a*a*a*a*a*a*a*a*b",
        "**a**a**a**a**a**a**a**a**b",
        "*a*a*a*a*a*a*a*a*a*a*a*a*a*b",
        "**a*b**a*b**a*b",
        "**/*a/*a/*a/*b",
        "**a/a*a/a*a/*b**",
        "**aaaaaaaaaaaaaaaaaaaaaaaaaab",
        "**?*?*?*?*?*?*?*?*b/c",
    };
    char *text = malloc(TEXT_LEN);

    for (int segment = 0; segment <= 100; segment += 50) {
        for (size_t i = 0; i < TEXT_LEN; i++)
            text[i] = segment > 0 && i % (size_t)segment == 0 ? '/' : 'a';
        for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
            clock_t start = clock();
            CHECK_INT(__LINE__, patterns[i], glob_match(patterns[i], (struct span){text, TEXT_LEN}),
                      false);
            CHECK_TRUE(clock() - start < CLOCKS_PER_SEC, "\"%s\" in segments of %d takes %.1f s",
                       patterns[i], segment, (double)(clock() - start) / CLOCKS_PER_SEC);
        }
    }
    free(text);
}

static void test_path_in(void)
{
    static char *patterns[] = {
        (char *)(uintptr_t) "*.inc",
        (char *)(uintptr_t) "/private/**",
        (char *)(uintptr_t) "img/*.png",
    };
    static const struct {
        int line;
        const char *path;
        bool want;
    } rows[] = {
        {__LINE__, "/a.inc", true},
        {__LINE__, "/a/b/c.inc", true},
        {__LINE__, "/a.inc/b", false},
        {__LINE__, "/a.inc/", false},
        {__LINE__, "/private/", true},
        {__LINE__, "/private/a/b", true},
        {__LINE__, "/x/private/a", false},
        {__LINE__, "/img/a.png", false},
        {__LINE__, "/", false},
    };
    static char *any[] = {(char *)(uintptr_t) "*"};

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].path,
                  glob_path_in(patterns, ARRAY_LEN(patterns), span_of(rows[i].path)), rows[i].want);
    CHECK_INT(__LINE__, "no pattern", glob_path_in(NULL, 0, span_of("/a")), true);
    CHECK_INT(__LINE__, "a star", glob_path_in(any, 1, span_of("/a/b")), true);
    CHECK_INT(__LINE__, "a star for an empty segment", glob_path_in(any, 1, span_of("/a/")), true);
}

static void test_chosen(void)
{
    static char *of[] = {(char *)(uintptr_t) "/pub/**"};
    static char *but[] = {(char *)(uintptr_t) "/pub/own/**"};
    static const struct {
        int line;
        size_t of, but; /* how many of each count */
        const char *path;
        bool want;
    } rows[] = {
        {__LINE__, 1, 1, "/pub/", true},  {__LINE__, 1, 1, "/pub/own/", false},
        {__LINE__, 1, 1, "/own/", false}, {__LINE__, 1, 0, "/pub/own/", true},
        {__LINE__, 0, 1, "/own/", true},  {__LINE__, 0, 1, "/pub/own/a/", false},
        {__LINE__, 0, 0, "/", true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct glob_choice choice = {of, rows[i].of, but, rows[i].but};
        CHECK_INT(rows[i].line, rows[i].path, glob_path_chosen(&choice, span_of(rows[i].path)),
                  rows[i].want);
    }
}

static void test_type_in(void)
{
    static const struct {
        int line;
        const char *wanted, *type;
        bool want;
    } rows[] = {
        {__LINE__, "text/css", "text/css", true},
        {__LINE__, "text/css", "TEXT/CSS", true},
        {__LINE__, "Text/Css", "text/css; charset=utf-8", true},
        {__LINE__, "text/css", "text/css;charset=utf-8", true},
        {__LINE__, "text/css", "text/css ; charset=utf-8", true},
        {__LINE__, "text/css", "text/cssx", false},
        {__LINE__, "text/css", "text/cs", false},
        {__LINE__, "text/css", "text/html; x=text/css", false},
        {__LINE__, "image/*", "image/png", true},
        {__LINE__, "image/*", "IMAGE/svg+xml; charset=utf-8", true},
        {__LINE__, "image/*", "imagex/png", false},
        {__LINE__, "image/*", "image", false},
        {__LINE__, "image/*", "", false},
        {__LINE__, "*/*", "image/png", true},
        {__LINE__, "/*", "image/png", false},
        {__LINE__, "image/p*", "image/png", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char *types[] = {(char *)(uintptr_t) "x/y", (char *)(uintptr_t)rows[i].wanted};
        CHECK_INT(rows[i].line, rows[i].type, glob_type_in(types, 2, rows[i].type), rows[i].want);
    }
    CHECK_INT(__LINE__, "no type", glob_type_in(NULL, 0, "text/css"), true);
}

int main(void)
{
    test_match();
    test_all_short_ones();
    test_time();
    test_path_in();
    test_chosen();
    test_type_in();
    return check_end("glob");
}

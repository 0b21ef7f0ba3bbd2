/* SPDX-License-Identifier: MIT */
/* Paths as clients write them, and the paths that are looked up. */
#include "http/url_path.c"

#include "check.h"

static void test_resolve(void)
{
    static const struct {
        int line;
        const char *name, *raw;
        int status;
        const char *want;
    } rows[] = {
        {__LINE__, "root", "/", 200, "/"},
        {__LINE__, "empty, as in http://host", "", 200, "/"},
        {__LINE__, "plain", "/a/b.txt", 200, "/a/b.txt"},
        {__LINE__, "folder", "/a/", 200, "/a/"},
        {__LINE__, "decoded", "/a%20b%C3%A4", 200, "/a b\xc3\xa4"},
        {__LINE__, "decoded once", "/a%2541", 200, "/a%41"},
        {__LINE__, "an encoded percent sign", "/100%25", 200, "/100%"},
        {__LINE__, "an encoded backslash is a character", "/a%5Cb", 200, "/a\\b"},
        {__LINE__, "an encoded question mark", "/a%3Fb", 200, "/a?b"},
        {__LINE__, "slashes collapse", "//a///b//", 200, "/a/b/"},
        {__LINE__, "dot", "/./a/./b/.", 200, "/a/b/"},
        {__LINE__, "dots inside", "/a/b/../c", 200, "/a/c"},
        {__LINE__, "dots at the end", "/a/b/..", 200, "/a/"},
        {__LINE__, "dots to the root", "/a/..", 200, "/"},
        {__LINE__, "encoded dots are dots", "/a/%2e%2E/b", 200, "/b"},
        {__LINE__, "half encoded dots", "/a/.%2e/b", 200, "/b"},
        {__LINE__, "three dots are a name", "/a/.../b", 200, "/a/.../b"},
        {__LINE__, "dots with a tail are a name", "/a/..b", 200, "/a/..b"},
        {__LINE__, "climbing", "/..", 400, NULL},
        {__LINE__, "climbing to a file", "/../etc/passwd", 400, NULL},
        {__LINE__, "climbing later", "/a/../../etc/passwd", 400, NULL},
        {__LINE__, "climbing, encoded", "/%2e%2e/etc/passwd", 400, NULL},
        {__LINE__, "climbing over slashes", "//..//x", 400, NULL},
        {__LINE__, "NUL", "/a%00b", 400, NULL},
        {__LINE__, "line feed", "/a%0Ab", 400, NULL},
        {__LINE__, "DEL", "/a%7fb", 400, NULL},
        {__LINE__, "a raw control character", "/a\x05", 400, NULL},
        {__LINE__, "encoded slash", "/a%2Fb", 404, NULL},
        {__LINE__, "encoded climbing with slashes", "/a%2f..%2f..%2fetc", 404, NULL},
        {__LINE__, "raw backslash", "/a\\..\\b", 400, NULL},
        {__LINE__, "cut percent sign", "/a%", 400, NULL},
        {__LINE__, "cut percent code", "/a%4", 400, NULL},
        {__LINE__, "percent code that is none", "/a%zz", 400, NULL},
        {__LINE__, "no slash", "a", 400, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[64];
        struct url_path path;
        struct span raw = {rows[i].raw, strlen(rows[i].raw)};
        int status = (int)url_path_resolve(&path, out, sizeof(out), raw);
        CHECK_INT(rows[i].line, rows[i].name, status, rows[i].status);
        if (status == 200 && rows[i].want) {
            CHECK_STR(rows[i].line, rows[i].name, out, rows[i].want);
            CHECK_INT(rows[i].line, rows[i].name, path.len, strlen(rows[i].want));
            CHECK_INT(rows[i].line, rows[i].name, path.is_folder,
                      rows[i].want[path.len - 1] == '/');
        }
    }
}

static void test_normalise(void)
{
    static const struct {
        int line;
        const char *name, *decoded;
        int status;
        const char *want;
    } rows[] = {
        {__LINE__, "plain", "/a/b.txt", 200, "/a/b.txt"},
        {__LINE__, "a percent sign is one", "/a%2541", 200, "/a%2541"},
        {__LINE__, "a backslash is one", "/a\\b", 200, "/a\\b"},
        {__LINE__, "slashes go", "//a//b///c", 200, "/a/b/c"},
        {__LINE__, "dots that are no segment stay", "/..a/b../...", 200, "/..a/b../..."},
        {__LINE__, "a dot", "/a/./c", 400, NULL},
        {__LINE__, "a dot at the end", "/a/.", 400, NULL},
        {__LINE__, "two dots", "/a/b/../c", 400, NULL},
        {__LINE__, "two dots at the end", "/a/..", 400, NULL},
        {__LINE__, "climbing", "/a/../../b", 400, NULL},
        {__LINE__, "a control character", "/a\nb", 400, NULL},
        {__LINE__, "no slash", "a", 400, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[64];
        struct url_path path;
        struct span decoded = {rows[i].decoded, strlen(rows[i].decoded)};
        int status = (int)url_path_normalise(&path, out, sizeof(out), decoded);
        CHECK_INT(rows[i].line, rows[i].name, status, rows[i].status);
        if (rows[i].want)
            CHECK_STR(rows[i].line, rows[i].name, out, rows[i].want);
    }
}

static void test_hidden(void)
{
    static const struct {
        int line;
        const char *raw;
        bool want;
    } rows[] = {
        {__LINE__, "/", false},
        {__LINE__, "/a.b/c.d", false},
        {__LINE__, "/.git/config", true},
        {__LINE__, "/a/.htaccess", true},
        {__LINE__, "/%2egit", true},
        {__LINE__, "/a/../.env", true},
        {__LINE__, "/.git/../a", false},
        {__LINE__, "/.well-known/acme-challenge/x", false},
        {__LINE__, "/.well-known", false},
        {__LINE__, "/.well-known/.git", true},
        {__LINE__, "/.well-knownx", true},
        {__LINE__, "/a/.well-known/x", true},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[64];
        struct url_path path;
        struct span raw = {rows[i].raw, strlen(rows[i].raw)};
        CHECK_INT(rows[i].line, rows[i].raw, url_path_resolve(&path, out, sizeof(out), raw), 200);
        CHECK_INT(rows[i].line, rows[i].raw, path.is_hidden, rows[i].want);
    }
}

static void test_room(void)
{
    char out[4];
    struct url_path path;

    CHECK_INT(__LINE__, "fits", url_path_resolve(&path, out, 4, (struct span){"/ab", 3}), 200);
    CHECK_INT(__LINE__, "does not", url_path_resolve(&path, out, 4, (struct span){"/abc", 4}), 414);
}

static void test_encode(void)
{
    char out[64];
    static const char path[] = "/a b/\xc3\xa4\"%?#;=&";
    size_t len = url_path_encode(out, sizeof(out), (struct span){path, sizeof(path) - 1});

    out[len] = '\0';
    CHECK_STR(__LINE__, "encoded", out, "/a%20b/%C3%A4%22%25%3F%23;=&");
    CHECK_INT(__LINE__, "no room", url_path_encode(out, 2, (struct span){"/ ", 2}), 0);
}

static void test_encoded_slashes(void)
{
    static const struct {
        int line;
        enum url_slash how;
        const char *raw;
        int status;
        const char *want;
    } rows[] = {
        {__LINE__, URL_SLASH_DECODE, "/@a%2fb", 200, "/@a/b"},
        {__LINE__, URL_SLASH_DECODE, "/@a%2Fb%2F", 200, "/@a/b/"},
        {__LINE__, URL_SLASH_DECODE, "%2Fa", 400, NULL},
        {__LINE__, URL_SLASH_DECODE, "/%2F%2f/a%2F/b", 200, "/a/b"},
        {__LINE__, URL_SLASH_DECODE, "/a%2F..%2Fb", 200, "/b"},
        {__LINE__, URL_SLASH_DECODE, "/a%2f%2e%2e%2fb", 200, "/b"},
        {__LINE__, URL_SLASH_DECODE, "/a%2F..", 200, "/"},
        {__LINE__, URL_SLASH_DECODE, "/a%2F.", 200, "/a/"},
        {__LINE__, URL_SLASH_DECODE, "/..%2Fetc", 400, NULL},
        {__LINE__, URL_SLASH_DECODE, "/%2e%2e%2fetc", 400, NULL},
        {__LINE__, URL_SLASH_DECODE, "/a%2f..%2f..%2fetc", 400, NULL},
        {__LINE__, URL_SLASH_DECODE, "/a%252F..%252Fb", 200, "/a%2F..%2Fb"},
        {__LINE__, URL_SLASH_DECODE, "/a%5c..", 200, "/a\\.."},
        {__LINE__, URL_SLASH_DECODE, "/a%2F%00", 400, NULL},
        {__LINE__, URL_SLASH_KEEP, "/@a%2fb", 200, "/@a%2Fb"},
        {__LINE__, URL_SLASH_KEEP, "/@a%2Fb/c%2F", 200, "/@a%2Fb/c%2F"},
        {__LINE__, URL_SLASH_KEEP, "/..%2f..%2fetc", 200, "/..%2F..%2Fetc"},
        {__LINE__, URL_SLASH_KEEP, "/a%2f../b", 200, "/a%2F../b"},
        {__LINE__, URL_SLASH_KEEP, "/a%2f/../b", 200, "/b"},
        {__LINE__, URL_SLASH_KEEP, "/%2F", 200, "/%2F"},
        {__LINE__, URL_SLASH_REFUSE, "/a%2F..%2Fb", 404, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[64];
        struct url_path path;
        struct span raw = {rows[i].raw, strlen(rows[i].raw)};
        int status = (int)url_path_resolve_as(&path, out, raw.len + 2, raw, rows[i].how);
        CHECK_INT(rows[i].line, rows[i].raw, status, rows[i].status);
        if (rows[i].want && status == 200) {
            CHECK_STR(rows[i].line, rows[i].raw, out, rows[i].want);
            CHECK_INT(rows[i].line, rows[i].raw, path.is_folder, out[path.len - 1] == '/');
        }
    }
    struct url_path path;
    char out[5];
    CHECK_INT(__LINE__, "no room",
              url_path_resolve_as(&path, out, 4, (struct span){"/%2f", 4}, URL_SLASH_KEEP), 414);
    CHECK_INT(__LINE__, "room",
              url_path_resolve_as(&path, out, 5, (struct span){"/%2f", 4}, URL_SLASH_KEEP), 200);
}

int main(void)
{
    test_encoded_slashes();
    test_resolve();
    test_normalise();
    test_hidden();
    test_room();
    test_encode();
    return check_end("url_path");
}

/* SPDX-License-Identifier: MIT */
/* A manifest: what could leave the tree, or could not be in one, is not taken, and the pieces that it comes
 * in make no difference. */
#include "release/release_line.c"
#include "release/release_manifest.c"

#include "check.h"

#define SHA "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
#define FILE_OF(path)                                                                              \
    "{\"mode\":\"644\",\"path\":\"" path "\",\"sha256\":\"" SHA "\",\"size\":4,\"type\":\"file\"}"
#define LINK_OF(path, target) "{\"path\":\"" path "\",\"target\":\"" target "\",\"type\":\"link\"}"
#define TEN "aaaaaaaaaa"
#define FIFTY TEN TEN TEN TEN TEN
#define NAME_255 FIFTY FIFTY FIFTY FIFTY FIFTY "aaaaa"
#define DEEP_10 "a/a/a/a/a/a/a/a/a/a/"

static void lines_are_taken_in_one_form(void)
{
    static const struct {
        int line;
        const char *text, *fault; /* NULL: it is good */
    } rows[] = {
        {__LINE__, FILE_OF("css/site.css"), NULL},
        {__LINE__, FILE_OF(".well-known/a b"), NULL},
        {__LINE__, FILE_OF("\xc3\xa4/\xf0\x9f\x90\x84"), NULL},
        {__LINE__, FILE_OF("a\\\"b\\\\c\\n\\u0001"), NULL},
        {__LINE__, FILE_OF("..a/b.."), NULL},
        {__LINE__, FILE_OF(NAME_255), NULL},
        {__LINE__,
         FILE_OF(DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10
                 "a/a/a/a/a/a/a/a/a/a"),
         NULL},
        {__LINE__, FILE_OF(""), "empty"},
        {__LINE__, FILE_OF("/etc/passwd"), "absolute"},
        {__LINE__, FILE_OF("a//b"), "empty part"},
        {__LINE__, FILE_OF("a/"), "empty part"},
        {__LINE__, FILE_OF(".."), "\"..\""},
        {__LINE__, FILE_OF("a/../b"), "\"..\""},
        {__LINE__, FILE_OF("./a"), "\".\""},
        {__LINE__, FILE_OF("a" NAME_255), "255"},
        {__LINE__,
         FILE_OF(DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10 DEEP_10
                 "a"),
         "100 folders"},
        {__LINE__, FILE_OF("a\\u0000b"), "NUL"},
        {__LINE__, FILE_OF("\xff"), "UTF-8"},
        {__LINE__, FILE_OF("\xed\xa0\x80"), "UTF-8"},
        {__LINE__, FILE_OF("\xc0\xaf"), "UTF-8"},
        {__LINE__, FILE_OF("a\\/b"), "canonical"},
        {__LINE__, FILE_OF("\\u0061"), "canonical"},
        {__LINE__, FILE_OF("\\u000a"), "canonical"},
        {__LINE__, FILE_OF("\\u001F"), "canonical"},
        {__LINE__, FILE_OF("\\u001f"), NULL},
        {__LINE__, FILE_OF("a\tb"), "canonical"},
        {__LINE__, FILE_OF("a\\"), "canonical"},
        {__LINE__, " " FILE_OF("a"), "canonical"},
        {__LINE__, FILE_OF("a") "\r", "canonical"},
        {__LINE__, FILE_OF("a") FILE_OF("b"), "canonical"},
        {__LINE__, "", "canonical"},
        {__LINE__, "{\"path\":\"a\"", "canonical"},
        {__LINE__,
         "{\"mode\":\"4755\",\"path\":\"a\",\"sha256\":\"" SHA "\",\"size\":4,\"type\":\"file\"}",
         "canonical"},
        {__LINE__,
         "{\"mode\":\"644\",\"path\":\"a\",\"sha256\":\"" SHA "\",\"size\":04,\"type\":\"file\"}",
         "canonical"},
        {__LINE__,
         "{\"mode\":\"644\",\"path\":\"a\",\"sha256\":\"" SHA "\",\"size\":,\"type\":\"file\"}",
         "canonical"},
        {__LINE__,
         "{\"mode\":\"644\",\"path\":\"a\",\"sha256\":\"" SHA
         "\",\"size\":99999999999999999999,\"type\":\"file\"}",
         "canonical"},
        {__LINE__,
         "{\"mode\":\"644\",\"path\":\"a\",\"sha256\":\"../../" SHA
         "\",\"size\":4,\"type\":\"file\"}",
         "canonical"},
        {__LINE__, LINK_OF("a", "b"), NULL},
        {__LINE__, LINK_OF("a/b/c", "../../d/e"), NULL},
        {__LINE__, LINK_OF("a/b", ".."), NULL},
        {__LINE__, LINK_OF("a", ".."), "out of the tree"},
        {__LINE__, LINK_OF("a/b", "../../c"), "out of the tree"},
        {__LINE__, LINK_OF("a/b/c", "d/../../../../etc"), "behind a name"},
        {__LINE__, LINK_OF("a", "/etc/passwd"), "absolute"},
        {__LINE__, LINK_OF("a", ""), "nothing"},
        {__LINE__, LINK_OF("a", "b/"), "empty part"},
        {__LINE__, LINK_OF("a", "./b"), "\".\""},
        {__LINE__, LINK_OF("../a", "b"), "\"..\""},
        {__LINE__, LINK_OF("a", "b\\u0000"), "NUL"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        static struct release_line out;
        const char *fault = release_line_read(&out, rows[i].text, strlen(rows[i].text));

        if (rows[i].fault)
            CHECK_TRUE(fault && strstr(fault, rows[i].fault), "row %d: %s", rows[i].line,
                       fault ? fault : "taken");
        else
            CHECK_TRUE(!fault, "row %d: %s", rows[i].line, fault);
    }
}

static void a_line_is_read_whole(void)
{
    static struct release_line out;
    const char *text = FILE_OF("a\\\"\\\\\\b\\f\\n\\r\\t\\u001f/b");

    CHECK_TRUE(!release_line_read(&out, text, strlen(text)), "it is good");
    CHECK_STR(__LINE__, "path", out.path, "a\"\\\b\f\n\r\t\x1f/b");
    CHECK_STR(__LINE__, "digest", out.sha256, SHA);
    CHECK_INT(__LINE__, "size", out.size, 4);
    CHECK_TRUE(!out.is_link, "a file");
    text = LINK_OF("a/b", "../c");
    CHECK_TRUE(!release_line_read(&out, text, strlen(text)) && out.is_link, "a link");
    CHECK_STR(__LINE__, "target", out.target, "../c");
}

/* Reads it in pieces of that length. Returns how many lines it has, or -1. */
static int read_all(const char *text, size_t piece, char why[RELEASE_WHY_LEN])
{
    static struct release_line line;
    struct release_manifest manifest;
    enum release_read read = RELEASE_MORE;
    int count = 0;

    release_manifest_init(&manifest);
    for (size_t at = 0, len = strlen(text); at < len && read != RELEASE_BAD; at += piece) {
        struct span rest = {text + at, smaller_of(piece, len - at)};

        while ((read = release_manifest_next(&manifest, &rest, &line)) == RELEASE_LINE)
            count++;
    }
    if (read != RELEASE_BAD)
        read = release_manifest_end(&manifest);
    snprintf(why, RELEASE_WHY_LEN, "%s", manifest.why);
    release_manifest_fini(&manifest);
    return read == RELEASE_BAD ? -1 : count;
}

static void lines_are_in_the_order_of_a_walk(void)
{
    static const struct {
        int line;
        const char *text, *fault;
        int count;
    } rows[] = {
        {__LINE__, "", NULL, 0},
        {__LINE__, FILE_OF("a") "\n", NULL, 1},
        {__LINE__, FILE_OF("a/b") "\n" FILE_OF("a-b") "\n" FILE_OF("a0") "\n", NULL, 3},
        {__LINE__, FILE_OF("a") "\n" FILE_OF("\xc3\xa4") "\n", NULL, 2},
        {__LINE__, FILE_OF("a") "\n" FILE_OF("b"), "line 2 of the manifest does not end", -1},
        {__LINE__, FILE_OF("a") "\n\n", "line 2 of the manifest is not in canonical", -1},
        {__LINE__, FILE_OF("a") "\n" FILE_OF("a") "\n", "(\"a\") is there twice", -1},
        {__LINE__, FILE_OF("b") "\n" FILE_OF("a") "\n", "comes after", -1},
        {__LINE__, FILE_OF("a-b") "\n" FILE_OF("a/b") "\n", "comes after", -1},
        {__LINE__, FILE_OF("a") "\n" FILE_OF("a/b") "\n", "of the name of the file or link", -1},
        {__LINE__, LINK_OF("a", "b") "\n" FILE_OF("a/b") "\n", "of the name of the file or link",
         -1},
        {__LINE__, FILE_OF("a\\nb") "\n" FILE_OF("a\\nb") "\n", "(\"a?b\") is there twice", -1},
    };
    char why[RELEASE_WHY_LEN];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (size_t piece = 1; piece < 200; piece += 33) {
            CHECK_INT(rows[i].line, rows[i].text, read_all(rows[i].text, piece, why),
                      rows[i].count);
            if (rows[i].fault)
                CHECK_TRUE(strstr(why, rows[i].fault), "row %d: %s", rows[i].line, why);
        }
}

static void a_line_without_end_is_not_kept(void)
{
    char *text = malloc(RELEASE_LINE_BYTES + 100), why[RELEASE_WHY_LEN];

    memset(text, 'a', RELEASE_LINE_BYTES + 99);
    text[RELEASE_LINE_BYTES + 99] = '\0';
    CHECK_INT(__LINE__, "at once", read_all(text, RELEASE_LINE_BYTES + 99, why), -1);
    CHECK_TRUE(strstr(why, "64 KiB"), "%s", why);
    CHECK_INT(__LINE__, "in pieces", read_all(text, 1000, why), -1);
    CHECK_TRUE(strstr(why, "64 KiB"), "%s", why);
    free(text);
}

int main(void)
{
    lines_are_taken_in_one_form();
    a_line_is_read_whole();
    lines_are_in_the_order_of_a_walk();
    a_line_without_end_is_not_kept();
    return check_end("release_manifest");
}

/* SPDX-License-Identifier: MIT */
#include "text/json_text.c"

#include "check.h"

/* Checks code and place of the last error, which ended the parse. */
static void check_failure(int line, const char *text, size_t len, const char *want)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text, len, &errors);
    char got[512] = "no error";

    if (errors.count > 0) {
        const struct config_error *last = &errors.items[errors.count - 1];
        snprintf(got, sizeof(got), "%u:%u-%u:%u %s: %s (%s)", last->line, last->column,
                 last->end_line, last->end_column, last->pointer, last->message, last->hint);
    }
    CHECK_TRUE(root == NULL, "row %d: %.40s", line, text);
    CHECK_STR(line, text, got, want);
    json_free(root);
    config_errors_fini(&errors);
}

static void test_sentences(void)
{
    static const struct {
        int line;
        const char *text, *want;
    } rows[] = {
        {__LINE__, " ",
         "1:2-1:2 : the text is empty (a configuration is an object: { \"sites\": [ … ] })"},
        {__LINE__, "{\"port\": 80 x}",
         "1:13-1:14 : expected \",\" or \"}\" after the value of \"port\", found \"x\" ()"},
        {__LINE__, "[1 2]",
         "1:4-1:5 : expected \",\" or \"]\" after item 1 of the list, found \"2\" ()"},
        {__LINE__, "\n[1",
         "2:3-2:3 : expected \",\" or \"]\" after item 1 of the list, found the end of the text "
         "(the list that begins on line 2 is never closed)"},
        {__LINE__, "{", "1:2-1:2 : expected a key, found the end of the text ()"},
        {__LINE__, "{\"a\":1,}",
         "1:7-1:8 : a comma with nothing behind it before \"}\" (remove the comma)"},
        {__LINE__, "{\"a\" 1}", "1:6-1:7 /a: expected \":\" behind the key, found \"1\" ()"},
        {__LINE__, "{\"a\":True}",
         "1:6-1:10 /a: expected a value, found \"True\" (write it in lower case)"},
        {__LINE__, "[yes]",
         "1:2-1:5 /0: expected a value, found \"yes\" (a text stands in double quotes)"},
        {__LINE__, "[.5]",
         "1:2-1:4 /0: expected a value, found \".5\" (a number has no leading zero or \"+\", and a "
         "digit on each side of its point)"},
        {__LINE__, "['a']", "1:2-1:3 /0: expected a value, found \"'\" (use double quotes)"},
        {__LINE__, "[\"a\\qb\"]",
         "1:4-1:6 /0: JSON has no such escape (write a backslash itself as \\\\)"},
        {__LINE__, "1 /", "1:3-1:4 : a single \"/\" (a comment begins with // or /*)"},
        {__LINE__, "[\x1b[2J]", "1:2-1:3 /0: expected a value, found \"\\u001b\" ()"},
        {__LINE__, "[\xc2\x9b]", "1:2-1:3 /0: expected a value, found \"\\u009b\" ()"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        check_failure(rows[i].line, rows[i].text, strlen(rows[i].text), rows[i].want);
}

static void test_numbers(void)
{
    static const struct {
        int line;
        const char *text;
        bool is_taken, is_integer;
        int64_t integer;
    } rows[] = {
        {__LINE__, "0", true, true, 0},
        {__LINE__, "-0", true, true, 0},
        {__LINE__, "9007199254740991", true, true, JSON_MAX_INTEGER},
        {__LINE__, "-9007199254740991", true, true, -JSON_MAX_INTEGER},
        {__LINE__, "9007199254740992", true, false, 0},
        {__LINE__, "99999999999999999999999", true, false, 0},
        {__LINE__, "1.0", true, false, 0},
        {__LINE__, "1e3", true, false, 0},
        {__LINE__, "-1.5E-10", true, false, 0},
        {__LINE__, "1.e3", false, false, 0},
        {__LINE__, "1e", false, false, 0},
        {__LINE__, "1e+", false, false, 0},
        {__LINE__, "00", false, false, 0},
        {__LINE__, "-01", false, false, 0},
        {__LINE__, "-", false, false, 0},
        {__LINE__, "1-2", false, false, 0},
        {__LINE__, "0x1F", false, false, 0},
        {__LINE__, "1_000", false, false, 0},
        {__LINE__, "NaN", false, false, 0},
        {__LINE__, "-Infinity", false, false, 0},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct config_errors errors = {0};
        struct json_value *root = json_text_parse(rows[i].text, strlen(rows[i].text), &errors);

        CHECK_INT(rows[i].line, rows[i].text, root != NULL, rows[i].is_taken);
        if (root != NULL) {
            CHECK_INT(rows[i].line, rows[i].text, root->is_integer, rows[i].is_integer);
            if (rows[i].is_integer)
                CHECK_INT(rows[i].line, rows[i].text, root->integer, rows[i].integer);
        }
        json_free(root);
        config_errors_fini(&errors);
    }
}

static void test_places(void)
{
    static const char text[] = "// \xf0\x9f\x8c\xbb\r\n{ /* \xf0\x9f\x8c\xbb */ \"a/~\": [1,\r"
                               "  { \"b\": \"\\u00e9x\" }] }";
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text, strlen(text), &errors);
    const struct json_value *b = json_nearest(root, "/a~1~0/1/b");
    struct buf pointer;

    buf_init(&pointer);
    json_append_pointer(&pointer, b);
    CHECK_STR(__LINE__, "pointer", pointer.data, "/a~1~0/1/b");
    CHECK_STR(__LINE__, "text", b->bytes, "\xc3\xa9x");
    CHECK_INT(__LINE__, "line", b->span.start.line, 3);
    CHECK_INT(__LINE__, "column", b->span.start.column, 10);
    CHECK_INT(__LINE__, "end column", b->span.end.column, 19);
    CHECK_INT(__LINE__, "key's line", b->parent->parent->key->span.start.line, 2);
    CHECK_INT(__LINE__, "key's column", b->parent->parent->key->span.start.column, 12);
    CHECK_TRUE(json_nearest(root, "/a~1~0/7/b") == b->parent->parent, "nearest is the list");
    CHECK_TRUE(json_nearest(root, "/nope") == root, "nearest is the root");
    CHECK_TRUE(json_nearest(root, "/a~1~0/x") == b->parent->parent, "no index");
    buf_fini(&pointer);
    json_free(root);
    config_errors_fini(&errors);
}

static void repeat(struct buf *out, const char *text, size_t count)
{
    while (count-- > 0)
        buf_append_str(out, text);
}

static void check_bound(int line, const char *name, const struct buf *text, const char *code)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text->data, text->len, &errors);

    CHECK_STR(line, name, errors.count > 0 ? errors.items[0].code : "", code);
    CHECK_INT(line, name, root != NULL, *code == '\0');
    json_free(root);
    config_errors_fini(&errors);
}

static void test_bounds(void)
{
    struct buf text;

    buf_init(&text);
    repeat(&text, "[", JSON_MAX_DEPTH);
    repeat(&text, "]", JSON_MAX_DEPTH);
    check_bound(__LINE__, "deepest", &text, "");
    buf_clear(&text);
    repeat(&text, "[", 100000);
    check_bound(__LINE__, "too deep", &text, "too_large");
    buf_clear(&text);
    buf_append_str(&text, "[1");
    repeat(&text, ",1", JSON_MAX_VALUES - 2);
    buf_append_str(&text, "]");
    check_bound(__LINE__, "most values", &text, "");
    buf_truncate(&text, text.len - 1);
    buf_append_str(&text, ",1]");
    check_bound(__LINE__, "one value more", &text, "too_large");
    buf_clear(&text);
    buf_append_str(&text, "1");
    repeat(&text, " ", JSON_MAX_BYTES - 1);
    check_bound(__LINE__, "longest", &text, "");
    buf_append_str(&text, " ");
    check_bound(__LINE__, "one byte more", &text, "too_large");
    buf_fini(&text);
}

/* The same key twenty thousand times: more errors than are kept, within a moment. */
static void test_repeated_keys_are_bounded(void)
{
    struct config_errors errors = {0};
    struct json_value *root;
    struct buf text;

    buf_init(&text);
    buf_append_str(&text, "{\"k\":1");
    repeat(&text, ",\"k\":1", 20000);
    buf_append_str(&text, "}");
    root = json_text_parse(text.data, text.len, &errors);
    CHECK_TRUE(root != NULL, "it is no syntax error");
    CHECK_INT(__LINE__, "kept", errors.count, CONFIG_ERRORS_MAX);
    CHECK_INT(__LINE__, "counted", errors.dropped, 20000 - CONFIG_ERRORS_MAX);
    json_free(root);
    config_errors_fini(&errors);
    buf_fini(&text);
}

/* An object that is cut anywhere is an error, and never a crash or a value. */
static void test_truncated_at_every_byte(void)
{
    static const char text[] = "{\"a\\u00e9\\ud83c\\udf3b\": [1, -2.5e3, true, false, null, \"\xc3"
                               "\xa9\\n\"], /* c */ \"b\": {}} ";

    for (size_t len = 0; len + 2 < sizeof(text); len++) {
        struct config_errors errors = {0};
        char *cut = xmemdup(text, len);
        struct json_value *root = json_text_parse(cut, len, &errors);

        CHECK_TRUE(root == NULL && errors.count == 1, "cut to %zu bytes", len);
        json_free(root);
        free(cut);
        config_errors_fini(&errors);
    }
}

static void test_quoted_for_messages(void)
{
    static const struct {
        int line;
        const char *text, *want;
    } rows[] = {
        {__LINE__, "plain", "\"plain\""},
        {__LINE__, "a\"b\\c", "\"a\\\"b\\\\c\""},
        {__LINE__, "\x1b[31m\x7f", "\"\\u001b[31m\\u007f\""},
        {__LINE__, "\xc3\xa9\xf0\x9f\x8c\xbb", "\"\xc3\xa9\xf0\x9f\x8c\xbb\""},
        {__LINE__, "0123456789012345678901234567890123456789012345678901234567890",
         "\"012345678901234567890123456789012345678901234567890123456789…\""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct buf out;

        buf_init(&out);
        json_append_quoted(&out, rows[i].text, strlen(rows[i].text));
        CHECK_STR(rows[i].line, rows[i].text, out.data, rows[i].want);
        buf_fini(&out);
    }
}

int main(void)
{
    test_sentences();
    test_numbers();
    test_places();
    test_bounds();
    test_repeated_keys_are_bounded();
    test_truncated_at_every_byte();
    test_quoted_for_messages();
    return check_end("json_text");
}

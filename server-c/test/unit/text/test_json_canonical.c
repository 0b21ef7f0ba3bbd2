/* SPDX-License-Identifier: MIT */
#include "text/json_canonical.c"

#include "base/digest.h"
#include "check.h"

#include <jansson.h>

static void check_case(const char *name, const char *text, const char *canonical,
                       const char *digest)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text, strlen(text), &errors);
    char got[DIGEST_LEN + 1];
    struct buf out;

    CHECK_TRUE(root != NULL, "%s: %s", name, errors.count ? errors.items[0].message : "");
    buf_init(&out);
    if (root != NULL) {
        CHECK_TRUE(json_canonical(&out, root) == NULL, "%s", name);
        CHECK_STR(__LINE__, name, out.data, canonical);
        digest_sha256(got, out.data, out.len);
        CHECK_STR(__LINE__, name, got, digest);
    }
    buf_fini(&out);
    json_free(root);
    config_errors_fini(&errors);
}

static void test_as_the_control_plane(void)
{
    json_error_t error;
    json_t *cases = json_load_file(SOURCE_DIR "/config-corpus/digests.json", 0, &error), *row;
    size_t i;

    CHECK_TRUE(json_array_size(cases) > 0, "digests.json: %s", error.text);
    json_array_foreach(cases, i, row)
    {
        const char *name, *text, *canonical, *digest;

        if (json_unpack_ex(row, &error, JSON_STRICT, "{ss ss ss ss}", "name", &name, "text", &text,
                           "canonical", &canonical, "digest", &digest) == 0)
            check_case(name, text, canonical, digest);
        else
            CHECK_TRUE(0, "row %zu: %s", i, error.text);
    }
    json_decref(cases);
}

static void test_numbers_without_a_form(void)
{
    static const struct {
        int line;
        const char *text;
        unsigned column;
    } rows[] = {
        {__LINE__, "[1, 1.5, 2.5]", 5},        {__LINE__, "{\"b\": 1e2, \"a\": 1}", 7},
        {__LINE__, "[[9007199254740992]]", 3}, {__LINE__, "-9007199254740992", 1},
        {__LINE__, "99999999999999999999", 1}, {__LINE__, "1.0", 1},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct config_errors errors = {0};
        struct json_value *root = json_text_parse(rows[i].text, strlen(rows[i].text), &errors);
        const struct json_value *refused;
        struct buf out;

        buf_init(&out);
        refused = json_canonical(&out, root);
        CHECK_INT(rows[i].line, rows[i].text, refused ? refused->span.start.column : 0,
                  rows[i].column);
        buf_fini(&out);
        json_free(root);
        config_errors_fini(&errors);
    }
}

int main(void)
{
    test_as_the_control_plane();
    test_numbers_without_a_form();
    return check_end("json_canonical");
}

/* SPDX-License-Identifier: MIT */
/* Any bytes at all: a config or an error, never both, never neither; every error at a place inside
 * the text; and what is taken means the same when written in its canonical form. */
#include "config/config.h"
#include "base/utf8.h"
#include "base/util.h"
#include "text/json_canonical.h"
#include "text/json_text.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_utf8(const char *text)
{
    size_t len = strlen(text), step;

    for (size_t i = 0; i < len; i += step) {
        step = utf8_sequence_len(text + i, len - i);
        CHECK(step > 0);
    }
}

static void check_errors(const struct config_errors *errors, const char *text, size_t len)
{
    struct text_pos end = TEXT_POS_START;

    while (text_pos_step(&end, text, len))
        ;
    for (size_t i = 0; i < errors->count; i++) {
        const struct config_error *error = &errors->items[i];

        CHECK(error->line >= 1 && error->column >= 1);
        CHECK(error->end_line <= end.line + 1);
        CHECK(error->line < error->end_line ||
              (error->line == error->end_line && error->column <= error->end_column));
        CHECK(strlen(error->pointer) <= CONFIG_POINTER_MAX);
        CHECK(strlen(error->message) < 1024 && strlen(error->hint) < 1024);
        check_utf8(error->pointer);
        check_utf8(error->message);
        if (i > 0)
            CHECK(error[-1].line < error->line ||
                  (error[-1].line == error->line && error[-1].column <= error->column));
    }
}

/* The canonical form of any tree without repeated keys is its own canonical form. */
static void check_canonical(const char *text, size_t len)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(text, len, &errors), *again;
    struct buf first, second;

    buf_init(&first);
    buf_init(&second);
    if (root != NULL && errors.count == 0 && json_canonical(&first, root) == NULL &&
        first.len <= JSON_MAX_BYTES) {
        again = json_text_parse(first.data, first.len, &errors);
        CHECK(again != NULL && errors.count == 0);
        CHECK(json_canonical(&second, again) == NULL);
        CHECK(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
        json_free(again);
    }
    buf_fini(&second);
    buf_fini(&first);
    json_free(root);
    config_errors_fini(&errors);
}

static void check_digest(const struct config *cfg)
{
    struct config_errors errors = {0};
    struct json_value *root = json_text_parse(cfg->text, cfg->text_len, &errors);
    struct config *again;
    struct buf canonical;

    buf_init(&canonical);
    CHECK(root != NULL && json_canonical(&canonical, root) == NULL);
    again = config_parse(canonical.data, canonical.len, &errors);
    CHECK(again != NULL && strcmp(again->digest, cfg->digest) == 0);
    config_put(again);
    buf_fini(&canonical);
    json_free(root);
    config_errors_fini(&errors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct config_errors errors = {0};
    const char *text = (const char *)data;
    struct config *cfg = config_parse(text, len, &errors);

    CHECK((cfg == NULL) == (errors.count > 0));
    check_errors(&errors, text, len);
    check_canonical(text, len);
    if (cfg != NULL)
        check_digest(cfg);
    config_put(cfg);
    config_errors_fini(&errors);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* config_reference.c — writes the option table as the page docs/configuration.md. */
#include "config/config_schema.h"

#include "base/buf.h"
#include "config/config_table.h"
#include "text/config_errors.h"
#include "text/json_text.h"

#include <inttypes.h>
#include <string.h>

#define PAGE_COLUMNS 120

static const char opening[] =
    "<!-- Printed by `farmstead-node schema --markdown`; change "
    "server-c/src/config/config_table*.c "
    "instead. "
    "-->\n"
    "# Configuration of a node\n"
    "\n"
    "A node reads one text: JSON with `//` and `/* */` comments, in UTF-8. Keys that no option has "
    "and\n"
    "keys that stand twice are errors. An option that is left out has its default. Only `sites` "
    "must be\n"
    "given:\n"
    "\n"
    "```jsonc\n"
    "{\n"
    "  \"listen\": [{ \"address\": \"0.0.0.0\", \"port\": 8080 }],\n"
    "  \"sites\": [\n"
    "    {\n"
    "      \"hosts\": [\"*\"], // answers for every name\n"
    "      \"root\": \"/srv/www\",\n"
    "      \"headers\": [{ \"name\": \"Cache-Control\", \"value\": \"max-age=60\" }]\n"
    "    }\n"
    "  ]\n"
    "}\n"
    "```\n"
    "\n"
    "`farmstead-node check FILE` says whether a text is right and whether it would work on this\n"
    "machine; `--text-only` leaves the machine out, `--json` prints the answer for programs.\n"
    "`farmstead-node schema` prints the JSON Schema of all this.\n"
    "\n"
    "A pushed config is taken over live: requests under way end under the old one. Options that "
    "wait\n"
    "for the node's next start say so.\n"
    "\n"
    "## Options\n";

/* Breaks `text` at blanks, so that lines stay within the page. */
static void append_wrapped(struct buf *out, const char *text)
{
    size_t column = 0;

    while (*text != '\0') {
        size_t len = strcspn(text, " ");

        if (column > 0 && column + 1 + len > PAGE_COLUMNS) {
            buf_append_char(out, '\n');
            column = 0;
        } else if (column > 0) {
            buf_append_char(out, ' ');
            column++;
        }
        buf_append(out, text, len);
        column += len;
        text += len + (text[len] == ' ');
    }
    buf_append_char(out, '\n');
}

static void append_words(struct buf *out, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        buf_printf(out, "%s`\"%s\"`", i > 0 ? ", " : "", words[i]);
}

/* Writes the type in words, such as "whole number, 1 to 600 seconds". */
static void append_type(struct buf *out, const struct option *option)
{
    switch (option->type) {
    case OPTION_BOOLEAN:
        buf_append_str(out, "`true` or `false`");
        break;
    case OPTION_INTEGER:
        buf_printf(out, "whole number from %" PRId64 " to %" PRId64, option->min, option->max);
        if (option->unit != NULL)
            buf_printf(out, " (%s)", option->unit);
        if (option->takes_auto)
            buf_append_str(out, " or `\"auto\"`");
        break;
    case OPTION_ENUM:
        buf_append_str(out, "one of ");
        append_words(out, option->words);
        break;
    case OPTION_STRING:
        buf_printf(out, "text: %s; at most %" PRId64 " characters", option->form, option->max);
        break;
    case OPTION_STRINGS:
        buf_printf(out, "list of %zu to %zu texts, each %s", option->min_items, option->max_items,
                   option->form);
        break;
    case OPTION_MAP:
        buf_printf(out, "object of at most %zu members; key: %s; value: %s", option->max_items,
                   option->key_form, option->form);
        break;
    case OPTION_OBJECT:
        buf_append_str(out, "object");
        break;
    case OPTION_OBJECTS:
        buf_printf(out, "list of %zu to %zu objects", option->min_items, option->max_items);
        break;
    }
}

static void append_option(struct buf *out, const struct option *option, const char *path)
{
    struct buf facts, help;

    buf_init(&facts);
    buf_init(&help);
    buf_printf(out, "\n### `%s`\n\n", path);
    append_type(&facts, option);
    if (option->default_json == NULL)
        buf_append_str(&facts, "; must be given");
    else if (option->type != OPTION_OBJECT)
        buf_printf(&facts, "; default `%s`", option->default_json);
    if (option->takes_effect_at_start)
        buf_append_str(&facts, "; **takes effect at the next start**");
    buf_append_char(&facts, '.');
    facts.data[0] = (char)(facts.data[0] >= 'a' && facts.data[0] <= 'z' ? facts.data[0] - 'a' + 'A'
                                                                        : facts.data[0]);
    append_wrapped(out, facts.data);
    buf_append_char(out, '\n');
    buf_append_str(&help, option->help);
    if (option->lighttpd != NULL)
        buf_printf(&help, " lighttpd: `%s`.", option->lighttpd);
    append_wrapped(out, help.data);
    buf_fini(&help);
    buf_fini(&facts);
}

static void append_options(struct buf *out, const struct option *options, const char *prefix)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        struct buf path;

        buf_init(&path);
        buf_printf(&path, "%s%s%s", prefix, option->name,
                   option->type == OPTION_OBJECTS ? "[]" : "");
        append_option(out, option, path.data);
        if (option->members != NULL) {
            buf_append_char(&path, '.');
            append_options(out, option->members, path.data);
        }
        buf_fini(&path);
    }
}

char *config_schema_markdown(void)
{
    struct buf out;

    buf_init(&out);
    buf_append_str(&out, opening);
    append_options(&out, config_table, "");
    buf_printf(
        &out,
        "\n## Errors\n\n"
        "Each error has a JSON Pointer, line and column (columns in UTF-16 units, as editors "
        "count), a sentence,\na hint where there is one, and one of these codes. At most %d "
        "are listed. A text has at most %d bytes, %d\nvalues and %d levels.\n\n"
        "| code | meaning |\n| --- | --- |\n",
        CONFIG_ERRORS_MAX, JSON_MAX_BYTES, JSON_MAX_VALUES, JSON_MAX_DEPTH);
    for (enum config_code code = 0; code < CONFIG_CODE_COUNT; code++)
        buf_printf(&out, "| `%s` | %s |\n", config_code_name(code), config_code_help(code));
    return buf_take(&out);
}

/* SPDX-License-Identifier: MIT */
#include "config/config_table.c"

#include "check.h"
#include "config/config_value.h"

#include <ctype.h>
#include <jansson.h>
#include <regex.h>

static bool is_camel_case(const char *name)
{
    for (const char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            return false;
    return islower((unsigned char)*name);
}

/* An option named like "maxFileBytes" must have the unit bytes, and the other way round. */
static void check_unit(const struct option *row)
{
    static const struct {
        const char *ending, *unit;
    } endings[] = {{"Bytes", "bytes"},
                   {"Seconds", "seconds"},
                   {"Millis", "milliseconds"},
                   {"BytesPerSecond", "bytes per second"},
                   {"bytesPerSecond", "bytes per second"}};
    size_t len = strlen(row->name);
    const char *unit = NULL;

    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        size_t ending_len = strlen(endings[i].ending);
        if (len >= ending_len && strcmp(row->name + len - ending_len, endings[i].ending) == 0)
            unit = endings[i].unit;
    }
    CHECK_STR(__LINE__, row->name, row->unit ? row->unit : "", unit ? unit : "");
}

static void check_pattern(const struct option *row, const char *pattern, const char *form)
{
    regex_t regex;
    int err = pattern != NULL ? regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) : -1;

    CHECK_INT(__LINE__, row->name, err, 0);
    CHECK_TRUE(form != NULL, "%s: the pattern in words", row->name);
    if (err != 0)
        return;
    CHECK_TRUE(pattern[0] == '^' && pattern[strlen(pattern) - 1] == '$', "%s: anchors", row->name);
    /* JSON Schema engines refuse needless escapes. */
    for (const char *at = strchr(pattern, '\\'); at != NULL; at = strchr(at + 2, '\\'))
        CHECK_TRUE(strchr(".*[]", at[1]) != NULL, "%s: \\%c", row->name, at[1]);
    regfree(&regex);
}

static void check_row(const struct option *row)
{
    bool has_text =
        row->type == OPTION_STRING || row->type == OPTION_STRINGS || row->type == OPTION_MAP;
    bool is_list =
        row->type == OPTION_STRINGS || row->type == OPTION_MAP || row->type == OPTION_OBJECTS;
    json_t *value = row->default_json != NULL ? json_loads(row->default_json, JSON_DECODE_ANY, NULL)
                                              : json_null();

    CHECK_TRUE(is_camel_case(row->name), "%s", row->name);
    CHECK_TRUE(row->title != NULL && isupper((unsigned char)*row->title), "%s", row->name);
    CHECK_TRUE(row->help != NULL && row->help[strlen(row->help) - 1] == '.', "%s", row->name);
    CHECK_TRUE(value != NULL, "%s: the default is JSON", row->name);
    check_unit(row);
    if (has_text)
        check_pattern(row, row->pattern, row->form);
    if (row->type == OPTION_MAP)
        check_pattern(row, row->key_pattern, row->key_form);
    if (has_text || row->type == OPTION_INTEGER)
        CHECK_TRUE(row->min < row->max, "%s: range", row->name);
    if (is_list)
        CHECK_TRUE(row->min_items < row->max_items, "%s: items", row->name);
    if (row->takes_auto)
        CHECK_TRUE(row->min > row->auto_value || row->max < row->auto_value,
                   "%s: \"auto\" is no number of its own", row->name);
    if (row->type == OPTION_INTEGER)
        CHECK_TRUE(row->size >= 8 || row->max < INT64_C(1) << (8 * row->size), "%s: its field",
                   row->name);
    if (row->type == OPTION_ENUM)
        CHECK_TRUE(row->size == sizeof(int) && row->words != NULL, "%s", row->name);
    CHECK_INT(__LINE__, row->name, row->members != NULL,
              row->type == OPTION_OBJECT || row->type == OPTION_OBJECTS);
    json_decref(value);
}

static int check_rows(const struct option *rows)
{
    int count = 0;

    for (const struct option *row = rows; row->name != NULL; row++, count++) {
        check_row(row);
        for (const struct option *other = rows; other != row; other++)
            CHECK_TRUE(strcmp(other->name, row->name) != 0, "%s stands twice", row->name);
        if (row->members != NULL)
            check_rows(row->members);
    }
    /* A 64-bit mask records which members were seen. */
    CHECK_TRUE(count > 0 && count < 64, "%d rows in one object", count);
    return count;
}

/* Reading a config compiles each of them at most once. */
static size_t count_patterns(const struct option *rows)
{
    size_t count = 0;

    for (; rows->name != NULL; rows++) {
        count += (rows->pattern != NULL) + (rows->key_pattern != NULL);
        if (rows->members != NULL)
            count += count_patterns(rows->members);
    }
    return count;
}

int main(void)
{
    check_rows(config_table);
    CHECK_TRUE(count_patterns(config_table) <= CONFIG_MAX_PATTERNS, "raise CONFIG_MAX_PATTERNS");
    return check_end("config_table");
}

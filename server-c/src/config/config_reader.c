/* SPDX-License-Identifier: MIT */
/* config_reader.c — goes on after an error, so that the author sees all errors at once. Defaults
 * are JSON, and are read by the same code as the author's values. */
#include "config/config_reader.h"

#include "base/mem.h"
#include "config/config_hint.h"
#include "config/config_table.h"
#include "config/config_value.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void read_value(struct config_reader *r, const struct option *option,
                       const struct json_value *value, void *base);
static void free_members(const struct option *options, void *base);

static void *field_at(void *base, size_t offset)
{
    return (char *)base + offset;
}

/* Copies the array's pointer bytewise, as the table does not know the type of its items. */
static void *store_array(void *base, const struct option *option, size_t count, size_t size)
{
    void *array = xcalloc(count, size);

    memcpy(field_at(base, option->offset), &array, sizeof(array));
    memcpy(field_at(base, option->count_offset), &count, sizeof(count));
    return array;
}

static void *load_array(void *base, const struct option *option, size_t *count)
{
    void *array;

    memcpy(&array, field_at(base, option->offset), sizeof(array));
    memcpy(count, field_at(base, option->count_offset), sizeof(*count));
    return array;
}

static void read_strings(struct config_reader *r, const struct option *option,
                         const struct json_value *value, void *base)
{
    char **strings;

    if (!config_value_has_kind(r, option, value, KIND_ARRAY, "a list of strings") ||
        !config_value_has_item_count(r, option, value))
        return;
    strings = store_array(base, option, value->count, sizeof(*strings));
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        if (config_value_is_text(r, option, item))
            strings[item->index] = xmemdup(item->bytes, item->len);
}

static void read_map(struct config_reader *r, const struct option *option,
                     const struct json_value *value, void *base)
{
    char **pairs;

    if (!config_value_has_kind(r, option, value, KIND_OBJECT, "an object") ||
        !config_value_has_item_count(r, option, value))
        return;
    pairs = store_array(base, option, value->count, 2 * sizeof(*pairs));
    for (const struct json_value *member = value->first; member != NULL; member = member->next) {
        bool has_key = config_value_has_key(r, option, member);

        if (config_value_is_text(r, option, member) && has_key) {
            pairs[2 * member->index] = xmemdup(member->key->bytes, member->key->len);
            pairs[2 * member->index + 1] = xmemdup(member->bytes, member->len);
        }
    }
}

static void report_unknown(struct config_reader *r, const struct option *options,
                           const struct json_value *member)
{
    struct buf key, hint;

    if (r->errors->count == CONFIG_ERRORS_MAX) {
        r->errors->dropped++; /* saves the work of looking for a hint */
        return;
    }
    buf_init(&key);
    buf_init(&hint);
    json_append_quoted(&key, member->key->bytes, member->key->len);
    config_hint_key(&hint, options, member->key->bytes);
    config_value_report(r, CONFIG_CODE_UNKNOWN_KEY, member, member->key->span, hint.data,
                        "there is no option %s here", key.data);
    buf_fini(&hint);
    buf_fini(&key);
}

/* The pointer names the missing key, so that a form can mark its field; the position is that of the
 * object's opening brace. */
static void report_missing(struct config_reader *r, const struct option *option,
                           const struct json_value *object)
{
    struct text_span span = {object->span.start, object->span.start};
    struct buf pointer;

    span.end.offset++;
    span.end.column++;
    buf_init(&pointer);
    json_append_pointer(&pointer, object);
    buf_printf(&pointer, "/%s", option->name);
    config_errors_add(r->errors, CONFIG_CODE_MISSING_KEY, span, pointer.data, option->help,
                      "\"%s\" is missing", option->name);
    buf_fini(&pointer);
}

static void read_default(struct config_reader *r, const struct option *option, void *base)
{
    struct config_errors errors = {0}, *authors = r->errors;
    struct json_value *value =
        json_text_parse(option->default_json, strlen(option->default_json), &errors);

    assert(value != NULL);
    r->errors = &errors;
    read_value(r, option, value, base);
    r->errors = authors;
    assert(errors.count == 0);
    config_errors_fini(&errors);
    json_free(value);
}

static const struct option *find_option(const struct option *options, const char *name)
{
    for (; options->name != NULL; options++)
        if (strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

/* Reads the members of `object` into the fields of `base`. Of a repeated key, which has been
 * reported, the first one counts. */
static void read_members(struct config_reader *r, const struct option *options,
                         const struct json_value *object, void *base)
{
    uint64_t seen = 0;

    for (const struct json_value *member = object->first; member != NULL; member = member->next) {
        const struct option *option = find_option(options, member->key->bytes);
        uint64_t bit = option != NULL ? UINT64_C(1) << (option - options) : 0;

        if (option == NULL)
            report_unknown(r, options, member);
        else if (!(seen & bit))
            read_value(r, option, member, base);
        seen |= bit;
    }
    for (const struct option *option = options; option->name != NULL; option++) {
        if (seen & UINT64_C(1) << (option - options))
            continue;
        if (option->fit != FIT_NONE)
            r->left_out |= 1U << option->fit;
        if (option->default_json == NULL)
            report_missing(r, option, object);
        else
            read_default(r, option, base);
    }
}

static void read_objects(struct config_reader *r, const struct option *option,
                         const struct json_value *value, void *base)
{
    void *structs;

    if (!config_value_has_kind(r, option, value, KIND_ARRAY, "a list of objects") ||
        !config_value_has_item_count(r, option, value))
        return;
    structs = store_array(base, option, value->count, option->item_size);
    for (const struct json_value *item = value->first; item != NULL; item = item->next)
        if (config_value_has_kind(r, option, item, KIND_OBJECT, "an object"))
            read_members(r, option->members, item,
                         field_at(structs, item->index * option->item_size));
}

static void read_value(struct config_reader *r, const struct option *option,
                       const struct json_value *value, void *base)
{
    switch (option->type) {
    case OPTION_BOOLEAN:
    case OPTION_INTEGER:
    case OPTION_ENUM:
    case OPTION_STRING:
        config_value_read(r, option, value, field_at(base, option->offset));
        break;
    case OPTION_STRINGS:
        read_strings(r, option, value, base);
        break;
    case OPTION_MAP:
        read_map(r, option, value, base);
        break;
    case OPTION_OBJECT:
        if (config_value_has_kind(r, option, value, KIND_OBJECT, "an object"))
            read_members(r, option->members, value, base);
        break;
    case OPTION_OBJECTS:
        read_objects(r, option, value, base);
        break;
    }
}

void config_read_options(struct config *cfg, const struct json_value *root,
                         struct config_errors *errors)
{
    struct config_reader reader = {.errors = errors};

    if (root->kind == KIND_OBJECT)
        read_members(&reader, config_table, root, cfg);
    else
        config_value_report(&reader, CONFIG_CODE_WRONG_TYPE, root, root->span, NULL,
                            "a configuration must be an object, found %s",
                            json_kind_name(root->kind));
    cfg->left_out = reader.left_out;
    config_reader_fini(&reader);
}

static void free_strings(char **strings, size_t count)
{
    for (size_t i = 0; strings != NULL && i < count; i++)
        free(strings[i]);
    free(strings);
}

static void free_objects(const struct option *option, void *structs, size_t count)
{
    for (size_t i = 0; structs != NULL && i < count; i++)
        free_members(option->members, field_at(structs, i * option->item_size));
    free(structs);
}

static void free_members(const struct option *options, void *base)
{
    for (const struct option *option = options; option->name != NULL; option++) {
        size_t count;

        switch (option->type) {
        case OPTION_STRING:
            free(*(char **)field_at(base, option->offset));
            break;
        case OPTION_STRINGS: {
            char **strings = load_array(base, option, &count);
            free_strings(strings, count);
            break;
        }
        case OPTION_MAP: {
            char **pairs = load_array(base, option, &count);
            free_strings(pairs, 2 * count);
            break;
        }
        case OPTION_OBJECT:
            free_members(option->members, base);
            break;
        case OPTION_OBJECTS: {
            void *structs = load_array(base, option, &count);
            free_objects(option, structs, count);
            break;
        }
        case OPTION_BOOLEAN:
        case OPTION_INTEGER:
        case OPTION_ENUM:
            break;
        }
    }
}

void config_free_options(struct config *cfg)
{
    free_members(config_table, cfg);
}

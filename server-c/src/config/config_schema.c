/* SPDX-License-Identifier: MIT */
/* config_schema.c — writes the option table as JSON Schema.
 *
 * Uses no oneOf: an option of two types has a list of types, and minimum or pattern apply only to
 * values of their type. Beyond the standard there are x-live (false: takes effect at the next
 * start) and x-unit. */
#include "config/config_schema.h"

#include "base/buf.h"
#include "config/config_table.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *members_schema(const struct option *options);

static void set_text(json_t *schema, const char *key, const char *text)
{
    json_object_set_new(schema, key, json_string(text));
}

static void set_integer(json_t *schema, const char *key, int64_t integer)
{
    json_object_set_new(schema, key, json_integer(integer));
}

/* The limits of one text: of the option itself, of an item of a list, or of a value in a map. */
static json_t *text_schema(const struct option *option)
{
    json_t *schema = json_object();

    set_text(schema, "type", "string");
    if (option->min > 0)
        set_integer(schema, "minLength", option->min);
    set_integer(schema, "maxLength", option->max);
    set_text(schema, "pattern", option->pattern);
    return schema;
}

static json_t *integer_schema(const struct option *option)
{
    json_t *schema = json_object();

    if (option->takes_auto) {
        json_object_set_new(schema, "type", json_pack("[ss]", "integer", "string"));
        set_text(schema, "pattern", "^auto$");
    } else {
        set_text(schema, "type", "integer");
    }
    set_integer(schema, "minimum", option->min);
    set_integer(schema, "maximum", option->max);
    return schema;
}

static json_t *enum_schema(const struct option *option)
{
    json_t *schema = json_pack("{ss}", "type", "string"), *words = json_array();

    for (const char *const *word = option->words; *word != NULL; word++)
        json_array_append_new(words, json_string(*word));
    json_object_set_new(schema, "enum", words);
    return schema;
}

static json_t *list_schema(const struct option *option, json_t *items)
{
    json_t *schema = json_pack("{ss}", "type", "array");

    json_object_set_new(schema, "items", items);
    if (option->min_items > 0)
        set_integer(schema, "minItems", (int64_t)option->min_items);
    set_integer(schema, "maxItems", (int64_t)option->max_items);
    return schema;
}

static json_t *map_schema(const struct option *option)
{
    json_t *schema = json_pack("{ss}", "type", "object");

    json_object_set_new(schema, "propertyNames", json_pack("{ss}", "pattern", option->key_pattern));
    json_object_set_new(schema, "additionalProperties", text_schema(option));
    set_integer(schema, "maxProperties", (int64_t)option->max_items);
    return schema;
}

static json_t *type_schema(const struct option *option)
{
    switch (option->type) {
    case OPTION_BOOLEAN:
        return json_pack("{ss}", "type", "boolean");
    case OPTION_INTEGER:
        return integer_schema(option);
    case OPTION_ENUM:
        return enum_schema(option);
    case OPTION_STRING:
        return text_schema(option);
    case OPTION_STRINGS:
        return list_schema(option, text_schema(option));
    case OPTION_MAP:
        return map_schema(option);
    case OPTION_OBJECT:
        return members_schema(option->members);
    case OPTION_OBJECTS:
        return list_schema(option, members_schema(option->members));
    }
    return NULL;
}

static json_t *option_schema(const struct option *option)
{
    json_t *schema = json_object(), *type = type_schema(option);
    struct buf description;

    buf_init(&description);
    buf_append_str(&description, option->help);
    if (option->lighttpd != NULL)
        buf_printf(&description, " lighttpd: %s.", option->lighttpd);
    set_text(schema, "title", option->title);
    set_text(schema, "description", description.data);
    buf_fini(&description);
    json_object_update(schema, type);
    json_decref(type);
    if (option->default_json != NULL)
        json_object_set_new(schema, "default",
                            json_loads(option->default_json, JSON_DECODE_ANY, NULL));
    if (option->unit != NULL)
        set_text(schema, "x-unit", option->unit);
    if (option->type != OPTION_OBJECT)
        json_object_set_new(schema, "x-live", json_boolean(!option->takes_effect_at_start));
    return schema;
}

static json_t *members_schema(const struct option *options)
{
    json_t *schema = json_pack("{ss}", "type", "object"), *required = json_array();
    json_t *properties = json_object();

    for (const struct option *option = options; option->name != NULL; option++) {
        json_object_set_new(properties, option->name, option_schema(option));
        if (option->default_json == NULL)
            json_array_append_new(required, json_string(option->name));
    }
    json_object_set_new(schema, "properties", properties);
    if (json_array_size(required) > 0)
        json_object_set(schema, "required", required);
    json_decref(required);
    json_object_set_new(schema, "additionalProperties", json_false());
    return schema;
}

char *config_schema_json(void)
{
    json_t *schema = json_object(), *members = members_schema(config_table);
    struct buf out;
    char *text;

    set_text(schema, "$schema", "https://json-schema.org/draft/2020-12/schema");
    set_text(schema, "title", "farmstead-node configuration");
    set_text(schema, "description",
             "Printed by `farmstead-node schema` from the node's option table. The text may have "
             "comments.");
    json_object_update(schema, members);
    json_decref(members);
    text = json_dumps(schema, JSON_INDENT(2) | JSON_ENSURE_ASCII);
    json_decref(schema);
    buf_init(&out);
    buf_printf(&out, "%s\n", text);
    free(text);
    return buf_take(&out);
}

void config_schema_digest(char out[DIGEST_LEN + 1])
{
    char *schema = config_schema_json();

    digest_sha256(out, schema, strlen(schema));
    free(schema);
}

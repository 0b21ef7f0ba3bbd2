/* SPDX-License-Identifier: MIT */
/* agent_certificates.c — reads, writes and compares lists of certificates. */
#include "agent/agent_certificates.h"

#include "agent/agent_keys.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_MAX 131072
#define KEY_MAX 32768

void agent_certificates_fini(struct agent_certificates *list)
{
    free(list->items);
    *list = (struct agent_certificates){0};
}

void agent_certificates_copy(struct agent_certificates *to, const struct agent_certificates *from)
{
    *to = (struct agent_certificates){xcalloc(from->count, sizeof(*from->items)), from->count};
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof(*from->items));
}

/* --- reading --- */

static void read_one(struct agent_reader *reader, struct agent_certificate *out)
{
    agent_read_name(reader, "name", out->name, sizeof(out->name));
    out->version = agent_read_integer(reader, "version", 1, AGENT_JSON_MAX_INTEGER);
    agent_read_sha256(reader, "fingerprintSha256", out->fingerprint, sizeof(out->fingerprint));
}

void agent_certificates_read(struct agent_reader *outer, struct agent_certificates *out)
{
    *out = (struct agent_certificates){0};
    if (outer->failed || !agent_reader_has(outer, "certificates"))
        return;
    json_t *array = json_object_get(outer->object, "certificates");
    if (!json_is_array(array) || json_array_size(array) > AGENT_CERTIFICATES_MAX) {
        agent_reader_fail(outer, "certificates", "must be an array of at most 1024");
        return;
    }
    out->items = xcalloc(json_array_size(array), sizeof(*out->items));
    for (; out->count < json_array_size(array) && !outer->failed; out->count++) {
        struct agent_certificate *item = &out->items[out->count];
        struct agent_reader reader = {json_array_get(array, out->count), outer->why, outer->why_len,
                                      false};
        if (!json_is_object(reader.object))
            agent_reader_fail(outer, "certificates", "must hold objects");
        else
            read_one(&reader, item);
        outer->failed |= reader.failed;
        if (!outer->failed && out->count > 0 && strcmp(item->name, item[-1].name) <= 0)
            agent_reader_fail(outer, "certificates", "must be sorted by name, each once");
    }
    if (outer->failed)
        agent_certificates_fini(out);
}

json_t *agent_certificates_json(const struct agent_certificates *list)
{
    json_t *array = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const struct agent_certificate *item = &list->items[i];
        json_t *object =
            json_pack("{ss sI ss}", "name", item->name, "version", (json_int_t)item->version,
                      "fingerprintSha256", item->fingerprint);
        if (json_array_append_new(array, object) != 0)
            abort();
    }
    return array;
}

/* --- comparing --- */

const struct agent_certificate *agent_certificates_find(const struct agent_certificates *list,
                                                        const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    return NULL;
}

static bool names(const struct config *cfg, const char *name)
{
    for (size_t i = 0; i < cfg->site_count; i++)
        for (size_t j = 0; j < cfg->sites[i].certificate_count; j++)
            if (strcmp(cfg->sites[i].certificates[j].name, name) == 0)
                return true;
    return false;
}

const char *agent_certificates_fit(struct agent_certificates *list, const struct config *cfg)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (names(cfg, list->items[i].name))
            list->items[kept++] = list->items[i];
    list->count = kept;
    for (size_t i = 0; i < cfg->site_count; i++)
        for (size_t j = 0; j < cfg->sites[i].certificate_count; j++) {
            const char *name = cfg->sites[i].certificates[j].name;
            if (name[0] && !agent_certificates_find(list, name))
                return name;
        }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct agent_certificate *)a)->name,
                  ((const struct agent_certificate *)b)->name);
}

void agent_certificates_loaded(struct agent_certificates *out,
                               const struct certificates_shown *shown,
                               const struct agent_certificates *const *lists, size_t count)
{
    *out = (struct agent_certificates){.items = xcalloc(shown->loaded_count, sizeof(*out->items))};
    for (size_t i = 0; i < shown->loaded_count; i++) {
        const struct loaded_certificate *loaded = &shown->loaded[i];
        const struct agent_certificate *found = NULL;
        for (size_t j = 0; j < count && loaded->has_name && !found; j++) {
            found = agent_certificates_find(lists[j], loaded->label);
            if (found && strcmp(found->fingerprint, loaded->fingerprint) != 0)
                found = NULL;
        }
        if (found && out->count < AGENT_CERTIFICATES_MAX)
            out->items[out->count++] = *found;
    }
    if (out->count > 0)
        qsort(out->items, out->count, sizeof(*out->items), compare_names);
}

/* --- a certificate itself --- */

void agent_certificate_text_fini(struct agent_certificate_text *text)
{
    free(text->chain);
    agent_secret_free(text->key);
    *text = (struct agent_certificate_text){0};
}

/* Without a NUL: what follows one would be kept but not looked at. */
static char *read_pem(struct agent_reader *reader, const char *member, size_t max)
{
    size_t len = 0;
    char *text = agent_read_text(reader, member, max, &len);
    if (text && (len == 0 || strlen(text) != len))
        agent_reader_fail(reader, member, "must be PEM text");
    return text;
}

int agent_read_certificate(const char *body, size_t len, const struct agent_certificate *asked,
                           struct agent_certificate_text *out, char *why, size_t why_len)
{
    struct agent_certificate said = {0};
    *out = (struct agent_certificate_text){0};
    json_t *document = agent_json_load(body, len, why, why_len);
    if (!document) {
        /* The library's sentence may quote the text, and so the key. */
        snprintf(why, why_len, "the answer is no JSON object");
        return -1;
    }
    struct agent_reader reader = {document, why, why_len, false};
    read_one(&reader, &said);
    out->chain = read_pem(&reader, "chain", CHAIN_MAX);
    out->key = read_pem(&reader, "key", KEY_MAX);
    if (!reader.failed && (strcmp(said.name, asked->name) != 0 || said.version != asked->version ||
                           strcmp(said.fingerprint, asked->fingerprint) != 0))
        agent_reader_fail(&reader, "name", "is not the certificate and version asked for");
    /* The library keeps the key in the document until it is freed. */
    json_t *key = json_object_get(document, "key");
    if (json_is_string(key))
        explicit_bzero((void *)(uintptr_t)json_string_value(key), json_string_length(key));
    json_decref(document);
    if (reader.failed)
        agent_certificate_text_fini(out);
    return reader.failed ? -1 : 0;
}

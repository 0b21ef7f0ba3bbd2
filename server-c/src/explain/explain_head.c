/* SPDX-License-Identifier: MIT */
/* explain_head.c — writes the head as response_head.c and response_page.c do, and once more without each rule: the line that
 * is then gone, or another one, is that rule's. */
#include "explain/explain_head.h"

#include "base/mem.h"
#include "http/http_auth.h"
#include "response/mime.h"
#include "response/response.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define HEAD_BYTES (256 * 1024) /* a config has at most 1 MiB, and a head of more is nobody's */
#define FILE_BYTES 1000
#define CHALLENGE_MAX 1024 /* enough for any realm */

struct writer {
    const struct site_set *sites;
    const struct site *site;
    const struct explain_routed *routed;
    bool is_secure;
    int64_t now;
};

struct head {
    char *bytes;
    size_t len;
    bool is_momentary;
};

static struct span span_of(const struct buf *buf)
{
    return (struct span){buf->data, buf->len};
}

static bool may_vary(const struct site *site, struct response_match match, struct span path)
{
    if (match.stored_coding)
        return response_stored_coding(&site->rules, match)->refuses;
    return (site->coding_count > 0 || site->copies) && !mime_is_coded(path);
}

static void write_file(const struct writer *writer, const struct response_scope *scope,
                       struct response_head *out)
{
    struct span path = span_of(&writer->routed->path);
    const struct config_stored_coding *stored = response_stored_coding(scope->rules, scope->match);
    struct file_facts facts;
    struct response_file file = {.facts = &facts, .path = path};

    file_facts_init(&facts, FILE_BYTES, writer->now, 0, writer->now);
    file.type = stored ? mime_type_inside(writer->sites->cfg, path, stored)
                       : mime_type(writer->sites->cfg, path);
    file.coding = stored ? stored->coding : mime_coding(file.type, path);
    file.varies = may_vary(writer->site, scope->match, path);
    response_head_whole_file(out, scope, &file, writer->now);
}

static void write_page(const struct writer *writer, const struct response_scope *scope,
                       struct response_head *out)
{
    char challenge[CHALLENGE_MAX];
    const struct explain_routed *routed = writer->routed;
    struct response_page page = {.status = routed->status,
                                 .head_only = true,
                                 .location = span_of(&routed->location),
                                 .retry_seconds = routed->retry_seconds};

    if (routed->realm)
        page.authenticate = (struct span){
            challenge, http_auth_challenge(challenge, sizeof(challenge), routed->realm)};
    response_head_page(out, scope, &page);
}

/* The head with these rules in place of the site's. */
static struct head write_head(const struct writer *writer, const struct response_rules *rules)
{
    struct response_head out = {.out = xmalloc(HEAD_BYTES), .cap = HEAD_BYTES};
    const struct explain_routed *routed = writer->routed;
    struct response_scope scope = {.rules = rules};

    if (routed->matched.len > 0)
        scope.match = response_rules_match(rules, span_of(&routed->matched));
    if (routed->path.len > 0)
        scope.match =
            response_match_join(scope.match, response_rules_match(rules, span_of(&routed->path)));
    if (routed->status == HTTP_OK)
        write_file(writer, &scope, &out);
    else
        write_page(writer, &scope, &out);
    if (writer->is_secure && writer->site->hsts)
        response_append(&out, writer->site->hsts, strlen(writer->site->hsts));
    return (struct head){out.out, out.len, out.is_momentary};
}

/* --- without one ----------------------------------------------------------------------------- */

struct list {
    const char *name;
    size_t items_at, count_at, size;
};
#define RULE_LIST(name, items, count, type)                                                        \
    {                                                                                              \
        name, offsetof(struct config_site, items), offsetof(struct config_site, count),            \
            sizeof(struct type)                                                                    \
    }
static const struct list rule_lists[] = {
    RULE_LIST("headers", headers, header_count, config_header_rule),
    RULE_LIST("expires", expires, expires_count, config_expires),
    RULE_LIST("downloads", downloads, download_count, config_download),
    RULE_LIST("preload", preload, preload_count, config_preload),
    RULE_LIST("storedCodings", stored_codings, stored_coding_count, config_stored_coding),
};

static size_t count_in(const struct config_site *site, const struct list *list)
{
    return *(const size_t *)(const void *)((const char *)site + list->count_at);
}

static struct head write_without(const struct writer *writer, const struct list *list, size_t index)
{
    struct config_site site = *writer->site->cfg;
    void **items = (void **)(void *)((char *)&site + list->items_at);
    size_t *count = (size_t *)(void *)((char *)&site + list->count_at);
    char *kept = xmalloc(*count * list->size);
    struct response_rules rules;
    struct head head;

    memcpy(kept, *items, *count * list->size);
    *count -= 1;
    memmove(kept + index * list->size, kept + (index + 1) * list->size,
            (*count - index) * list->size);
    *items = kept;
    response_rules_init(&rules, &site);
    head = write_head(writer, &rules);
    response_rules_fini(&rules);
    free(kept);
    return head;
}

static struct head write_without_security(const struct writer *writer)
{
    static char nothing[] = "";
    struct config_site site = *writer->site->cfg;
    struct response_rules rules;
    struct head head;

    site.security.preset = SECURITY_OFF;
    site.security.frames = FRAMES_AS_PRESET;
    site.security.policy = site.security.referrer = site.security.permissions = nothing;
    response_rules_init(&rules, &site);
    head = write_head(writer, &rules);
    response_rules_fini(&rules);
    return head;
}

/* --- lines ----------------------------------------------------------------------------------- */

/* The next line, without its end; `len` of 0: there are no more. */
static struct span next_line(const struct head *head, size_t *pos)
{
    for (;;) {
        const char *start = head->bytes + *pos;
        const char *end = memmem(start, head->len - *pos, "\r\n", 2);

        if (!end)
            return (struct span){start, 0};
        *pos += (size_t)(end - start) + 2;
        if (end > start) /* the empty line stands before Strict-Transport-Security */
            return (struct span){start, (size_t)(end - start)};
    }
}

static bool has_line(const struct head *head, struct span line)
{
    size_t pos = 0;

    for (struct span one = next_line(head, &pos); one.len > 0; one = next_line(head, &pos))
        if (one.len == line.len && memcmp(one.ptr, line.ptr, line.len) == 0)
            return true;
    return false;
}

static bool is_named(struct span name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == name.len && strncasecmp(names[i], name.ptr, name.len) == 0)
            return true;
    return false;
}

static void split(struct span line, struct explain_field *field)
{
    const char *colon = memchr(line.ptr, ':', line.len);
    size_t name = colon ? (size_t)(colon - line.ptr) : line.len;
    size_t value = name + 2 < line.len ? name + 2 : line.len;

    field->name = (struct span){line.ptr, name};
    field->value = (struct span){line.ptr + value, line.len - value};
}

/* A rule may set Last-Modified or a tag to a text of its own, which is one. */
static bool depends_on_file(struct span name, const char *pointer, bool is_momentary, bool is_page)
{
    static const char *const of_files[] = {"Content-Length", "Last-Modified", "ETag"};
    static const char *const cache[] = {"Cache-Control"};

    if (is_momentary && is_named(name, cache, ARRAY_LEN(cache)) && strstr(pointer, "/expires/"))
        return true;
    return *pointer == '\0' && is_named(name, of_files, is_page ? 1 : ARRAY_LEN(of_files));
}

struct source {
    char pointer[80];
    struct head without;
};

static size_t write_sources(const struct writer *writer, struct source **sources)
{
    const struct config_site *site = writer->site->cfg;
    size_t number = (size_t)(site - writer->sites->cfg->sites), count = 0, most = 1;

    for (size_t i = 0; i < ARRAY_LEN(rule_lists); i++)
        most += count_in(site, &rule_lists[i]);
    *sources = xcalloc(most, sizeof(**sources));
    for (size_t i = 0; i < ARRAY_LEN(rule_lists); i++)
        for (size_t j = 0; j < count_in(site, &rule_lists[i]); j++) {
            struct source *source = &(*sources)[count++];
            snprintf(source->pointer, sizeof(source->pointer), "/sites/%zu/%s/%zu", number,
                     rule_lists[i].name, j);
            source->without = write_without(writer, &rule_lists[i], j);
        }
    snprintf((*sources)[count].pointer, sizeof((*sources)[count].pointer),
             "/sites/%zu/securityHeaders", number);
    (*sources)[count++].without = write_without_security(writer);
    return count;
}

static const char *pointer_of(const struct source *sources, size_t count, struct span line)
{
    for (size_t i = 0; i < count; i++)
        if (!has_line(&sources[i].without, line))
            return sources[i].pointer;
    return "";
}

static const char *hsts_pointer(const struct writer *writer, char pointer[80])
{
    const struct config_site *site = writer->site->cfg;

    snprintf(pointer, 80, "/sites/%zu/%s", (size_t)(site - writer->sites->cfg->sites),
             site->hsts.max_age_seconds > 0 ? "hsts" : "securityHeaders");
    return pointer;
}

void explain_head(const struct site_set *sites, const struct site *site,
                  const struct explain_routed *routed, bool is_secure,
                  void (*on_field)(void *to, const struct explain_field *field), void *to)
{
    static const char *const hsts[] = {"Strict-Transport-Security"};
    const struct writer writer = {sites, site, routed, is_secure, time(NULL)};
    struct head head = write_head(&writer, &site->rules);
    struct source *sources;
    size_t count = write_sources(&writer, &sources), pos = 0;
    char pointer[80];

    for (struct span line = next_line(&head, &pos); line.len > 0; line = next_line(&head, &pos)) {
        struct explain_field field;

        split(line, &field);
        field.pointer = pointer_of(sources, count, line);
        if (*field.pointer == '\0' && site->hsts && is_named(field.name, hsts, 1))
            field.pointer = hsts_pointer(&writer, pointer);
        field.is_of_file = depends_on_file(field.name, field.pointer, head.is_momentary,
                                           routed->status != HTTP_OK);
        on_field(to, &field);
    }
    for (size_t i = 0; i < count; i++)
        free(sources[i].without.bytes);
    free(sources);
    free(head.bytes);
}

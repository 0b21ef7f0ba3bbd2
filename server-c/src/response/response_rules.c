/* SPDX-License-Identifier: MIT */
/* response_rules.c — each rule's header line is written once, when a config is loaded. A request
 * only chooses which lines apply. */
#include "response/response_rules.h"

#include "base/buf.h"
#include "base/mem.h"
#include "config/config_rules.h"
#include "match/glob.h"
#include "response/response.h"

#include <string.h>
#include <strings.h>

struct response_rule {
    const struct config_header_rule *cfg;
    const char *line; /* "Name: value\r\n"; NULL for a rule that only removes */
    size_t line_len;
    size_t name; /* index of the first rule with the same name */
    enum own_header own;
    bool is_preset;
    bool is_of_selected; /* a 304 repeats it from the 200 (RFC 9110 section 15.4.5) */
};

struct response_expires {
    const struct config_expires *cfg;
    /* NULL: counts from the file's modification, so the line differs per file and second. */
    char *line;
};

static const char *const own_names[OWN_HEADER_COUNT] = {
    [OWN_SERVER] = "Server",
    [OWN_CONTENT_TYPE] = "Content-Type",
    [OWN_LAST_MODIFIED] = "Last-Modified",
    [OWN_ETAG] = "ETag",
    [OWN_ACCEPT_RANGES] = "Accept-Ranges",
    [OWN_CACHE_CONTROL] = "Cache-Control",
    [OWN_RETRY_AFTER] = "Retry-After",
    [OWN_CONTENT_SECURITY_POLICY] = "Content-Security-Policy",
    [OWN_CONTENT_DISPOSITION] = "Content-Disposition",
    [OWN_LINK] = "Link",
};

static bool is_selected_header(const char *name)
{
    static const char *const names[] = {"Cache-Control", "Content-Location", "ETag", "Expires",
                                        "Vary"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    return false;
}

static enum own_header own_header_named(const char *name)
{
    int own = 0;

    while (own < OWN_HEADER_COUNT && strcasecmp(name, own_names[own]) != 0)
        own++;
    return (enum own_header)own;
}

static bool has_conditions(const struct config_header_rule *rule)
{
    return rule->path_count + rule->type_count + rule->status_count > 0;
}

static bool says_no_transform(const char *directives)
{
    return strcasestr(directives, "no-transform") != NULL;
}

static bool says_private(const char *directives)
{
    return strcasestr(directives, "private") != NULL || strcasestr(directives, "no-store") != NULL;
}

static void add_rule(struct response_rules *rules, const struct config_header_rule *cfg,
                     bool is_preset)
{
    struct response_rule *rule = &rules->items[rules->count++];
    struct buf line;

    *rule = (struct response_rule){.cfg = cfg,
                                   .is_preset = is_preset,
                                   .own = own_header_named(cfg->name),
                                   .is_of_selected = is_selected_header(cfg->name)};
    while (strcasecmp(rules->items[rule->name].cfg->name, cfg->name) != 0)
        rule->name++;
    if (cfg->path_count > 0)
        rules->has_paths = true;
    if (cfg->action == HEADER_REMOVE)
        return;
    rules->has_no_transform |= rule->own == OWN_CACHE_CONTROL && says_no_transform(cfg->value);
    rules->has_private |= rule->own == OWN_CACHE_CONTROL && says_private(cfg->value);
    buf_init(&line);
    buf_printf(&line, "%s: %s\r\n", cfg->name, cfg->value);
    rule->line_len = line.len;
    rules->most_len += line.len;
    rule->line = buf_take(&line);
}

static void add_expires(struct response_rules *rules, const struct config_expires *cfg)
{
    struct response_expires *expires = &rules->expires[rules->expires_count++];
    struct buf line;

    expires->cfg = cfg;
    rules->has_no_transform |= says_no_transform(cfg->directives);
    rules->has_private |= says_private(cfg->directives);
    rules->most_len += sizeof("Cache-Control: max-age=, \r\n") + 20 + strlen(cfg->directives);
    if (cfg->path_count > 0)
        rules->has_paths = true;
    if (cfg->from == EXPIRES_FROM_MODIFICATION)
        return;
    buf_init(&line);
    buf_printf(&line, "Cache-Control: max-age=%u%s%s\r\n", cfg->max_age_seconds,
               cfg->directives[0] ? ", " : "", cfg->directives);
    expires->line = buf_take(&line);
}

static bool is_active(uint64_t active, size_t i)
{
    return (active >> i & 1) != 0;
}

/* Does a later rule replace or remove what rule `i` adds? */
static bool is_overruled(const struct response_rules *rules, uint64_t active, size_t i)
{
    for (size_t later = i + 1; later < rules->count; later++)
        if (is_active(active, later) && rules->items[later].name == rules->items[i].name &&
            rules->items[later].cfg->action != HEADER_ADD)
            return true;
    return false;
}

/* Listings and our own pages have a style in them, which a preset's policy for the author's pages
 * would forbid. */
static bool is_preset_policy(const struct response_rule *rule)
{
    return rule->is_preset && rule->own == OWN_CONTENT_SECURITY_POLICY;
}

static uint32_t dropped_by(const struct response_rules *rules, uint64_t active)
{
    uint32_t dropped = 0;

    for (size_t i = 0; i < rules->count; i++)
        if (is_active(active, i) && rules->items[i].own < OWN_HEADER_COUNT &&
            rules->items[i].cfg->action != HEADER_ADD && !is_preset_policy(&rules->items[i]))
            dropped |= 1u << rules->items[i].own;
    return dropped;
}

static void prepare_lines(struct response_rules *rules)
{
    struct buf lines;

    buf_init(&lines);
    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].line && !is_overruled(rules, UINT64_MAX, i))
            buf_append(&lines, rules->items[i].line, rules->items[i].line_len);
    rules->lines_len = lines.len;
    rules->lines = buf_take(&lines);
    rules->dropped = dropped_by(rules, UINT64_MAX);
}

void response_rules_init(struct response_rules *rules, const struct config_site *site)
{
    bool is_conditional = false;

    *rules = (struct response_rules){
        .items = xcalloc(RESPONSE_RULES_MAX, sizeof(*rules->items)),
        .expires = xcalloc(site->expires_count, sizeof(*rules->expires)),
        .site = site,
        .has_paths = site->download_count + site->stored_coding_count + site->preload_count > 0,
        .most_len = site->download_count > 0 ? DOWNLOAD_MAX : 0};
    config_security_init(&rules->security, site);
    CHECK(rules->security.count + site->header_count <= RESPONSE_RULES_MAX &&
          site->expires_count <= RESPONSE_RULES_MAX);
    for (size_t i = 0; i < rules->security.count; i++) {
        add_rule(rules, &rules->security.rules[i], true);
        rules->has_policy |= is_preset_policy(&rules->items[i]);
    }
    for (size_t i = 0; i < site->header_count; i++) {
        /* A rule for a header that frames the bytes or that the status depends on would break the
         * response (RFC 9112 section 6, RFC 9110 section 15): it is ignored whatever the config says. */
        if (config_header_is_the_servers(site->headers[i].name))
            continue;
        is_conditional |= has_conditions(&site->headers[i]);
        add_rule(rules, &site->headers[i], false);
    }
    if (!is_conditional)
        prepare_lines(rules);
    for (size_t i = 0; i < site->expires_count; i++)
        add_expires(rules, &site->expires[i]);
    rules->most_len += response_preload_init(rules);
}

void response_rules_fini(struct response_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free((char *)(uintptr_t)rules->items[i].line);
    for (size_t i = 0; i < rules->expires_count; i++)
        free(rules->expires[i].line);
    config_security_fini(&rules->security);
    response_preload_fini(rules);
    free(rules->items);
    free(rules->expires);
    free(rules->lines);
}

/* --- per request ----------------------------------------------------------------------------- */

static uint8_t find_download(const struct config_site *site, struct span path)
{
    for (size_t i = 0; i < site->download_count; i++)
        if (glob_path_in(site->downloads[i].paths, site->downloads[i].path_count, path))
            return (uint8_t)(i + 1);
    return 0;
}

static uint8_t find_stored_coding(const struct config_site *site, struct span path)
{
    for (size_t i = 0; i < site->stored_coding_count; i++)
        if (glob_path_in(site->stored_codings[i].paths, site->stored_codings[i].path_count, path))
            return (uint8_t)(i + 1);
    return 0;
}

struct response_match response_rules_match(const struct response_rules *rules, struct span path)
{
    struct response_match match = {0};

    if (!rules->has_paths)
        return match;
    for (size_t i = 0; i < rules->count; i++) {
        const struct config_header_rule *cfg = rules->items[i].cfg;
        if (cfg->path_count > 0 && glob_path_in(cfg->paths, cfg->path_count, path))
            match.headers |= UINT64_C(1) << i;
    }
    for (size_t i = 0; i < rules->expires_count; i++) {
        const struct config_expires *cfg = rules->expires[i].cfg;
        if (cfg->path_count > 0 && glob_path_in(cfg->paths, cfg->path_count, path))
            match.expires |= UINT64_C(1) << i;
    }
    match.download = find_download(rules->site, path);
    match.stored_coding = find_stored_coding(rules->site, path);
    match.preload = response_preload_find(rules->site, path);
    return match;
}

static bool is_status_in(const struct config_header_rule *rule, enum http_status status)
{
    for (size_t i = 0; i < rule->status_count; i++)
        if (http_status_fits(status, rule->statuses[i]))
            return true;
    return rule->status_count == 0;
}

static bool holds(const struct response_rule *rule, enum http_status status, const char *type)
{
    if (!is_status_in(rule->cfg, status) &&
        !(status == HTTP_NOT_MODIFIED && rule->is_of_selected && is_status_in(rule->cfg, HTTP_OK)))
        return false;
    return rule->cfg->type_count == 0 ||
           (type && glob_type_in(rule->cfg->types, rule->cfg->type_count, type));
}

struct response_choice response_rules_choose(const struct response_scope *scope,
                                             enum http_status status, const char *type)
{
    const struct response_rules *rules = scope->rules;
    struct response_choice choice = {.rules = rules, .active = UINT64_MAX};

    if (!rules)
        return choice;
    choice.skips_type = status == HTTP_NO_CONTENT || status == HTTP_NOT_MODIFIED;
    choice.dropped = rules->dropped;
    if (rules->lines)
        return choice;
    choice.active = 0;
    for (size_t i = 0; i < rules->count; i++) {
        const struct response_rule *rule = &rules->items[i];
        if ((rule->cfg->path_count == 0 || is_active(scope->match.headers, i)) &&
            holds(rule, status, type))
            choice.active |= UINT64_C(1) << i;
    }
    choice.dropped = dropped_by(rules, choice.active);
    return choice;
}

const char *response_choice_type(const struct response_choice *choice)
{
    const char *type = NULL;

    for (size_t i = 0; choice->rules && i < choice->rules->count; i++)
        if (choice->rules->items[i].own == OWN_CONTENT_TYPE && is_active(choice->active, i))
            type = choice->rules->items[i].line ? choice->rules->items[i].cfg->value : NULL;
    return type;
}

void response_choice_append(struct response_head *out, const struct response_choice *choice)
{
    const struct response_rules *rules = choice->rules;

    if (!rules)
        return;
    if (rules->lines && !(choice->skips_type && (choice->dropped & 1u << OWN_CONTENT_TYPE)) &&
        !(choice->skips_policy && rules->has_policy)) {
        response_append(out, rules->lines, rules->lines_len);
        return;
    }
    for (size_t i = 0; i < rules->count; i++) {
        const struct response_rule *rule = &rules->items[i];
        if (rule->line && is_active(choice->active, i) &&
            !(choice->skips_type && rule->own == OWN_CONTENT_TYPE) &&
            !(choice->skips_policy && is_preset_policy(rule)) &&
            !is_overruled(rules, choice->active, i))
            response_append(out, rule->line, rule->line_len);
    }
}

/* --- expiry ---------------------------------------------------------------------------------- */

static void append_from_modification(struct response_head *out, const struct config_expires *cfg,
                                     const struct response_clock *clock)
{
    int64_t left = clock->modified + (int64_t)cfg->max_age_seconds - clock->now;
    char line[64];
    int len = snprintf(line, sizeof(line), "Cache-Control: max-age=%lld%s",
                       left > 0 ? (long long)left : 0, cfg->directives[0] ? ", " : "");

    response_append(out, line, (size_t)len);
    response_append(out, cfg->directives, strlen(cfg->directives));
    response_append(out, "\r\n", 2);
    if (left > 0) /* max-age=0 stays right, every other value is right for a second */
        out->is_momentary = true;
}

/* The first rule that fits, or NULL. */
static const struct response_expires *find_expires(const struct response_scope *scope,
                                                   const char *type, bool has_modified)
{
    size_t count = scope->rules ? scope->rules->expires_count : 0;

    for (size_t i = 0; i < count; i++) {
        const struct response_expires *expires = &scope->rules->expires[i];
        const struct config_expires *cfg = expires->cfg;
        if ((cfg->path_count == 0 || is_active(scope->match.expires, i)) &&
            (cfg->type_count == 0 || glob_type_in(cfg->types, cfg->type_count, type)) &&
            (expires->line || has_modified))
            return expires;
    }
    return NULL;
}

void response_expires_append(struct response_head *out, const struct response_scope *scope,
                             const char *type, const struct response_clock *clock)
{
    const struct response_expires *expires = find_expires(scope, type, clock->has_modified);

    if (!expires)
        return;
    if (expires->line)
        response_append(out, expires->line, strlen(expires->line));
    else
        append_from_modification(out, expires->cfg, clock);
}

/* Does the Cache-Control of a 200 with a file of this type say it? */
static bool cache_control_says(const struct response_scope *scope, const char *type,
                               bool (*says)(const char *directives))
{
    const struct response_rules *rules = scope->rules;
    const struct response_expires *expires;
    struct response_choice choice = response_rules_choose(scope, HTTP_OK, type);

    for (size_t i = 0; i < rules->count; i++)
        if (rules->items[i].own == OWN_CACHE_CONTROL && rules->items[i].line &&
            is_active(choice.active, i) && !is_overruled(rules, choice.active, i) &&
            says(rules->items[i].cfg->value))
            return true;
    expires = choice.dropped & 1u << OWN_CACHE_CONTROL ? NULL : find_expires(scope, type, true);
    return expires && says(expires->cfg->directives);
}

bool response_rules_keep_coding(const struct response_scope *scope, const char *type)
{
    if (scope->match.stored_coding)
        return true;
    return scope->rules && scope->rules->has_no_transform &&
           cache_control_says(scope, type, says_no_transform);
}

bool response_rules_are_private(const struct response_scope *scope, const char *type)
{
    return scope->rules && scope->rules->has_private &&
           cache_control_says(scope, type, says_private);
}

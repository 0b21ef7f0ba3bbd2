/* SPDX-License-Identifier: MIT */
/* site_cors.c — answers are chosen among texts that are ready: a rule's origins are few and known. */
#include "site/site_cors.h"

#include "base/buf.h"
#include "base/mem.h"
#include "match/glob.h"

#include <stdlib.h>
#include <string.h>

/* Shared caches must tell origins apart also when an answer names none (Fetch, "CORS protocol and
 * HTTP caches"). */
#define VARY "Vary: Origin\r\n"

struct cors_rule {
    const struct config_cors *cfg;
    char **lines;    /* one for each origin */
    char *preflight; /* the same for all of them */
};

struct site_cors {
    struct cors_rule *rules;
    size_t count, most_len;
};

static void append_list(struct buf *out, const char *name, char *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s%s", i == 0 ? name : ", ", items[i]);
    if (count > 0)
        buf_append_str(out, "\r\n");
}

static bool is_everybody(const char *origin)
{
    return strcmp(origin, "*") == 0;
}

static char *lines_for(const struct config_cors *cfg, const char *origin)
{
    struct buf out;

    buf_init(&out);
    buf_printf(&out, "Access-Control-Allow-Origin: %s\r\n", origin);
    if (cfg->credentials)
        buf_append_str(&out, "Access-Control-Allow-Credentials: true\r\n");
    append_list(&out, "Access-Control-Expose-Headers: ", cfg->exposed_headers,
                cfg->exposed_header_count);
    if (!is_everybody(origin))
        buf_append_str(&out, VARY);
    return buf_take(&out);
}

static char *preflight_of(const struct config_cors *cfg)
{
    struct buf out;

    buf_init(&out);
    append_list(&out, "Access-Control-Allow-Methods: ", cfg->methods, cfg->method_count);
    append_list(&out, "Access-Control-Allow-Headers: ", cfg->headers, cfg->header_count);
    buf_printf(&out, "Access-Control-Max-Age: %u\r\n", cfg->max_age_seconds);
    return buf_take(&out);
}

static void init_rule(struct site_cors *cors, struct cors_rule *rule, const struct config_cors *cfg)
{
    rule->cfg = cfg;
    rule->preflight = preflight_of(cfg);
    rule->lines = xcalloc(cfg->origin_count, sizeof(*rule->lines));
    for (size_t i = 0; i < cfg->origin_count; i++) {
        size_t len;
        rule->lines[i] = lines_for(cfg, cfg->origins[i]);
        len = strlen(rule->lines[i]) + strlen(rule->preflight);
        if (len > cors->most_len)
            cors->most_len = len;
    }
}

struct site_cors *site_cors_new(const struct config_site *cfg)
{
    struct site_cors *cors;

    if (cfg->cors_count == 0)
        return NULL;
    cors = xcalloc(1, sizeof(*cors));
    cors->count = cfg->cors_count;
    cors->rules = xcalloc(cors->count, sizeof(*cors->rules));
    for (size_t i = 0; i < cors->count; i++)
        init_rule(cors, &cors->rules[i], &cfg->cors[i]);
    return cors;
}

void site_cors_free(struct site_cors *cors)
{
    for (size_t i = 0; cors && i < cors->count; i++) {
        for (size_t j = 0; j < cors->rules[i].cfg->origin_count; j++)
            free(cors->rules[i].lines[j]);
        free(cors->rules[i].lines);
        free(cors->rules[i].preflight);
    }
    if (cors)
        free(cors->rules);
    free(cors);
}

size_t site_cors_most_len(const struct site_cors *cors)
{
    return cors ? cors->most_len : 0;
}

/* Origins are compared byte by byte, as browsers write them (Fetch, "CORS check"). */
static bool is_origin(const char *rule, struct span origin)
{
    return is_everybody(rule) ||
           (strlen(rule) == origin.len && memcmp(rule, origin.ptr, origin.len) == 0);
}

static struct site_cors_answer answer_of(const struct cors_rule *rule, struct span origin)
{
    for (size_t i = 0; i < rule->cfg->origin_count; i++)
        if (is_origin(rule->cfg->origins[i], origin))
            return (struct site_cors_answer){rule->lines[i], rule->preflight};
    return (struct site_cors_answer){VARY, NULL};
}

struct site_cors_answer site_cors_find(const struct site_cors *cors, struct span path,
                                       struct span origin)
{
    for (size_t i = 0; i < cors->count; i++)
        if (glob_path_in(cors->rules[i].cfg->paths, cors->rules[i].cfg->path_count, path))
            return answer_of(&cors->rules[i], origin);
    return (struct site_cors_answer){0};
}

/* SPDX-License-Identifier: MIT */
/* config.c — turns text into a tree, the tree into options (config_reader.c), checks the rules
 * between options (config_rules.c), and finishes the snapshot. */
#include "config/config.h"

#include "base/digest.h"
#include "base/mem.h"
#include "config/config_reader.h"
#include "config/config_rules.h"
#include "config/config_variables.h"
#include "text/json_canonical.h"
#include "text/json_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(CONFIG_DIGEST_LEN == DIGEST_LEN, "one digest, one length");

static void lower_case(char *text)
{
    for (; *text != '\0'; text++)
        if (*text >= 'A' && *text <= 'Z')
            *text = (char)(*text - 'A' + 'a');
}

static void lower_case_all(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lower_case(texts[i]);
}

static int compare_mimes(const void *a, const void *b)
{
    const struct config_mime *left = a, *right = b;

    return strcmp(left->suffix, right->suffix);
}

/* For a config without errors: brings it into the form that look-ups rely on. */
static void finish(struct config *cfg, const struct json_value *root)
{
    struct buf canonical;
    const struct json_value *refused;

    for (size_t i = 0; i < cfg->site_count; i++) {
        struct config_site *site = &cfg->sites[i];

        lower_case_all(site->hosts, site->host_count);
        /* Times of files in a release are those at which they came. */
        if (config_has_release(site))
            site->etag = ETAG_BY_CONTENT;
        for (size_t j = 0; j < site->hotlink_count; j++)
            lower_case_all(site->hotlink[j].hosts, site->hotlink[j].host_count);
    }
    if (cfg->mime_count > 0)
        qsort(cfg->mimes, cfg->mime_count, sizeof(*cfg->mimes), compare_mimes);
    buf_init(&canonical);
    refused = json_canonical(&canonical, root);
    assert(refused == NULL); /* every number belongs to an option, and all of those are integers */
    (void)refused;
    digest_sha256(cfg->digest, canonical.data, canonical.len);
    buf_fini(&canonical);
}

static struct config *parse(const char *text, size_t len, bool has_variables,
                            struct config_errors *errors)
{
    size_t first = errors->count, dropped = errors->dropped;
    struct json_value *root = json_text_parse(text, len, errors);
    struct config *cfg;

    if (root == NULL) {
        config_errors_sort(errors, first);
        return NULL;
    }
    if (has_variables)
        config_fill_variables(root, errors);
    cfg = xcalloc(1, sizeof(*cfg));
    atomic_init(&cfg->refs, 1);
    cfg->text = xmemdup(text, len);
    cfg->text_len = len;
    config_read_options(cfg, root, errors);
    config_check_rules(cfg, root, errors);
    if (errors->count > first || errors->dropped > dropped) {
        config_errors_sort(errors, first);
        config_put(cfg);
        cfg = NULL;
    } else {
        finish(cfg, root);
    }
    json_free(root);
    return cfg;
}

struct config *config_parse(const char *text, size_t len, struct config_errors *errors)
{
    return parse(text, len, false, errors);
}

struct config *config_parse_with_variables(const char *text, size_t len,
                                           struct config_errors *errors)
{
    return parse(text, len, true, errors);
}

void config_errors_add_at(struct config_errors *errors, const struct config *cfg,
                          enum config_code code, const char *pointer, const char *hint,
                          const char *format, ...)
{
    struct config_errors ignored = {0};
    struct json_value *root;
    struct buf message;
    va_list args;

    if (errors->count == CONFIG_ERRORS_MAX) {
        errors->dropped++; /* without reading the text again */
        return;
    }
    root = json_text_parse(cfg->text, cfg->text_len, &ignored);
    assert(root != NULL);
    buf_init(&message);
    va_start(args, format);
    buf_vprintf(&message, format, args);
    va_end(args);
    config_errors_add(errors, code, json_nearest(root, pointer)->span, pointer, hint, "%s",
                      message.data);
    buf_fini(&message);
    json_free(root);
    config_errors_fini(&ignored);
}

void config_place_release(struct config *cfg, size_t site, const char *folder)
{
    if (strcmp(cfg->sites[site].root, folder) == 0)
        return; /* it may be in force */
    free(cfg->sites[site].root);
    cfg->sites[site].root = xstrdup(folder);
}

bool config_is_same(const struct config *a, const struct config *b)
{
    if (strcmp(a->digest, b->digest) != 0)
        return false;
    for (size_t i = 0; i < a->site_count; i++)
        if (strcmp(a->sites[i].root, b->sites[i].root) != 0)
            return false;
    return true;
}

const char *config_site_secret(const struct config_site *site, size_t index)
{
    if (index < site->auth_count)
        return site->auth[index].file;
    index -= site->auth_count;
    if (index < site->signed_url_count)
        return site->signed_urls[index].secret_file;
    index -= site->signed_url_count;
    return index < site->certificate_count ? site->certificates[index].key_file : NULL;
}

struct config *config_get(struct config *cfg)
{
    atomic_fetch_add_explicit(&cfg->refs, 1, memory_order_relaxed);
    return cfg;
}

void config_put(struct config *cfg)
{
    /* Release: each thread's last use comes before the free. Acquire: the free comes after all of
     * them. */
    if (cfg == NULL || atomic_fetch_sub_explicit(&cfg->refs, 1, memory_order_acq_rel) > 1)
        return;
    config_free_options(cfg);
    free(cfg->text);
    free(cfg);
}

bool config_access_log_is_on(const struct config_access_log *log)
{
    return log->path != NULL && log->path[0] != '\0' && strcmp(log->path, "none") != 0;
}

const struct config_access_log *config_access_log_at(const struct config *cfg, size_t number,
                                                     char *pointer, size_t cap)
{
    if (number > cfg->site_count)
        return NULL;
    if (pointer && number == 0)
        snprintf(pointer, cap, "/accessLog");
    else if (pointer)
        snprintf(pointer, cap, "/sites/%zu/accessLog", number - 1);
    return number == 0 ? &cfg->access_log : &cfg->sites[number - 1].access_log;
}

/* SPDX-License-Identifier: MIT */
/* site_error_page.c — rules are few and errors rare, so nothing is made ready. */
#include "site/site_error_page.h"

#include "http/http_coding.h"
#include "match/glob.h"

#include <stdio.h>
#include <string.h>

#define ANY_LANGUAGE 0 /* the weight of a rule without languages: less than that of one that fits */

/* A page for "404" is preferred to one for "4xx". The config has at most one of each. */
static const char *page_for(const struct config_error_page *pages, size_t count,
                            enum http_status status)
{
    const char *of_class = NULL;
    char code[4], class[4];

    snprintf(code, sizeof(code), "%03u", (unsigned)status % 1000);
    snprintf(class, sizeof(class), "%uxx", (unsigned)status / 100 % 10);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(pages[i].status, code) == 0)
            return pages[i].path;
        if (strcmp(pages[i].status, class) == 0)
            of_class = pages[i].path;
    }
    return of_class;
}

/* -1: the client likes none of the rule's languages. */
static int weight_of(const struct config_error_rule *rule, const struct http_request *req,
                     const char *head)
{
    int best = -1;

    if (rule->language_count == 0)
        return ANY_LANGUAGE;
    for (size_t i = 0; i < rule->language_count; i++) {
        int weight = http_language_weight(req, head, rule->languages[i]);
        if (weight > 0 && weight > best)
            best = weight;
    }
    return best;
}

struct site_error_page site_error_page_find(const struct config_site *cfg, struct span path,
                                            enum http_status status, const struct http_request *req,
                                            const char *head)
{
    struct site_error_page found = {0};
    int best = -1;

    for (size_t i = 0; i < cfg->error_rule_count; i++) {
        const struct config_error_rule *rule = &cfg->error_rules[i];
        const char *page = page_for(rule->pages, rule->page_count, status);
        int weight;

        if (!page || !glob_path_in(rule->paths, rule->path_count, path))
            continue;
        found.depends_on_language |= rule->language_count > 0;
        weight = weight_of(rule, req, head);
        if (weight > best) {
            best = weight;
            found.path = page;
        }
    }
    if (!found.path)
        found.path = page_for(cfg->error_pages, cfg->error_page_count, status);
    return found;
}

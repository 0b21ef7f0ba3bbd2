/* SPDX-License-Identifier: MIT */
/* response_preload.c — Link (RFC 8288): what a page will want, said ahead of the page. */
#include "response/response_parts.h"

#include "base/buf.h"
#include "base/mem.h"
#include "match/glob.h"

static void prepare(struct span *lines, const struct config_preload *rule)
{
    struct buf text;

    buf_init(&text);
    for (size_t i = 0; i < rule->link_count; i++)
        buf_printf(&text, "Link: %s\r\n", rule->links[i]);
    lines->len = text.len;
    lines->ptr = buf_take(&text);
}

size_t response_preload_init(struct response_rules *rules)
{
    size_t longest = 0, count = rules->site->preload_count;

    rules->preloads = count > 0 ? xcalloc(count, sizeof(*rules->preloads)) : NULL;
    for (size_t i = 0; i < count; i++) {
        prepare(&rules->preloads[i], &rules->site->preload[i]);
        if (rules->preloads[i].len > longest)
            longest = rules->preloads[i].len;
    }
    return longest;
}

void response_preload_fini(struct response_rules *rules)
{
    for (size_t i = 0; rules->preloads && i < rules->site->preload_count; i++)
        free((char *)(uintptr_t)rules->preloads[i].ptr);
    free(rules->preloads);
}

uint8_t response_preload_find(const struct config_site *site, struct span path)
{
    for (size_t i = 0; i < site->preload_count; i++)
        if (glob_path_in(site->preload[i].paths, site->preload[i].path_count, path))
            return (uint8_t)(i + 1);
    return 0;
}

static bool is_page(const char *type)
{
    static char html[] = "text/html", xhtml[] = "application/xhtml+xml";
    static char *const pages[] = {html, xhtml};

    return glob_type_in(pages, ARRAY_LEN(pages), type);
}

struct span response_preload_lines(const struct response_choice *choice,
                                   struct response_match match, const char *type)
{
    if (match.preload == 0 || !keeps(choice, OWN_LINK) || !is_page(type))
        return (struct span){"", 0};
    return choice->rules->preloads[match.preload - 1];
}

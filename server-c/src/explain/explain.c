/* SPDX-License-Identifier: MIT */
/* explain.c — takes a URL apart, follows it, and says what was found. */
#include "explain/explain.h"

#include "explain/explain_head.h"
#include "explain/explain_route.h"

#include <string.h>

/* --- the URL --------------------------------------------------------------------------------- */

/* NULL, or what is wrong with it. */
static const char *take_apart(const char *url, struct explain_asked *asked)
{
    bool is_secure = strncmp(url, "https://", 8) == 0;
    const char *host = url + (is_secure ? 8 : 7), *end, *port, *mark;

    if (!is_secure && strncmp(url, "http://", 7) != 0)
        return "a URL begins with http:// or https://";
    if (strlen(url) > EXPLAIN_URL_MAX)
        return "a URL has at most 2048 bytes";
    for (const char *p = url; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == '#' || *p == '@')
            return "a URL has no spaces, no fragment and no user";
    end = host + strcspn(host, "/?");
    port = *host == '[' ? memchr(host, ']', (size_t)(end - host)) : host;
    port = port ? memchr(port, ':', (size_t)(end - port)) : NULL;
    asked->host = (struct span){host, (size_t)((port ? port : end) - host)};
    if (asked->host.len == 0)
        return "a URL names a host";
    if (*end == '?')
        return "a URL has a path, if only /";
    mark = strchr(end, '?');
    asked->path = (struct span){end, mark ? (size_t)(mark - end) : strlen(end)};
    asked->query = mark ? (struct span){mark + 1, strlen(mark + 1)} : (struct span){"", 0};
    if (asked->path.len == 0)
        asked->path = (struct span){"/", 1};
    asked->is_secure = is_secure;
    return NULL;
}

/* --- what was found -------------------------------------------------------------------------- */

/* Names of files and hosts need not be UTF-8: such a text is null. */
static json_t *text_json(struct span text)
{
    json_t *value = json_stringn(text.ptr ? text.ptr : "", text.len);

    return value ? value : json_null();
}

static void add_rule(void *to, const char *pointer)
{
    json_array_append_new(to, json_string(pointer));
}

static void add_field(void *to, const struct explain_field *field)
{
    json_t *value = field->is_of_file ? json_null() : text_json(field->value);

    json_array_append_new(to, json_pack("{so so ss}", "name", text_json(field->name), "value",
                                        value, "from", field->pointer));
}

static json_t *lines_json(const struct buf *lines)
{
    json_t *list = json_array();
    const char *line = lines->data, *end;

    for (size_t left = lines->len; left > 0 && (end = memchr(line, '\n', left)); line = end + 1) {
        json_array_append_new(list, text_json((struct span){line, (size_t)(end - line)}));
        left -= (size_t)(end - line) + 1;
    }
    return list;
}

/* What the config names and nobody has read here, so that it is not known what it would do. */
static json_t *unread_json(const struct site *site, size_t number)
{
    json_t *list = json_array();

    if (config_has_redirect_file(site->cfg) && !site->policy.redirect_list)
        json_array_append_new(list, json_sprintf("/sites/%zu/redirectFile", number));
    for (size_t i = 0; i < site->cfg->signed_url_count; i++)
        if (site->policy.keys[i]->len == 0)
            json_array_append_new(list, json_sprintf("/sites/%zu/signedUrls/%zu", number, i));
    return list;
}

static json_t *found_json(const struct site_set *sites, const struct site *site,
                          const struct explain_asked *asked)
{
    struct explain_router *router = explain_router_new(sites);
    size_t number = (size_t)(site - sites->sites);
    json_t *rules = json_array(), *headers = json_array(), *found;
    struct explain_routed routed;

    explain_routed_init(&routed);
    explain_route(router, site, asked, &routed);
    explain_route_rules(router, site, asked, &routed, add_rule, rules);
    explain_head(sites, site, &routed, asked->is_secure, add_field, headers);
    found = json_pack("{sI sI so so so so so so}", "site", (json_int_t)number, "status",
                      (json_int_t)routed.status, "location",
                      text_json((struct span){routed.location.data, routed.location.len}), "path",
                      text_json((struct span){routed.path.data, routed.path.len}), "files",
                      lines_json(&routed.files), "rules", rules, "unread",
                      unread_json(site, number), "headers", headers);
    explain_routed_fini(&routed);
    explain_router_free(router);
    return found;
}

static json_t *no_site_json(void)
{
    return json_pack("{sn sI ss ss s[] s[] s[] s[]}", "site", "status",
                     (json_int_t)HTTP_MISDIRECTED_REQUEST, "location", "", "path", "", "files",
                     "rules", "unread", "headers");
}

json_t *explain_url(const struct site_set *sites, const char *url)
{
    struct explain_asked asked;
    const char *wrong = take_apart(url, &asked);
    const struct site *site = wrong ? NULL : site_set_find(sites, asked.host);
    json_t *answer;

    if (wrong)
        answer = json_pack("{ss}", "error", wrong);
    else
        answer = site ? found_json(sites, site, &asked) : no_site_json();
    json_object_set_new(answer, "url", text_json((struct span){url, strlen(url)}));
    return answer;
}

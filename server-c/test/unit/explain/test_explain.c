/* SPDX-License-Identifier: MIT */
/* What is said of a URL, and which rule is named for it. That a node answers so is system test 15. */
#include "explain/explain.c"
#include "explain/explain_head.c"
#include "explain/explain_route.c"

#include "check.h"

static const char config[] =
    "{ \"listen\": [{ \"address\": \"127.0.0.1\", \"port\": 8080 },\n"
    "    { \"address\": \"127.0.0.1\", \"port\": 8443, \"tls\": true }],\n"
    "  \"sites\": [{ \"hosts\": [\"a.test\"], \"root\": \"/www\",\n"
    "    \"redirects\": [{ \"match\": \"^/never$\", \"to\": \"/x\" },\n"
    "      { \"match\": \"^/old/(.*)$\", \"to\": \"/new/$1\", \"status\": 308 },\n"
    "      { \"match\": \"^/old/x$\", \"to\": \"/too-late\" }],\n"
    "    \"rewrites\": [{ \"match\": \"^/r/(.*)$\", \"to\": \"/x/$1\" }],\n"
    "    \"aliases\": [{ \"path\": \"/docs/\", \"folder\": \"/srv/docs\" }],\n"
    "    \"access\": [{ \"action\": \"allow\", \"paths\": [\"/open.bak\"] },\n"
    "      { \"action\": \"deny\", \"paths\": [\"*.bak\", \"/shut/index.html\"] }],\n"
    "    \"auth\": [{ \"paths\": [\"/club/**\"], \"realm\": \"Club\", \"file\": \"/none\" }],\n"
    "    \"maintenance\": [{ \"paths\": [\"/closed/**\"], \"retrySeconds\": 90 }],\n"
    "    \"signedUrls\": [{ \"paths\": [\"/signed/**\"], \"secretFile\": \"/none\" }],\n"
    "    \"securityHeaders\": { \"preset\": \"basic\" },\n"
    "    \"headers\": [{ \"name\": \"X-A\", \"value\": \"1\" },\n"
    "      { \"name\": \"X-B\", \"value\": \"2\", \"paths\": [\"*.css\"] },\n"
    "      { \"name\": \"Content-Type\", \"value\": \"text/x-mine\", \"paths\": [\"/tag\"] }],\n"
    "    \"expires\": [{ \"paths\": [\"/assets/**\"], \"maxAgeSeconds\": 31536000 },\n"
    "      { \"paths\": [\"*.txt\"], \"from\": \"modification\", \"maxAgeSeconds\": 60 }],\n"
    "    \"downloads\": [{ \"paths\": [\"*.zip\"] }] },\n"
    "  { \"hosts\": [\"app.test\"], \"root\": \"/app\", \"redirectToHttps\": true,\n"
    "    \"hsts\": { \"maxAgeSeconds\": 300 },\n"
    "    \"certificates\": [{ \"chainFile\": \"/none\", \"keyFile\": \"/none\" }],\n"
    "    \"tryFiles\": [{ \"paths\": [\"/gone/**\"], \"candidates\": [\"410\"] },\n"
    "      { \"candidates\": [\"{path}\", \"/index.html\"] }] },\n"
    "  { \"hosts\": [\"*.many.test\"], \"root\": \"/many/{host}\", \"redirectFile\": \"/none\" }] "
    "}";

static struct site_set *sites;

static const char *member(const json_t *one, const char *name)
{
    const char *text = json_string_value(json_object_get(one, name));

    return text ? text : "";
}

/* "a b c" */
static const char *joined(const json_t *list, char out[512])
{
    const json_t *item;
    size_t i;

    *out = '\0';
    json_array_foreach(list, i, item)
    {
        if (i > 0)
            strcat(out, " ");
        strcat(out, json_string_value(item));
    }
    return out;
}

static void test_ways(void)
{
    static const struct {
        int line;
        const char *url;
        int status;
        const char *location, *files, *rules;
    } rows[] = {
        {__LINE__, "http://a.test/", 200, "", "/www/index.html", ""},
        {__LINE__, "http://A.test.:8080/x.css?q", 200, "", "/www/x.css", ""},
        {__LINE__, "http://a.test/old/x?q=1", 308, "/new/x?q=1", "", "/sites/0/redirects/1"},
        {__LINE__, "http://a.test/r/1.css", 200, "", "/www/x/1.css", "/sites/0/rewrites/0"},
        {__LINE__, "http://a.test/docs/a", 200, "", "/srv/docs/a", "/sites/0/aliases/0"},
        {__LINE__, "http://a.test/docs?q", 301, "/docs/?q", "", "/sites/0/aliases/0"},
        {__LINE__, "http://a.test/x.bak", 403, "", "", "/sites/0/access/1"},
        {__LINE__, "http://a.test/open.bak", 200, "", "/www/open.bak", ""},
        {__LINE__, "http://a.test/shut/", 403, "", "", "/sites/0/access/1"},
        {__LINE__, "http://a.test/r/x.bak", 403, "", "", "/sites/0/access/1"},
        {__LINE__, "http://a.test/club/", 401, "", "", "/sites/0/auth/0"},
        {__LINE__, "http://a.test/closed/", 503, "", "", "/sites/0/maintenance/0"},
        {__LINE__, "http://a.test/signed/x", 403, "", "", "/sites/0/signedUrls/0"},
        {__LINE__, "http://a.test/%2e%2e/x", 400, "", "", ""},
        {__LINE__, "http://a.test/.git/x", 404, "", "", ""},
        {__LINE__, "http://app.test/p?x", 301, "https://app.test:8443/p?x", "",
         "/sites/1/redirectToHttps"},
        {__LINE__, "http://app.test/.well-known/acme-challenge/t", 200, "",
         "/app/.well-known/acme-challenge/t", ""},
        {__LINE__, "https://app.test/p", 200, "", "/app/p /app/index.html", "/sites/1/tryFiles/1"},
        {__LINE__, "https://app.test/gone/", 410, "", "", "/sites/1/tryFiles/0"},
        {__LINE__, "http://other.test/", 421, "", "", ""},
        {__LINE__, "http://[::1]:80/", 421, "", "", ""},
        {__LINE__, "http://b.many.test/x", 200, "", "/many/b.many.test/x", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        json_t *one = explain_url(sites, rows[i].url);
        char text[512];

        CHECK_INT(rows[i].line, rows[i].url, json_integer_value(json_object_get(one, "status")),
                  rows[i].status);
        CHECK_STR(rows[i].line, rows[i].url, member(one, "location"), rows[i].location);
        CHECK_STR(rows[i].line, rows[i].url, joined(json_object_get(one, "files"), text),
                  rows[i].files);
        CHECK_STR(rows[i].line, rows[i].url, joined(json_object_get(one, "rules"), text),
                  rows[i].rules);
        json_decref(one);
    }
}

/* "VALUE pointer"; "-": there is no such header. */
static const char *field_of(const json_t *one, const char *name, char out[512])
{
    const json_t *field;
    size_t i;

    strcpy(out, "-");
    json_array_foreach(json_object_get(one, "headers"), i, field)
    {
        if (strcmp(member(field, "name"), name) != 0)
            continue;
        snprintf(out, 512, "%s %s",
                 json_is_null(json_object_get(field, "value")) ? "null" : member(field, "value"),
                 member(field, "from"));
    }
    return out;
}

static void test_heads(void)
{
    static const struct {
        int line;
        const char *url, *name, *want;
    } rows[] = {
        {__LINE__, "http://a.test/x.css", "X-A", "1 /sites/0/headers/0"},
        {__LINE__, "http://a.test/x.css", "X-B", "2 /sites/0/headers/1"},
        {__LINE__, "http://a.test/x.js", "X-B", "-"},
        {__LINE__, "http://a.test/x.js", "Cache-Control", "-"},
        {__LINE__, "http://a.test/x.js", "Content-Type", "text/javascript; charset=utf-8 "},
        {__LINE__, "http://a.test/x.js", "ETag", "null "},
        {__LINE__, "http://a.test/tag", "Content-Type", "text/x-mine /sites/0/headers/2"},
        {__LINE__, "http://a.test/assets/x.js", "Cache-Control",
         "max-age=31536000 /sites/0/expires/0"},
        {__LINE__, "http://a.test/x.txt", "Cache-Control", "null /sites/0/expires/1"},
        {__LINE__, "http://a.test/x.zip", "Content-Disposition",
         "attachment; filename=\"x.zip\" /sites/0/downloads/0"},
        {__LINE__, "http://a.test/x.js", "X-Content-Type-Options",
         "nosniff /sites/0/securityHeaders"},
        {__LINE__, "http://a.test/old/x", "Location", "/new/x "},
        {__LINE__, "http://a.test/old/x", "Content-Length", "null "},
        {__LINE__, "http://a.test/club/", "WWW-Authenticate",
         "Basic realm=\"Club\", charset=\"UTF-8\" "},
        {__LINE__, "http://a.test/closed/", "Retry-After", "90 "},
        {__LINE__, "https://app.test/p", "Strict-Transport-Security", "max-age=300 /sites/1/hsts"},
        {__LINE__, "https://app.test/p", "Content-Type", "text/html; charset=utf-8 "},
        {__LINE__, "http://app.test/p", "Strict-Transport-Security", "-"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        json_t *one = explain_url(sites, rows[i].url);
        char text[512];

        CHECK_STR(rows[i].line, rows[i].url, field_of(one, rows[i].name, text), rows[i].want);
        json_decref(one);
    }
}

static void test_unread(void)
{
    char text[512];
    json_t *one = explain_url(sites, "http://b.many.test/x");

    CHECK_STR(__LINE__, "redirects", joined(json_object_get(one, "unread"), text),
              "/sites/2/redirectFile");
    json_decref(one);
    one = explain_url(sites, "http://a.test/");
    CHECK_STR(__LINE__, "keys", joined(json_object_get(one, "unread"), text),
              "/sites/0/signedUrls/0");
    json_decref(one);
}

static void test_no_urls(void)
{
    static const struct {
        int line;
        const char *url, *error;
    } rows[] = {
        {__LINE__, "/x", "a URL begins with http:// or https://"},
        {__LINE__, "ftp://a.test/", "a URL begins with http:// or https://"},
        {__LINE__, "http:///x", "a URL names a host"},
        {__LINE__, "http://:80/x", "a URL names a host"},
        {__LINE__, "http://a.test?x", "a URL has a path, if only /"},
        {__LINE__, "http://a.test/a b", "a URL has no spaces, no fragment and no user"},
        {__LINE__, "http://me@a.test/", "a URL has no spaces, no fragment and no user"},
        {__LINE__, "http://a.test/#x", "a URL has no spaces, no fragment and no user"},
    };
    char *lengthy = xmalloc(EXPLAIN_URL_MAX + 2);
    json_t *one;

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        one = explain_url(sites, rows[i].url);
        CHECK_STR(rows[i].line, rows[i].url, member(one, "error"), rows[i].error);
        CHECK_STR(rows[i].line, rows[i].url, member(one, "url"), rows[i].url);
        json_decref(one);
    }
    memset(lengthy, 'x', EXPLAIN_URL_MAX + 1);
    memcpy(lengthy, "http://a.test/", 14);
    lengthy[EXPLAIN_URL_MAX + 1] = '\0';
    one = explain_url(sites, lengthy);
    CHECK_STR(__LINE__, "too long", member(one, "error"), "a URL has at most 2048 bytes");
    json_decref(one);
    free(lengthy);
}

int main(void)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(config, sizeof(config) - 1, &errors);

    CHECK_TRUE(cfg, "%s: %s", errors.count ? errors.items[0].pointer : "",
               errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    if (!cfg)
        return check_end("explain");
    sites = site_set_new_unread(cfg);
    test_ways();
    test_heads();
    test_unread();
    test_no_urls();
    site_set_put(sites);
    config_put(cfg);
    return check_end("explain");
}

/* SPDX-License-Identifier: MIT */
/* Host names: their normal form, safe names, names in rules, and the host in a Referer. */
#include "site/site_host.c"

#include "check.h"

static struct span of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static void test_names(void)
{
    static const struct {
        int line;
        const char *host;
        bool want;
    } rows[] = {
        {__LINE__, "example.org", true}, {__LINE__, "a-b_c.1", true}, {__LINE__, "a", true},
        {__LINE__, "", false},           {__LINE__, ".", false},      {__LINE__, "..", false},
        {__LINE__, ".a", false},         {__LINE__, "a.", false},     {__LINE__, "a..b", false},
        {__LINE__, "a/b", false},        {__LINE__, "[::1]", false},  {__LINE__, "A", false},
        {__LINE__, "a%2e", false},       {__LINE__, "a~", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].host, site_host_is_name(of(rows[i].host)), rows[i].want);
}

static void test_normalise(void)
{
    char out[SITE_HOST_MAX + 1], long_host[SITE_HOST_MAX + 2];

    CHECK_INT(__LINE__, "length", site_host_normalise(out, of("WWW.Example.ORG.")), 15);
    CHECK_STR(__LINE__, "lower case, no last dot", out, "www.example.org");
    CHECK_INT(__LINE__, "empty", site_host_normalise(out, of("")), 0);
    CHECK_INT(__LINE__, "a dot alone", site_host_normalise(out, of(".")), 0);
    memset(long_host, 'x', sizeof(long_host));
    CHECK_INT(__LINE__, "the longest",
              site_host_normalise(out, (struct span){long_host, SITE_HOST_MAX}), SITE_HOST_MAX);
    CHECK_INT(__LINE__, "too long",
              site_host_normalise(out, (struct span){long_host, SITE_HOST_MAX + 1}), 0);
}

static void test_in(void)
{
    char exact[] = "example.org", wild[] = "*.example.net", any[] = "*";
    char *names[] = {exact, wild, any};
    static const struct {
        int line;
        const char *host;
        bool want;
    } rows[] = {
        {__LINE__, "example.org", true},      {__LINE__, "EXAMPLE.org.", true},
        {__LINE__, "www.example.org", false}, {__LINE__, "a.example.net", true},
        {__LINE__, "a.b.example.net", true},  {__LINE__, "example.net", false},
        {__LINE__, ".example.net", false},    {__LINE__, "badexample.net", false},
        {__LINE__, "other.test", false},      {__LINE__, "", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].host, site_host_in(names, 3, of(rows[i].host)),
                  rows[i].want);
}

static void test_of_url(void)
{
    static const struct {
        int line;
        const char *url, *want; /* NULL: there is none */
    } rows[] = {
        {__LINE__, "http://a.test/x", "a.test"},
        {__LINE__, "HTTPS://a.test", "a.test"},
        {__LINE__, "http://a.test:8080/", "a.test"},
        {__LINE__, "http://a.test?b.test", "a.test"},
        {__LINE__, "http://a.test#b.test", "a.test"},
        {__LINE__, "http://a.test@b.test/", "b.test"},
        {__LINE__, "http://user:a.test@b.test:1/@c.test", "b.test"},
        {__LINE__, "http://[::1]:80/", "[::1]"},
        {__LINE__, "http://[::1", NULL},
        {__LINE__, "http:///x", NULL},
        {__LINE__, "http://", NULL},
        {__LINE__, "ftp://a.test/", NULL},
        {__LINE__, "a.test/", NULL},
        {__LINE__, "", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span host;
        bool found = site_host_of_url(of(rows[i].url), &host);
        CHECK_INT(rows[i].line, rows[i].url, found, rows[i].want != NULL);
        if (found && rows[i].want)
            CHECK_INT(rows[i].line, rows[i].url, site_host_equals(host, of(rows[i].want)), true);
    }
}

int main(void)
{
    test_names();
    test_normalise();
    test_in();
    test_of_url();
    return check_end("site_host");
}

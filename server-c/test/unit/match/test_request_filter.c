/* SPDX-License-Identifier: MIT */
/* Which requests a filter takes: each member by itself, and all of them together. */
#include "match/request_filter.c"

#include "check.h"

static char first[] = "example.org", second[] = "www.example.org";
static char *const hosts[] = {first, second};
static const uint8_t client[ADDRESS_LEN] = {[10] = 0xff, 0xff, 192, 0, 2, 7};

static struct request_facts facts(void)
{
    return (struct request_facts){
        .site_hosts = hosts,
        .site_host_count = ARRAY_LEN(hosts),
        .host = {"www.example.org:8080", 20},
        .method = {"GET", 3},
        .client = client,
        .status = 404,
        .total_ns = 50 * NS_PER_MS,
        .bytes = 320,
    };
}

static void each_member_narrows(void)
{
    static const struct {
        int line;
        struct request_filter filter;
        bool takes;
    } rows[] = {
        {__LINE__, {.site = ""}, true},
        {__LINE__, {.site = "www.example.org"}, true},
        {__LINE__, {.site = "ww.example.org"}, false},
        {__LINE__, {.host = "example"}, true},
        {__LINE__, {.host = ":8080"}, true},
        {__LINE__, {.host = "example.com"}, false},
        {__LINE__, {.method = "GET"}, true},
        {__LINE__, {.method = "GE"}, false},
        {__LINE__, {.method = "HEAD"}, false},
        {__LINE__, {.status_from = 404, .status_to = 404}, true},
        {__LINE__, {.status_from = 400, .status_to = 499}, true},
        {__LINE__, {.status_from = 500, .status_to = 599}, false},
        {__LINE__, {.status_from = 100, .status_to = 403}, false},
        {__LINE__, {.slower_ns = 50 * NS_PER_MS}, true},
        {__LINE__, {.slower_ns = 51 * NS_PER_MS}, false},
        {__LINE__, {.bytes_from = 320}, true},
        {__LINE__, {.bytes_from = 321}, false},
        {__LINE__, {.method = "GET", .bytes_from = 321}, false},
    };
    struct request_facts request = facts();

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, "takes", request_filter_takes(&rows[i].filter, &request),
                  rows[i].takes);
}

static void clients(void)
{
    static const struct {
        int line;
        const char *block;
        bool takes;
    } rows[] = {
        {__LINE__, "192.0.2.7", true},  {__LINE__, "192.0.2.0/24", true},
        {__LINE__, "192.0.2.8", false}, {__LINE__, "2001:db8::/32", false},
        {__LINE__, "0.0.0.0/0", true},
    };
    struct request_facts request = facts(), unknown = facts();

    unknown.client = NULL;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct request_filter filter = {.has_client = true};
        CHECK_TRUE(!address_block_parse(&filter.client, rows[i].block), "it is a block");
        CHECK_INT(rows[i].line, "takes", request_filter_takes(&filter, &request), rows[i].takes);
        CHECK_TRUE(!request_filter_takes(&filter, &unknown), "one without address is none of it");
    }
}

static void what_has_no_response_has_no_status(void)
{
    struct request_facts request = facts();
    struct request_filter any = {.site = ""}, some = {.status_from = 100, .status_to = 599};

    request.status = 0;
    CHECK_TRUE(request_filter_takes(&any, &request), "any");
    CHECK_TRUE(!request_filter_takes(&some, &request), "some status");
}

static void no_site_answered(void)
{
    struct request_facts request = facts();
    struct request_filter of_site = {.site = "example.org"};

    request.site_hosts = NULL;
    request.site_host_count = 0;
    CHECK_TRUE(!request_filter_takes(&of_site, &request), "of no site");
}

static void paths(void)
{
    static const struct {
        int line;
        const char *path;
        bool begins;
        const char *masked;
        bool takes;
    } rows[] = {
        {__LINE__, "", false, "", true},
        {__LINE__, "/a", true, "/a", true},
        {__LINE__, "/a", true, "/ab", true},
        {__LINE__, "/a", true, "/b/a", false},
        {__LINE__, "/a", true, "/", false},
        {__LINE__, "/a", false, "/b/a", true},
        {__LINE__, "ana", false, "/users/***/photos", false},
        {__LINE__, "/a", false, "", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct request_filter filter = {.path_begins = rows[i].begins};
        struct span masked = {rows[i].masked, strlen(rows[i].masked)};
        snprintf(filter.path, sizeof(filter.path), "%s", rows[i].path);
        CHECK_INT(rows[i].line, "takes", request_filter_takes_path(&filter, masked), rows[i].takes);
    }
}

int main(void)
{
    each_member_narrows();
    clients();
    what_has_no_response_has_no_status();
    no_site_answered();
    paths();
    return check_end("request_filter");
}

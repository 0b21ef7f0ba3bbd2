/* SPDX-License-Identifier: MIT */
/* Which page goes with an error, by path, language and status. */
#include "site/site_error_page.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))
#define LIST(...) ((char *[]){__VA_ARGS__})

static struct config_error_page english[] = {{S("404"), S("/en/404")}, {S("4xx"), S("/en/4xx")}};
static struct config_error_page german[] = {{S("404"), S("/de/404")}};
static struct config_error_page shop[] = {{S("404"), S("/shop/404")}};
static struct config_error_page all[] = {{S("404"), S("/404")}, {S("5xx"), S("/5xx")}};

static struct config_error_rule rules[] = {
    {.paths = LIST(S("/shop/**")), .path_count = 1, .pages = shop, .page_count = 1},
    {.languages = LIST(S("en")), .language_count = 1, .pages = english, .page_count = 2},
    {.languages = LIST(S("de"), S("de-CH")), .language_count = 2, .pages = german, .page_count = 1},
};

static void check_row(int line, const char *path, const char *language, int status,
                      const char *want, bool varies)
{
    struct config_site cfg = {.error_rules = rules,
                              .error_rule_count = ARRAY_LEN(rules),
                              .error_pages = all,
                              .error_page_count = ARRAY_LEN(all)};
    struct site_error_page page;
    struct http_request req;
    char head[300];
    int len = snprintf(head, sizeof(head), "GET / HTTP/1.1\r\nHost: a\r\n%s\r\n", language);

    http_request_init(&req, 8192, 8192);
    CHECK_TRUE(http_parse_request(&req, head, (size_t)len) == PARSE_OK, "row %d", line);
    page = site_error_page_find(&cfg, (struct span){path, strlen(path)}, (enum http_status)status,
                                &req, head);
    if (want)
        CHECK_STR(line, language, page.path, want);
    else
        CHECK_TRUE(!page.path, "row %d", line);
    CHECK_TRUE(page.depends_on_language == varies, "row %d", line);
}

#define L(value) "Accept-Language: " value "\r\n"

int main(void)
{
    check_row(__LINE__, "/x", "", 404, "/404", true);
    check_row(__LINE__, "/x", L("de"), 404, "/de/404", true);
    check_row(__LINE__, "/x", L("de-AT"), 404, "/de/404", true);
    check_row(__LINE__, "/x", L("fr, de;q=0.5, en;q=0.7"), 404, "/en/404", true);
    check_row(__LINE__, "/x", L("fr"), 404, "/404", true);
    check_row(__LINE__, "/x", L("fr, *;q=0.1"), 404, "/en/404", true);
    check_row(__LINE__, "/x", L("en;q=0, *"), 404, "/de/404", true);
    check_row(__LINE__, "/x", L("design"), 404, "/404", true);
    check_row(__LINE__, "/x", L("de;q=x"), 404, "/404", true);
    check_row(__LINE__, "/x", L("de"), 403, NULL, true); /* English alone has one for 403 */
    check_row(__LINE__, "/x", L("en"), 403, "/en/4xx", true);
    check_row(__LINE__, "/x", L("en"), 503, "/5xx", false);
    check_row(__LINE__, "/shop/x", "", 404, "/shop/404", true);
    check_row(__LINE__, "/shop/x", L("de"), 404, "/de/404", true);
    check_row(__LINE__, "", L("fr"), 404, "/404", true);
    return check_end("site_error_page");
}

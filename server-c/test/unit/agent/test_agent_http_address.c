/* SPDX-License-Identifier: MIT */
/* Addresses as people type them. */
#include "agent/agent_http_address.c"

#include "base/util.h"
#include "check.h"

static void test_control_planes(void)
{
    static const struct {
        const char *text, *want; /* NULL: refused */
        bool is_plain;
        const char *why;
    } rows[] = {
        {"https://cp.example:9701", "https://cp.example:9701", false, NULL},
        {"https://cp.example:9701///", "https://cp.example:9701", false, NULL},
        {"https://cp.example/agents/", "https://cp.example/agents", false, NULL},
        {"HTTPS://cp.example", "HTTPS://cp.example", false, NULL},
        {"http://cp.example", "http://cp.example", true, NULL},
        {"https://[::1]:9701", "https://[::1]:9701", false, NULL},
        {"https://::1:9701", NULL, false, "brackets"},
        {"cp.example:9701", NULL, false, "no https://"},
        {"ftp://cp.example", NULL, false, "no https://"},
        {"file:///etc/passwd", NULL, false, "no https://"},
        {"", NULL, false, "no https://"},
        {"https://anna@cp.example", NULL, false, "no user"},
        {"https://anna:pw@cp.example", NULL, false, "no user"},
        {"https://cp.example/?a", NULL, false, "\"?\""},
        {"https://cp.example/#a", NULL, false, "\"#\""},
        {"https://cp.example/0123456789012345678901234567890123456789", NULL, false,
         "longer than 39 bytes"},
        {"https://cp.example/01234567890123456789", "https://cp.example/01234567890123456789",
         false, NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char out[40] = "untouched", why[300] = "";
        bool is_plain = !rows[i].is_plain;
        int err = agent_http_check_url(rows[i].text, out, sizeof(out), &is_plain, why, sizeof(why));
        CHECK_INT((int)i, rows[i].text, err, rows[i].want ? 0 : -1);
        CHECK_STR((int)i, rows[i].text, out, rows[i].want ? rows[i].want : "untouched");
        if (rows[i].want)
            CHECK_INT((int)i, rows[i].text, is_plain, rows[i].is_plain);
        else
            CHECK_TRUE(strstr(why, rows[i].why) != NULL, "row %zu: %s", i, why);
    }
}

static void test_proxies(void)
{
    static const struct {
        const char *text;
        bool is_one;
    } rows[] = {
        {"http://proxy:3128", true},    {"https://proxy:3128", true},
        {"http://anna:pw@proxy", true}, {"socks5://proxy:1080", false},
        {"proxy:3128", false},          {"", false},
        {"http://proxy:99999", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char why[300] = "";
        CHECK_INT((int)i, rows[i].text, agent_http_check_proxy(rows[i].text, why, sizeof(why)),
                  rows[i].is_one ? 0 : -1);
        CHECK_INT((int)i, "says why", why[0] != '\0', !rows[i].is_one);
    }
}

int main(void)
{
    test_control_planes();
    test_proxies();
    return check_end("agent_http_address");
}

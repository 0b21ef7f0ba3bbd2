/* SPDX-License-Identifier: MIT */
/* Which headers a site's presets stand for, and what the author's words change in them. */
#include "config/config_security.c"

#include "check.h"

#define S(text) ((char *)(uintptr_t)(text))

static void check_row(int line, const struct config_site *site, const char *want)
{
    struct config_security security;
    char found[600] = "";

    config_security_init(&security, site);
    for (size_t i = 0; i < security.count; i++)
        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s: %s\n",
                 security.rules[i].name, security.rules[i].value);
    CHECK_STR(line, "headers", found, want);
    config_security_fini(&security);
}

#define SITE(...) (&(struct config_site){.security = {__VA_ARGS__}})

static void test_headers(void)
{
    check_row(__LINE__, SITE(.preset = SECURITY_OFF), "");
    check_row(__LINE__, SITE(.preset = SECURITY_BASIC),
              "X-Content-Type-Options: nosniff\n"
              "Content-Security-Policy: frame-ancestors 'self'\n"
              "X-Frame-Options: SAMEORIGIN\n"
              "Referrer-Policy: strict-origin-when-cross-origin\n");
    check_row(__LINE__, SITE(.preset = SECURITY_STRICT),
              "X-Content-Type-Options: nosniff\n"
              "Content-Security-Policy: default-src 'self'; base-uri 'none'; form-action 'self'; "
              "object-src 'none'; frame-ancestors 'none'\n"
              "X-Frame-Options: DENY\n"
              "Referrer-Policy: no-referrer\n"
              "Permissions-Policy: camera=(), geolocation=(), microphone=(), payment=(), usb=()\n");
    check_row(__LINE__,
              SITE(.preset = SECURITY_BASIC, .frames = FRAMES_ANYWHERE, .referrer = S("origin")),
              "X-Content-Type-Options: nosniff\nReferrer-Policy: origin\n");
    check_row(__LINE__,
              SITE(.policy = S("default-src 'self'; frame-ancestors https://a.test"),
                   .permissions = S("camera=()")),
              "Content-Security-Policy: default-src 'self'; frame-ancestors https://a.test\n"
              "Permissions-Policy: camera=()\n");
    check_row(__LINE__, SITE(.policy = S("default-src 'self'"), .frames = FRAMES_NOWHERE),
              "Content-Security-Policy: default-src 'self'; frame-ancestors 'none'\n"
              "X-Frame-Options: DENY\n");
}

static void test_hsts(void)
{
    struct config_site site = {.security = {.preset = SECURITY_STRICT}};

    CHECK_INT(__LINE__, "by the set", (int)config_hsts_seconds(&site), A_YEAR);
    site.hsts.max_age_seconds = 300;
    CHECK_INT(__LINE__, "as said", (int)config_hsts_seconds(&site), 300);
    site = (struct config_site){.security = {.preset = SECURITY_BASIC}};
    CHECK_INT(__LINE__, "not said", (int)config_hsts_seconds(&site), 0);
}

int main(void)
{
    test_headers();
    test_hsts();
    return check_end("config_security");
}

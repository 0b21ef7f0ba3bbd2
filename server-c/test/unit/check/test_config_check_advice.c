/* SPDX-License-Identifier: MIT */
/* What is warned of, and where. */
#include "check/config_check_advice.c"

#include "check.h"

static void check_row(int line, const char *site, const char *proxies, const char *want)
{
    struct config_errors errors = {0}, warnings = {0};
    char text[600], found[200] = "";
    struct config *cfg;

    snprintf(text, sizeof(text),
             "{\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/\"%s}],\"trustedProxies\":[%s]}", site,
             proxies);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "row %d", line);
    config_check_advise(cfg, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s ",
                 warnings.items[i].pointer);
    CHECK_STR(line, site, found, want);
    config_errors_fini(&warnings);
    config_errors_fini(&errors);
    config_put(cfg);
}

static void check_proxies(int line, const char *proxies, const char *want)
{
    check_row(line, "", proxies, want);
}

static void check_site(int line, const char *site, const char *want)
{
    check_row(line, site, "", want);
}

#define CORS ",\"cors\":[{\"origins\":[\"*\"]}]"
#define SECURITY(more) ",\"securityHeaders\":{\"preset\":\"basic\"," more "}"
#define BASIC ",\"securityHeaders\":{\"preset\":\"basic\"}"
#define ANY ",\"auth\":[{\"realm\":\"r\",\"file\":\"/f\",\"satisfy\":\"any\"}]"
#define HEADER(action, name, value)                                                                \
    ",\"headers\":[{\"action\":\"" action "\",\"name\":\"" name "\",\"value\":\"" value "\"}]"

int main(void)
{
    check_proxies(__LINE__, "", "");
    check_proxies(__LINE__, "\"10.0.0.0/8\", \"unix\", \"2001:db8::/32\", \"0.0.0.0\", \"::\"", "");
    check_proxies(__LINE__, "\"10.0.0.0/8\", \"0.0.0.0/0\"", "/trustedProxies/1 ");
    check_proxies(__LINE__, "\"::/0\", \"0.0.0.0/0\"", "/trustedProxies/0 /trustedProxies/1 ");
    check_site(__LINE__, CORS HEADER("set", "access-control-allow-origin", "*"),
               "/sites/0/headers/0/name ");
    check_site(__LINE__, CORS HEADER("remove", "Access-Control-Allow-Origin", ""), "");
    check_site(__LINE__, HEADER("set", "Access-Control-Allow-Origin", "*"), "");
    check_site(__LINE__, BASIC HEADER("set", "X-FRAME-OPTIONS", "SAMEORIGIN"),
               "/sites/0/headers/0/name ");
    check_site(__LINE__, BASIC HEADER("add", "Content-Security-Policy", "img-src *"),
               "/sites/0/headers/0/name ");
    check_site(__LINE__, BASIC HEADER("remove", "X-Frame-Options", ""), "");
    check_site(__LINE__, BASIC HEADER("set", "X-Other", "y"), "");
    check_site(__LINE__,
               BASIC ",\"headers\":[{\"name\":\"X-Frame-Options\",\"value\":\"DENY\","
                     "\"paths\":[\"/a/**\"]}]",
               "");
    check_site(__LINE__, SECURITY("\"contentSecurityPolicy\":\"frame-ancestors  'self' ; x\""), "");
    check_site(__LINE__, SECURITY("\"contentSecurityPolicy\":\"frame-ancestors 'none'\""),
               "/sites/0/securityHeaders ");
    check_site(__LINE__, SECURITY("\"contentSecurityPolicy\":\"frame-ancestors https://a.test\""),
               "/sites/0/securityHeaders ");
    check_site(__LINE__,
               SECURITY("\"frames\":\"anywhere\",\"contentSecurityPolicy\":"
                        "\"frame-ancestors https://a.test\""),
               "");
    check_site(__LINE__,
               ",\"headers\":[{\"name\":\"X-Frame-Options\",\"value\":\"DENY\"},"
               "{\"name\":\"content-security-policy\",\"value\":\"frame-ancestors *\"}]",
               "/sites/0/securityHeaders ");
    check_site(__LINE__, ",\"hsts\":{\"maxAgeSeconds\":300}", "/sites/0/hsts/maxAgeSeconds ");
    check_site(__LINE__, ",\"securityHeaders\":{\"preset\":\"strict\"}",
               "/sites/0/securityHeaders/preset ");
    check_row(__LINE__, ",\"hsts\":{\"maxAgeSeconds\":300}", "\"10.0.0.1\"", "");
    check_site(__LINE__, ANY, "/sites/0/auth/0/satisfy ");
    check_site(__LINE__, ANY ",\"access\":[{\"action\":\"deny\"}]", "");
    return check_end("config_check_advice");
}

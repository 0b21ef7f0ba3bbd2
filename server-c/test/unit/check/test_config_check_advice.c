/* SPDX-License-Identifier: MIT */
/* What is warned of, and where. */
#include "check/config_check_advice.c"

#include "check.h"

static void check_row(int line, const char *proxies, const char *want)
{
    struct config_errors errors = {0}, warnings = {0};
    char text[300], found[200] = "";
    struct config *cfg;

    snprintf(text, sizeof(text),
             "{\"sites\":[{\"hosts\":[\"*\"],\"root\":\"/\"}],\"trustedProxies\":[%s]}", proxies);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "row %d", line);
    config_check_advise(cfg, &warnings);
    for (size_t i = 0; i < warnings.count; i++)
        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s ",
                 warnings.items[i].pointer);
    CHECK_STR(line, proxies, found, want);
    config_errors_fini(&warnings);
    config_errors_fini(&errors);
    config_put(cfg);
}

int main(void)
{
    check_row(__LINE__, "", "");
    check_row(__LINE__, "\"10.0.0.0/8\", \"unix\", \"2001:db8::/32\", \"0.0.0.0\", \"::\"", "");
    check_row(__LINE__, "\"10.0.0.0/8\", \"0.0.0.0/0\"", "/trustedProxies/1 ");
    check_row(__LINE__, "\"::/0\", \"0.0.0.0/0\"", "/trustedProxies/0 /trustedProxies/1 ");
    return check_end("config_check_advice");
}

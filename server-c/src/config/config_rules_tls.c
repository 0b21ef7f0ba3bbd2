/* SPDX-License-Identifier: MIT */
/* config_rules_tls.c — rules between the options of TLS: a listener needs certificates, a
 * certificate needs a name or its two files, and what only makes sense over TLS needs TLS. */
#include "config/config_rules_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PRELOAD_SECONDS_MIN 31536000 /* what the browsers' list asks for */

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

/* --- certificates ---------------------------------------------------------------------------- */

static void report_certificate(const struct rules *rules, size_t site, size_t index,
                               const char *member, const char *hint, const char *problem)
{
    char pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/certificates/%zu%s", site, index, member);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, hint, "%s", problem);
}

static void check_certificate(const struct rules *rules, size_t site, size_t index)
{
    const struct config_certificate *checked = &rules->cfg->sites[site].certificates[index];
    bool has_chain = is_set(checked->chain_file), has_key = is_set(checked->key_file);

    if (!checked->name || !checked->chain_file || !checked->key_file)
        return; /* one of them was wrong by itself */
    if (is_set(checked->name) && (has_chain || has_key))
        report_certificate(rules, site, index, has_chain ? "/chainFile" : "/keyFile",
                           "leave out \"name\", or the files",
                           "a certificate of the control plane has no files in the config");
    else if (!is_set(checked->name) && !has_chain && !has_key)
        report_certificate(rules, site, index, "",
                           "give \"name\", or \"chainFile\" and \"keyFile\"",
                           "nothing says which certificate this is");
    else if (!is_set(checked->name) && !has_chain)
        report_certificate(rules, site, index, "/keyFile", "add \"chainFile\"",
                           "\"keyFile\" needs \"chainFile\" beside it");
    else if (!is_set(checked->name) && !has_key)
        report_certificate(rules, site, index, "/chainFile",
                           "add \"keyFile\"; it may be the same file",
                           "\"chainFile\" needs \"keyFile\" beside it");
}

static bool is_same_text(const char *a, const char *b)
{
    return is_set(a) && is_set(b) && strcmp(a, b) == 0;
}

static void check_twice(const struct rules *rules, size_t site, size_t index)
{
    const struct config_certificate *all = rules->cfg->sites[site].certificates;
    char pointer[RULES_POINTER_LEN];
    size_t other = 0;

    while (other < index && !is_same_text(all[other].name, all[index].name) &&
           !is_same_text(all[other].chain_file, all[index].chain_file))
        other++;
    if (other == index)
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/certificates/%zu", site, index);
    config_rules_report(rules, CONFIG_CODE_DUPLICATE_VALUE, pointer, "remove one of the two",
                        "the certificate \"%s\" stands twice",
                        is_set(all[index].name) ? all[index].name : all[index].chain_file);
}

/* --- the site -------------------------------------------------------------------------------- */

static void check_client_certificates(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    bool is_on = checked->client_certificates.mode != CLIENT_CERTIFICATES_OFF;
    char pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/clientCertificates/%s", site,
             is_on ? "mode" : "caFile");
    if (is_on && !is_set(checked->client_certificates.ca_file))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "add \"caFile\"",
                            "nothing says whose certificates are taken");
    else if (!is_on && is_set(checked->client_certificates.ca_file))
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "set \"mode\" to \"optional\" or \"required\", or leave it out",
                            "\"caFile\" has no meaning while clients are asked for nothing");
}

static void check_hsts(const struct rules *rules, size_t site)
{
    const struct config_site *checked = &rules->cfg->sites[site];
    char pointer[RULES_POINTER_LEN];

    snprintf(pointer, sizeof(pointer), "/sites/%zu/hsts/%s", site,
             checked->hsts.preload ? "preload" : "includeSubDomains");
    if (checked->hsts.max_age_seconds == 0) {
        if (checked->hsts.preload || checked->hsts.include_sub_domains)
            config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer, "add \"maxAgeSeconds\"",
                                "without \"maxAgeSeconds\" nothing is sent");
    } else if (checked->hsts.preload && (checked->hsts.max_age_seconds < PRELOAD_SECONDS_MIN ||
                                         !checked->hsts.include_sub_domains)) {
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "set \"includeSubDomains\", and \"maxAgeSeconds\" to 31536000 or more",
                            "the browsers' list takes no name that is kept for less than a year "
                            "or without the names below it");
    }
}

static bool speaks_tls(const struct config *cfg)
{
    for (size_t i = 0; i < cfg->listen_count; i++)
        if (cfg->listens[i].tls)
            return true;
    return false;
}

/* A proxy in front may be the one that speaks TLS. */
static void check_redirect(const struct rules *rules, size_t site)
{
    const struct config *cfg = rules->cfg;
    char pointer[RULES_POINTER_LEN];

    if (!cfg->sites[site].redirect_to_https || speaks_tls(cfg) || cfg->trusted_proxy_count > 0)
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/redirectToHttps", site);
    config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                        "add an address with \"tls\": true to \"listen\"",
                        "clients would be sent where nobody listens");
}

void config_rules_check_site_tls(const struct rules *rules, size_t site)
{
    for (size_t i = 0; i < rules->cfg->sites[site].certificate_count; i++) {
        check_certificate(rules, site, i);
        check_twice(rules, site, i);
    }
    check_client_certificates(rules, site);
    check_hsts(rules, site);
    check_redirect(rules, site);
}

/* --- listeners ------------------------------------------------------------------------------- */

void config_rules_check_tls(const struct rules *rules)
{
    const struct config *cfg = rules->cfg;
    char pointer[RULES_POINTER_LEN];

    for (size_t i = 0; i < cfg->site_count; i++)
        if (cfg->sites[i].certificate_count > 0)
            return;
    for (size_t i = 0; i < cfg->listen_count; i++) {
        if (!cfg->listens[i].tls)
            continue;
        snprintf(pointer, sizeof(pointer), "/listen/%zu/tls", i);
        config_rules_report(rules, CONFIG_CODE_CONFLICT, pointer,
                            "add \"certificates\" to a site, or leave \"tls\" out",
                            "no site has a certificate to show");
    }
}

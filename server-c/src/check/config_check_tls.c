/* SPDX-License-Identifier: MIT */
/* config_check_tls.c — are the certificates what they should be: can they be read, does the key fit,
 * will clients take the chain, and is each host of the site covered? */
#include "check/config_check_parts.h"

#include "base/mem.h"
#include "base/util.h"
#include "site/certificate_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <uv.h>

static const char readable_hint[] = "name a file that the node's user may read";

/* What of a site's certificates could be read without a fatal fault. */
struct covering {
    struct tls_certificate **items; /* NULL: this one could not */
    bool is_whole;                  /* all could */
};

static void report_unread(const struct check *check, const char *pointer, const char *path, int err)
{
    if (err == UV_EFBIG)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                             "name a PEM file", "\"%s\" has more than %d bytes", path,
                             CERTIFICATE_FILE_MAX);
    else if (err == UV_EFTYPE || err == UV_EISDIR)
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                             "name a PEM file", "\"%s\" is not a regular file", path);
    else
        config_check_report_path(check, pointer, path, -err, "read", readable_hint);
}

static void report_fault(const struct check *check, const char *pointer, const char *path,
                         uint32_t line, enum tls_fault fault)
{
    char where[32] = "";

    if (line > 0)
        snprintf(where, sizeof(where), ", line %" PRIu32, line);
    config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                         tls_fault_hint(fault), "\"%s\"%s %s", path, where,
                         tls_fault_sentence(fault));
}

/* Those of the control plane are checked there, and may not be delivered yet. */
static bool is_elsewhere(const struct config_certificate *cfg)
{
    return cfg->name[0] != '\0';
}

static void point_at(char pointer[CHECK_POINTER_LEN], size_t site, size_t index, const char *member)
{
    snprintf(pointer, CHECK_POINTER_LEN, "/sites/%zu/certificates/%zu/%s", site, index, member);
}

static bool read_file(const struct check *check, struct certificate_file *file, const char *path,
                      const char *pointer)
{
    struct buf seen;
    int err;

    buf_init(&seen);
    config_check_see(&seen, check, path);
    err = certificate_file_read(file, seen.data);
    if (err)
        report_unread(check, pointer, path, err);
    buf_fini(&seen);
    return err == 0;
}

static struct tls_certificate *judge(const struct check *check, size_t site, size_t index,
                                     const struct certificate_file *chain,
                                     const struct certificate_file *key)
{
    const struct config_certificate *cfg = &check->cfg->sites[site].certificates[index];
    struct tls_certificate *certificate = tls_certificate_read(
        certificate_file_span(chain), certificate_file_span(key), wall_clock_seconds());
    struct tls_verdict verdict = tls_certificate_verdict(certificate);
    char pointer[CHECK_POINTER_LEN];

    if (verdict.fault == TLS_FAULT_NONE)
        return certificate;
    point_at(pointer, site, index, verdict.is_in_key ? "keyFile" : "chainFile");
    report_fault(check, pointer, verdict.is_in_key ? cfg->key_file : cfg->chain_file, verdict.line,
                 verdict.fault);
    if (!tls_fault_is_fatal(verdict.fault))
        return certificate;
    tls_certificate_free(certificate);
    return NULL;
}

static struct tls_certificate *check_certificate(const struct check *check, size_t site,
                                                 size_t index)
{
    const struct config_certificate *cfg = &check->cfg->sites[site].certificates[index];
    struct tls_certificate *certificate = NULL;
    struct certificate_file chain = {0}, key = {0};
    char pointer[CHECK_POINTER_LEN];
    bool has_chain;

    point_at(pointer, site, index, "chainFile");
    has_chain = read_file(check, &chain, cfg->chain_file, pointer);
    point_at(pointer, site, index, "keyFile");
    if (read_file(check, &key, cfg->key_file, pointer) && has_chain)
        certificate = judge(check, site, index, &chain, &key);
    certificate_file_wipe(&chain);
    certificate_file_wipe(&key);
    return certificate;
}

/* --- hosts ----------------------------------------------------------------------------------- */

static bool is_covered(const struct covering *covering, const struct config_site *site,
                       const char *host)
{
    for (size_t i = 0; i < site->certificate_count; i++)
        if (covering->items[i] && tls_certificate_covers(covering->items[i], host))
            return true;
    return false;
}

/* No authority vouches for names without a dot, and few for addresses: sites have those besides,
 * for use within. */
static bool needs_cover(const char *host)
{
    return strchr(host, '.') && host[strspn(host, "0123456789.")] != '\0';
}

static void check_hosts(const struct check *check, size_t index, const struct covering *covering)
{
    const struct config_site *site = &check->cfg->sites[index];
    char pointer[CHECK_POINTER_LEN];

    for (size_t i = 0; i < site->host_count; i++) {
        if (!needs_cover(site->hosts[i]) || is_covered(covering, site, site->hosts[i]))
            continue;
        snprintf(pointer, sizeof(pointer), "/sites/%zu/hosts/%zu", index, i);
        config_errors_add_at(check->errors, check->cfg, CONFIG_CODE_UNUSABLE_FILE, pointer,
                             "order a certificate with this name, or give the name a site of its "
                             "own",
                             "none of the site's certificates is for \"%s\"", site->hosts[i]);
    }
}

/* --- the site -------------------------------------------------------------------------------- */

static void check_authorities(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    struct certificate_file file = {0};
    char pointer[CHECK_POINTER_LEN];
    enum tls_fault fault;
    uint32_t line = 0;

    if (site->client_certificates.mode == CLIENT_CERTIFICATES_OFF)
        return;
    snprintf(pointer, sizeof(pointer), "/sites/%zu/clientCertificates/caFile", index);
    if (!read_file(check, &file, site->client_certificates.ca_file, pointer))
        return;
    fault = tls_authorities_check(certificate_file_span(&file), &line);
    if (fault != TLS_FAULT_NONE)
        report_fault(check, pointer, site->client_certificates.ca_file, line, fault);
    certificate_file_wipe(&file);
}

void config_check_site_tls(const struct check *check, size_t index)
{
    const struct config_site *site = &check->cfg->sites[index];
    struct covering covering = {.items = xcalloc(site->certificate_count, sizeof(void *)),
                                .is_whole = site->certificate_count > 0};

    for (size_t i = 0; i < site->certificate_count; i++) {
        if (!is_elsewhere(&site->certificates[i]))
            covering.items[i] = check_certificate(check, index, i);
        covering.is_whole &= covering.items[i] != NULL;
    }
    if (covering.is_whole)
        check_hosts(check, index, &covering);
    for (size_t i = 0; i < site->certificate_count; i++)
        tls_certificate_free(covering.items[i]);
    free(covering.items);
    check_authorities(check, index);
}

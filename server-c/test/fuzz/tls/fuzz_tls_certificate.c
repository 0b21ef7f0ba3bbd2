/* SPDX-License-Identifier: MIT */
/* Any text as the files of a certificate, and any bytes as the certificate in one: a verdict at a line of
 * the text; and what is not refused says its names and can be shown. */
#include "tls/tls_certificate.h"

#include "base/buf.h"
#include "tls/tls.h"

#include <openssl/evp.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Certificates of the corpus are for it. */
static const char key[] = "-----BEGIN PRIVATE KEY-----\n"
                          "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgo5MY+n/jOgqPsDiG\n"
                          "hsZqu355qA//vJHMlchVEnnbYPWhRANCAAS++8CjNDgzpcJQ/34QyhWrdNpc+p6r\n"
                          "N+X1waJLiUb5ZojiQyOmF5m7BYXmt2Yef/R+LVLafXNZ3AnWIinYUCKL\n"
                          "-----END PRIVATE KEY-----\n";

static struct tls_io io;
static struct tls_engine *engine;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    engine = tls_engine_new(&io, NULL);
    return 0;
}

static void check_name(void *arg, const char *name)
{
    (void)arg;
    CHECK(strlen(name) < 100000);
}

static struct tls_context *choose_none(void *arg, struct span name)
{
    (void)arg, (void)name;
    return NULL;
}

static void free_nothing(void *arg)
{
    (void)arg;
}

static void check_usable(const struct tls_certificate *certificate, struct span chain,
                         struct span its_key)
{
    static const char *const hosts[] = {"a.example", "*.w.example", "192.0.2.1", "[2001:db8::1]"};
    const struct tls_settings settings = {.choose = choose_none, .free_arg = free_nothing};
    const struct tls_pair pair = {chain, its_key};
    const struct tls_plan plan = {.pairs = &pair, .pair_count = 1};
    struct tls_set *set = tls_set_new(engine, &settings);
    char fingerprint[TLS_FINGERPRINT_LEN + 1];

    CHECK(set && tls_set_add(set, &plan) != NULL);
    tls_set_put(set);
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++)
        (void)tls_certificate_covers(certificate, hosts[i]);
    tls_certificate_names(certificate, check_name, NULL);
    tls_certificate_fingerprint(certificate, fingerprint);
    CHECK(strlen(fingerprint) == TLS_FINGERPRINT_LEN);
    CHECK(tls_certificate_kind(certificate) > 0);
    (void)tls_certificate_ends(certificate);
}

static void check_text(struct span chain, struct span its_key)
{
    struct tls_certificate *certificate = tls_certificate_read(chain, its_key, 1900000000);
    struct tls_verdict verdict = tls_certificate_verdict(certificate);
    struct span at = verdict.is_in_key ? its_key : chain;
    uint32_t lines = 1, line = 0;
    enum tls_fault fault = tls_authorities_check(chain, &line);

    for (size_t i = 0; i < at.len; i++)
        lines += at.ptr[i] == '\n';
    CHECK(verdict.line <= lines);
    if (!tls_fault_is_fatal(verdict.fault)) {
        CHECK(fault == TLS_FAULT_NONE);
        check_usable(certificate, chain, its_key);
    } else if (verdict.fault <= TLS_FAULT_BAD_CERTIFICATE) {
        CHECK(fault == verdict.fault && line == verdict.line);
    }
    tls_certificate_free(certificate);
}

/* A certificate begins with 0x30, which no PEM text of interest does. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const struct span fixed = {key, sizeof(key) - 1};
    struct buf text;
    char *base64;

    if (len == 0 || data[0] != 0x30) {
        check_text((struct span){(const char *)data, len}, (struct span){(const char *)data, len});
        return 0;
    }
    base64 = malloc(len * 4 / 3 + 5);
    EVP_EncodeBlock((unsigned char *)base64, data, (int)len);
    buf_init(&text);
    buf_append_str(&text, "-----BEGIN CERTIFICATE-----\n");
    for (const char *at = base64; *at; at += strnlen(at, 64))
        buf_printf(&text, "%.64s\n", at);
    buf_append_str(&text, "-----END CERTIFICATE-----\n");
    check_text((struct span){text.data, text.len}, fixed);
    buf_fini(&text);
    free(base64);
    return 0;
}

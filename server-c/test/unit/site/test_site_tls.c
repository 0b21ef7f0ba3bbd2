/* SPDX-License-Identifier: MIT */
/* Which certificates are shown for which name, and where sessions may be resumed. */
#include "site/site_tls.c"

#include "check.h"
#include "shell.h"
#include "tls/tls_state.h"
#include "tls_pki.h"

static char folder[] = "/tmp/farmstead-site-tls-XXXXXX";
static struct tls_io io;
static struct tls_tickets *tickets;
static struct tls_engine *engine;

static void write_text(const char *name, const struct buf *text)
{
    char path[100];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    fwrite(text->data, 1, text->len, file);
    fclose(file);
    chmod(path, 0600);
}

/* Writes NAME.pem, with NAME as the subject, and NAME.key. */
static void write_pair(const char *name, enum pki_kind kind, const char *names)
{
    EVP_PKEY *key = pki_key(kind);
    X509 *certificate =
        pki_certificate_of(&(struct pki_wish){.name = name, .key = key, .names = names});
    struct buf text;
    char file[40];

    buf_init(&text);
    pki_append(&text, certificate);
    snprintf(file, sizeof(file), "%s.pem", name);
    write_text(file, &text);
    buf_fini(&text);
    buf_init(&text);
    pki_append_key(&text, key);
    snprintf(file, sizeof(file), "%s.key", name);
    write_text(file, &text);
    buf_fini(&text);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

/* In `sites`, "<x>" stands for a certificate of the folder, and "$" for the folder. */
static struct site_set *sites_of(const char *sites, const char *listen)
{
    struct config_errors errors = {0};
    struct site_set *set;
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    buf_printf(&text, "{\"listen\": [%s], \"sites\": [", listen);
    for (; *sites; sites++) {
        const char *end = *sites == '<' ? strchr(sites, '>') : NULL;
        if (end) {
            int len = (int)(end - sites - 1);
            buf_printf(&text, "{\"chainFile\": \"%s/%.*s.pem\", \"keyFile\": \"%s/%.*s.key\"}",
                       folder, len, sites + 1, folder, len, sites + 1);
            sites = end;
        } else if (*sites == '$') {
            buf_append_str(&text, folder);
        } else {
            buf_append_char(&text, *sites);
        }
    }
    buf_append_str(&text, "]}");
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %.*s", errors.count ? errors.items[0].message : "no config",
               (int)text.len, text.data);
    if (!cfg)
        exit(check_end("site_tls"));
    set = site_set_new(cfg, NULL, NULL);
    config_put(cfg);
    config_errors_fini(&errors);
    buf_fini(&text);
    return set;
}

#define TLS_LISTEN "{\"port\": 0}, {\"port\": 8443, \"tls\": true}"

/* The subjects of a context's certificates, in the order of kinds that the library has. */
static void list_shown(char out[100], const struct tls_context *context)
{
    out[0] = '\0';
    for (long op = SSL_CERT_SET_FIRST; context && SSL_CTX_set_current_cert(context->ctx, op) == 1;
         op = SSL_CERT_SET_NEXT) {
        X509 *certificate = SSL_CTX_get0_certificate(context->ctx);
        size_t len = strlen(out);
        if (!certificate)
            continue;
        if (len > 0)
            out[len++] = ' ';
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, out + len,
                                  (int)(100 - len));
    }
}

struct row {
    const char *name, *shown;
};

static void check_rows(int line, const char *sites, const struct row *rows, size_t count)
{
    struct site_set *set = sites_of(sites, TLS_LISTEN);
    struct tls_set *tls = site_tls_new(set, engine);
    char got[100];

    CHECK_TRUE(tls != NULL, "row %d", line);
    site_set_put(set); /* it has its own reference */
    for (size_t i = 0; i < count; i++) {
        struct span name = {rows[i].name, strlen(rows[i].name)};
        list_shown(got, choose(tls->settings.arg, name));
        CHECK_STR(line, rows[i].name, got, rows[i].shown);
    }
    tls_set_put(tls);
}

#define ROWS(sites, ...)                                                                           \
    do {                                                                                           \
        static const struct row rows[] = {__VA_ARGS__};                                            \
        check_rows(__LINE__, sites, rows, ARRAY_LEN(rows));                                        \
    } while (0)

#define SITE(hosts, certificates)                                                                  \
    "{\"hosts\": [" hosts "], \"root\": \"$\", \"certificates\": [" certificates "]}"
#define PLAIN(hosts) "{\"hosts\": [" hosts "], \"root\": \"$\"}"

static void test_choices(void)
{
    ROWS(SITE("\"a.test\"", "<a>") ", " SITE("\"b.test\", \"*.b.test\"", "<b>"), {"a.test", "a"},
         {"A.TEST", "a"}, {"a.test.", "a"}, {"b.test", "b"}, {"x.b.test", "b"}, {"y.x.b.test", "b"},
         {"nobody.test", "a"}, {"", "a"}, {".", "a"}, {"192.0.2.1", "a"});
    /* The site for "*" is the default, if it has some. */
    ROWS(SITE("\"a.test\"", "<a>") ", " SITE("\"*\"", "<b>"), {"a.test", "a"}, {"", "b"},
         {"nobody.test", "b"});
    ROWS(PLAIN("\"*\"") ", " PLAIN("\"p.test\"") ", " SITE("\"a.test\"", "<a>"), {"a.test", "a"},
         {"p.test", "a"}, {"", "a"}, {"nobody.test", "a"});
    /* Of several kinds each; of one kind the one that fits. */
    ROWS(SITE("\"a.test\"", "<a>, <rsa>"), {"a.test", "rsa a"}, {"x.test", "rsa a"});
    ROWS(SITE("\"a.test\", \"b.test\", \"*.b.test\", \"c.b.test\", \"d.test\"", "<a>, <b>, <cb>"),
         {"a.test", "a"}, {"b.test", "b"}, {"x.b.test", "b"}, {"X.B.Test.", "b"}, {"c.b.test", "b"},
         {"d.test", "a"}, {"", "a"}); /* the first that covers it */
    ROWS(SITE("\"a.test\", \"b.test\", \"*.b.test\"", "<cb>, <b>, <a>, <rsa>"), {"a.test", "rsa a"},
         {"b.test", "b"}, {"c.b.test", "cb"}, {"x.b.test", "b"}, {"y.x.b.test", "rsa"});
    /* The first of one kind for one name. */
    ROWS(SITE("\"a.test\"", "<a2>, <a>"), {"a.test", "a2"}, {"", "a2"});
}

static void test_unusable(void)
{
    ROWS(SITE("\"a.test\"", "<gone>") ", " SITE("\"b.test\"", "<b>"), {"a.test", ""},
         {"b.test", "b"}, {"", ""});
    /* What is meant for one site is not made up for by another's. */
    ROWS(SITE("\"b.test\"", "<b>") ", " SITE("\"a.test\"", "<gone>"), {"a.test", ""},
         {"b.test", "b"}, {"", "b"});
    ROWS(SITE("\"a.test\"", "<gone>, <mixed>, <a>") ", " SITE("\"b.test\"", "<b>"), {"a.test", "a"},
         {"b.test", "b"});
    ROWS(SITE("\"a.test\"", "<gone>") ", " PLAIN("\"p.test\""), {"a.test", ""}, {"p.test", ""});
}

#define CLUB(hosts, certificates, mode)                                                            \
    "{\"hosts\": [" hosts "], \"root\": \"$\", \"certificates\": [" certificates                   \
    "], \"clientCertificates\": {\"mode\": \"" mode "\", \"caFile\": \"$/people.pem\"}}"

static int verifies(const struct tls_context *context)
{
    return SSL_CTX_get_verify_mode(context->ctx);
}

/* Who asks for clients' certificates; also where the site's own are the default's. */
static void test_clubs(void)
{
    struct site_set *set =
        sites_of(SITE("\"a.test\"", "<a>") ", " CLUB("\"club.test\"", "<b>", "required") ", " CLUB(
                     "\"guest.test\"", "", "optional"),
                 TLS_LISTEN);
    struct tls_set *tls = site_tls_new(set, engine);
    static const struct {
        const char *name, *shown;
        size_t site;
        bool asks;
    } rows[] = {{"a.test", "a", 0, false},      {"club.test", "b", 1, true},
                {"guest.test", "a", 2, true},   {"GUEST.test.", "a", 2, true},
                {"nobody.test", "a", 0, false}, {"", "a", 0, false}};
    char got[100];

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span name = {rows[i].name, strlen(rows[i].name)};
        const struct tls_context *context = choose(tls->settings.arg, name);
        list_shown(got, context);
        CHECK_STR(__LINE__, rows[i].name, got, rows[i].shown);
        CHECK_INT(__LINE__, rows[i].name, verifies(context),
                  rows[i].asks ? SSL_VERIFY_PEER : SSL_VERIFY_NONE);
        CHECK_INT(__LINE__, rows[i].name, site_tls_site(set, name) - set->sites, rows[i].site);
    }
    tls_set_put(tls);
    site_set_put(set);
}

static void test_ids(void)
{
    char *hosts[] = {folder, folder + 1}, *others[] = {folder + 1};
    struct config_site club = {.hosts = hosts, .host_count = 2};
    struct config_site other = {.hosts = others, .host_count = 1};
    unsigned char bytes[] = "people", more[] = "peoples";
    struct named_file people = {.bytes = bytes, .len = 6}, peoples = {.bytes = more, .len = 7};
    unsigned char first[32], second[32];

    make_id(first, &club, NULL);
    make_id(second, &other, NULL);
    CHECK_TRUE(memcmp(first, second, 32) == 0, "anywhere, if nobody asks");
    make_id(second, &club, &people);
    CHECK_TRUE(memcmp(first, second, 32) != 0, "one that asks is apart");
    make_id(first, &club, &people);
    CHECK_TRUE(memcmp(first, second, 32) == 0, "the same site");
    make_id(first, &other, &people);
    CHECK_TRUE(memcmp(first, second, 32) != 0, "another site");
    make_id(first, &club, &peoples);
    CHECK_TRUE(memcmp(first, second, 32) != 0, "other authorities");
}

static void test_wanted(void)
{
    struct site_set *set = sites_of(PLAIN("\"a.test\""), "{\"port\": 0}");

    CHECK_TRUE(!site_tls_is_wanted(set->cfg), "none speaks TLS");
    site_set_put(set);
    set = sites_of(SITE("\"a.test\"", "<a>"), TLS_LISTEN);
    CHECK_TRUE(site_tls_is_wanted(set->cfg), "the second does");
    site_set_put(set);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    write_pair("a", PKI_P256, "DNS:a.test");
    write_pair("a2", PKI_P256, "DNS:A.test");
    write_pair("b", PKI_P256, "DNS:b.test,DNS:*.b.test");
    write_pair("cb", PKI_P256, "DNS:c.b.test");
    write_pair("rsa", PKI_RSA, "DNS:a.test,DNS:y.x.b.test");
    write_pair("people", PKI_P256, NULL);
    shell_in(folder, "cp a.pem mixed.pem; cp b.key mixed.key; chmod 600 *.key");
    tickets = tls_tickets_new();
    engine = tls_engine_new(&io, tickets);
    test_choices();
    test_unusable();
    test_clubs();
    test_ids();
    test_wanted();
    tls_engine_free(engine);
    tls_tickets_free(tickets);
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("site_tls");
}

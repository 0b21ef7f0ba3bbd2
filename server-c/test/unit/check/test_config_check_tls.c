/* SPDX-License-Identifier: MIT */
/* What a check finds in the files of certificates, and where it says so. */
#include "check/config_check_tls.c"

#include "check.h"
#include "check/config_check.h"
#include "shell.h"
#include "tls_pki.h"

static char folder[] = "/tmp/farmstead-check-tls-XXXXXX";

static void write_text(const char *name, struct buf *text)
{
    char path[100];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    fwrite(text->data, 1, text->len, file);
    fclose(file);
    chmod(path, 0600);
    buf_fini(text);
    buf_init(text);
}

/* Writes NAME.pem and NAME.key; `wish` has all but the key. */
static void write_pair(const char *name, struct pki_wish wish)
{
    EVP_PKEY *key = pki_key(PKI_P256);
    X509 *certificate;
    struct buf text;
    char file[40];

    wish.name = name;
    wish.key = key;
    certificate = pki_certificate_of(&wish);
    buf_init(&text);
    pki_append(&text, certificate);
    snprintf(file, sizeof(file), "%s.pem", name);
    write_text(file, &text);
    pki_append_key(&text, key);
    snprintf(file, sizeof(file), "%s.key", name);
    write_text(file, &text);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

#define PAIR(chain, key) "{\"chainFile\": \"$/" chain "\", \"keyFile\": \"$/" key "\"}"
#define FINE PAIR("fine.pem", "fine.key")

struct row {
    int line;
    const char *hosts, *certificates, *more; /* of the site; "$" is the test's folder */
    const char *want; /* "pointer: message" of each finding, with "|" after it */
};

static const struct row rows[] = {
    {__LINE__, "\"a.test\"", FINE, "", ""},
    {__LINE__, "\"a.test\", \"x.w.test\", \"*.w.test\"", FINE, "", ""},
    {__LINE__, "\"a.test\", \"b.test\", \"y.x.w.test\"", FINE, "",
     "/sites/0/hosts/1: none of the site's certificates is for \"b.test\"|"
     "/sites/0/hosts/2: none of the site's certificates is for \"y.x.w.test\"|"},
    {__LINE__, "\"*.a.test\"", FINE, "",
     "/sites/0/hosts/0: none of the site's certificates is for \"*.a.test\"|"},
    {__LINE__, "\"a.test\", \"b.test\"", FINE ", " PAIR("other.pem", "other.key"), "", ""},
    /* Names for use within, which no authority vouches for. */
    {__LINE__, "\"*\", \"intranet\", \"192.0.2.1\", \"[2001:db8::1]\"", FINE, "", ""},
    /* Not known: what the control plane delivers. */
    {__LINE__, "\"b.test\"", FINE ", {\"name\": \"named\"}", "", ""},
    {__LINE__, "\"a.test\"", PAIR("gone.pem", "fine.key"), "",
     "/sites/0/certificates/0/chainFile: \"$/gone.pem\" does not exist on this machine|"},
    {__LINE__, "\"a.test\"", FINE ", " PAIR("other.pem", "gone.key"), "",
     "/sites/0/certificates/1/keyFile: \"$/gone.key\" does not exist on this machine|"},
    {__LINE__, "\"a.test\"", PAIR("gone.pem", "gone.key"), "",
     "/sites/0/certificates/0/chainFile: \"$/gone.pem\" does not exist on this machine|"
     "/sites/0/certificates/0/keyFile: \"$/gone.key\" does not exist on this machine|"},
    {__LINE__, "\"a.test\"", PAIR("", "fine.key"), "",
     "/sites/0/certificates/0/chainFile: \"$/\" is not a regular file|"},
    {__LINE__, "\"a.test\"", PAIR("large", "fine.key"), "",
     "/sites/0/certificates/0/chainFile: \"$/large\" has more than 262144 bytes|"},
    {__LINE__, "\"b.test\"", PAIR("fine.pem", "other.key"), "",
     "/sites/0/certificates/0/keyFile: \"$/other.key\" has a private key that does not fit the "
     "certificate|"},
    {__LINE__, "\"a.test\"", PAIR("fine.pem", "cut"), "",
     "/sites/0/certificates/0/keyFile: \"$/cut\", line 2 has a private key that can't be read|"},
    {__LINE__, "\"a.test\"", PAIR("both", "both"), "", ""},
    /* It could be used, so its names count. */
    {__LINE__, "\"a.test\", \"c.test\"", PAIR("old.pem", "old.key"), "",
     "/sites/0/hosts/1: none of the site's certificates is for \"c.test\"|"
     "/sites/0/certificates/0/chainFile: \"$/old.pem\", line 1 has a certificate that has "
     "expired|"},
    {__LINE__, "\"a.test\"", FINE,
     ", \"clientCertificates\": {\"mode\": \"required\", \"caFile\": \"$/other.pem\"}", ""},
    {__LINE__, "\"a.test\"", FINE,
     ", \"clientCertificates\": {\"mode\": \"optional\", \"caFile\": \"$/gone\"}",
     "/sites/0/clientCertificates/caFile: \"$/gone\" does not exist on this machine|"},
    {__LINE__, "\"a.test\"", FINE,
     ", \"clientCertificates\": {\"mode\": \"optional\", \"caFile\": \"$/fine.key\"}",
     "/sites/0/clientCertificates/caFile: \"$/fine.key\" has no certificate in PEM form|"},
};

/* With "$" for the test's folder. */
static void append_pattern(struct buf *text, const char *pattern)
{
    for (; *pattern; pattern++)
        if (*pattern == '$')
            buf_append_str(text, folder);
        else
            buf_append_char(text, *pattern);
}

static void check_row(const struct row *row)
{
    struct config_errors errors = {0};
    struct buf text, got, want;
    struct config *cfg;

    buf_init(&text);
    buf_init(&got);
    buf_init(&want);
    buf_append_str(&text, "{\"listen\": [{\"port\": 0, \"tls\": true}], \"sites\": [{\"hosts\": [");
    buf_append_str(&text, row->hosts);
    append_pattern(&text, "], \"root\": \"$/served\", \"certificates\": [");
    append_pattern(&text, row->certificates);
    buf_append_str(&text, "]");
    append_pattern(&text, row->more);
    buf_append_str(&text, "}]}");
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "row %d: %s", row->line, errors.count ? errors.items[0].message : "");
    if (cfg)
        config_check_machine(cfg, NULL, &errors);
    for (size_t i = 0; i < errors.count; i++)
        buf_printf(&got, "%s: %s|", errors.items[i].pointer, errors.items[i].message);
    buf_append(&got, "", 1);
    append_pattern(&want, row->want);
    buf_append(&want, "", 1);
    CHECK_STR(row->line, row->certificates, got.data, want.data);
    config_put(cfg);
    config_errors_fini(&errors);
    buf_fini(&text);
    buf_fini(&got);
    buf_fini(&want);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    chmod(folder, 0755);
    write_pair("fine", (struct pki_wish){.names = "DNS:a.test,DNS:*.w.test"});
    write_pair("other", (struct pki_wish){.names = "DNS:b.test"});
    write_pair("old", (struct pki_wish){.names = "DNS:a.test",
                                        .from = time(NULL) - 7200,
                                        .to = time(NULL) - 3600});
    shell_in(folder,
             "mkdir served; cat fine.key fine.pem > both; (echo; head -c 150 fine.key) > cut; "
             "head -c 262145 /dev/zero > large");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_row(&rows[i]);
    shell_in(folder, "rm -rf \"$PWD\"");
    return check_end("config_check_tls");
}

/* SPDX-License-Identifier: MIT */
/* Which files of which versions are dictionaries, in real folders; and whose are not. */
#include "site/site_dictionaries.c"

#include "check.h"
#include "shell.h"

#include <limits.h>
#include <openssl/evp.h>

static char base[] = "/tmp/test_site_dictionaries.XXXXXX";
static struct content_table *contents;
static struct checksum_store *checksums;

static struct config *parse(const char *site)
{
    struct config_errors errors = {0};
    struct config *cfg;
    char text[1024];

    snprintf(text, sizeof(text),
             "{\"compression\": {\"cacheFolder\": \"/c\", \"minFileBytes\": 1, \"maxFileBytes\": "
             "100}, \"sites\": [{\"hosts\": [\"*\"], \"release\": \"www\"%s}]}",
             site);
    cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "%s", text);
    config_errors_fini(&errors);
    snprintf(text, sizeof(text), "%s/now", base);
    config_place_release(cfg, 0, text);
    return cfg;
}

static void hash_of(const char *text, unsigned char hash[CODER_DICTIONARY_HASH_BYTES])
{
    unsigned int len;

    EVP_Digest(text, strlen(text), hash, &len, EVP_sha256(), NULL);
}

static const struct copy_dictionary *find_text(const struct site_dictionaries *dictionaries,
                                               uint8_t pattern, const char *text)
{
    unsigned char hash[CODER_DICTIONARY_HASH_BYTES];
    unsigned index = SITE_DICTIONARIES_MAX;
    const struct copy_dictionary *found;

    hash_of(text, hash);
    found = site_dictionaries_find(dictionaries, pattern, hash, &index);
    CHECK_TRUE(!found || index < SITE_DICTIONARIES_MAX, "%s", text);
    return found;
}

static void test_found(void)
{
    struct config *cfg = parse(", \"releaseDictionaries\": [\"/a/app.*.js\", \"/*.css\"]");
    struct site_copies *copies = site_copies_new(cfg);
    char now[PATH_MAX], old[PATH_MAX], gone[PATH_MAX], docs[PATH_MAX];
    struct kept_version_said said[] = {{"www", now, 3, NULL},
                                       {"docs", docs, 1, NULL},
                                       {"www", old, 2, NULL},
                                       {"www", gone, 1, NULL}};
    struct kept_versions *versions;
    struct site_dictionaries *dictionaries;

    shell_in(base,
             "mkdir -p now/a old/a docs/a && printf 3 > now/a/app.3.js && "
             "printf 2 > old/a/app.2.js && printf css > old/x.css && printf d > docs/a/app.d.js && "
             "printf no > old/a/other.js && ln -s app.2.js old/a/app.link.js && "
             "mkdir old/a/app.folder.js && printf '' > old/a/app.empty.js && "
             "head -c 101 /dev/zero > old/a/app.long.js && ln old/a/app.2.js now/a/app.2.js");
    snprintf(now, sizeof(now), "%s/now", base);
    snprintf(old, sizeof(old), "%s/old", base);
    snprintf(gone, sizeof(gone), "%s/gone", base);
    snprintf(docs, sizeof(docs), "%s/docs", base);
    versions = kept_versions_new(said, ARRAY_LEN(said), NULL);
    dictionaries = site_dictionaries_new(&cfg->sites[0], copies, versions);
    CHECK_INT(__LINE__, "versions", dictionaries->folder_count, 3);
    CHECK_TRUE(!find_text(dictionaries, 1, "3"), "nothing is known yet");
    CHECK_TRUE(site_dictionaries_begin(dictionaries), "it begins");
    CHECK_TRUE(!site_dictionaries_begin(dictionaries), "once");
    site_dictionaries_give_up(dictionaries);
    CHECK_TRUE(site_dictionaries_begin(dictionaries), "it begins again");
    site_dictionaries_load(dictionaries, contents, checksums);
    CHECK_TRUE(site_dictionaries_are_known(dictionaries), "they are known");
    CHECK_TRUE(!site_dictionaries_begin(dictionaries), "for good");
    CHECK_INT(__LINE__, "each content once", dictionaries->patterns[0].count, 2);
    CHECK_TRUE(find_text(dictionaries, 1, "3") != NULL, "the served version's");
    CHECK_TRUE(find_text(dictionaries, 1, "2") != NULL, "an older one's");
    CHECK_TRUE(find_text(dictionaries, 2, "css") != NULL, "of another pattern");
    CHECK_TRUE(!find_text(dictionaries, 1, "css"), "of this pattern alone");
    CHECK_TRUE(!find_text(dictionaries, 1, "d"), "of this release alone");
    CHECK_TRUE(!find_text(dictionaries, 1, "no") && !find_text(dictionaries, 1, ""), "others");
    CHECK_INT(__LINE__, "the line's length", site_dictionaries_most_len(dictionaries),
              strlen("Use-As-Dictionary: match=\"/a/app.*.js\"\r\n"));
    CHECK_INT(__LINE__, "none", site_dictionaries_most_len(NULL), 0);
    site_dictionaries_free(dictionaries);
    kept_versions_put(versions);
    site_copies_free(copies);
    config_put(cfg);
}

static void test_not_too_many(void)
{
    struct config *cfg = parse(", \"releaseDictionaries\": [\"/many/*\"]");
    struct site_copies *copies = site_copies_new(cfg);
    struct site_dictionaries *dictionaries = site_dictionaries_new(&cfg->sites[0], copies, NULL);

    shell_in(base, "mkdir -p now/many; for i in $(seq 80); do echo $i > now/many/$i; done");
    site_dictionaries_load(dictionaries, contents, checksums);
    CHECK_INT(__LINE__, "a bit each", dictionaries->patterns[0].count, SITE_DICTIONARIES_MAX);
    site_dictionaries_free(dictionaries);
    site_copies_free(copies);
    config_put(cfg);
}

/* What not everybody may have is no dictionary either: from what is made with it one could learn of it. */
static void test_guarded(void)
{
    struct config *cfg =
        parse(", \"releaseDictionaries\": [\"/g/*.js\"], \"access\": [{\"action\": \"deny\", "
              "\"paths\": [\"/g/secret.js\"]}]");
    struct site_copies *copies = site_copies_new(cfg);
    struct site_dictionaries *dictionaries = site_dictionaries_new(&cfg->sites[0], copies, NULL);

    shell_in(base,
             "mkdir -p now/g && printf secret > now/g/secret.js && printf open > now/g/open.js");
    site_dictionaries_load(dictionaries, contents, checksums);
    CHECK_TRUE(find_text(dictionaries, 1, "open") != NULL, "another one");
    CHECK_TRUE(!find_text(dictionaries, 1, "secret"), "the one behind the rule");
    site_dictionaries_free(dictionaries);
    site_copies_free(copies);
    config_put(cfg);
}

static void test_whose(void)
{
    static const struct {
        int line;
        const char *site, *path;
        int want;
    } rows[] = {
        {__LINE__, "", "/a/app.1.js", 1},
        {__LINE__, "", "/b/app.1.js", 0},
        {__LINE__, ", \"access\": [{\"action\": \"deny\", \"paths\": [\"/b/**\"]}]", "/a/app.1.js",
         1},
        {__LINE__, ", \"access\": [{\"action\": \"allow\", \"addresses\": [\"10.0.0.1\"]}]",
         "/a/app.1.js", 0},
        {__LINE__, ", \"auth\": [{\"paths\": [\"/a/**\"], \"realm\": \"r\", \"file\": \"/etc/p\"}]",
         "/a/app.1.js", 0},
        {__LINE__, ", \"signedUrls\": [{\"paths\": [\"*.js\"], \"secretFile\": \"/etc/k\"}]",
         "/a/app.1.js", 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char site[512];
        struct config *cfg;
        struct site_copies *copies;
        struct site_dictionaries *dictionaries;
        struct span path = {rows[i].path, strlen(rows[i].path)};

        snprintf(site, sizeof(site), ", \"releaseDictionaries\": [\"/a/app.*.js\"]%s",
                 rows[i].site);
        cfg = parse(site);
        copies = site_copies_new(cfg);
        dictionaries = site_dictionaries_new(&cfg->sites[0], copies, NULL);
        CHECK_INT(rows[i].line, rows[i].site, site_dictionaries_fit(dictionaries, path),
                  rows[i].want);
        cfg->sites[0].client_certificates.mode = CLIENT_CERTIFICATES_OPTIONAL;
        CHECK_TRUE(!site_dictionaries_new(&cfg->sites[0], copies, NULL), "clients are known");
        site_dictionaries_free(dictionaries);
        site_copies_free(copies);
        config_put(cfg);
    }
}

int main(void)
{
    char command[PATH_MAX];

    CHECK_TRUE(mkdtemp(base) != NULL, "%s", base);
    contents = content_table_new();
    checksums = checksum_store_new();
    test_found();
    test_not_too_many();
    test_guarded();
    test_whose();
    checksum_store_free(checksums);
    content_table_free(contents);
    snprintf(command, sizeof(command), "rm -rf %s", base);
    shell_in("/tmp", command);
    return check_end("site_dictionaries");
}

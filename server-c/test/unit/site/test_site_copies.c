/* SPDX-License-Identifier: MIT */
/* Which files are compressed, and that how is told apart. */
#include "site/site_copies.c"

#include "check.h"

static struct config *parse(const char *text)
{
    struct config_errors errors = {0};
    struct config *cfg = config_parse(text, strlen(text), &errors);

    CHECK_TRUE(cfg != NULL, "%s", text);
    config_errors_fini(&errors);
    return cfg;
}

static void test_wanted(void)
{
    static const struct {
        int line;
        bool want;
        const char *text;
    } rows[] = {
        {__LINE__, false, "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv\"}]}"},
        {__LINE__, true,
         "{\"compression\": {\"cacheFolder\": \"/c\"},"
         " \"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv\"}]}"},
        {__LINE__, false,
         "{\"compression\": {\"cacheFolder\": \"/c\"},"
         " \"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv\", \"compress\": []}]}"},
        {__LINE__, true,
         "{\"compression\": {\"cacheFolder\": \"/c\"}, \"sites\": ["
         "{\"hosts\": [\"*\"], \"root\": \"/srv\", \"compress\": []},"
         "{\"hosts\": [\"a\"], \"root\": \"/srv\", \"compress\": [\"gzip\"]}]}"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config *cfg = parse(rows[i].text);
        struct site_copies *copies = site_copies_new(cfg);
        CHECK_INT(rows[i].line, rows[i].text, copies != NULL, rows[i].want);
        site_copies_free(copies);
        config_put(cfg);
    }
}

static void test_fit(void)
{
    static const struct {
        int line;
        const char *path, *type;
        uint64_t size;
        bool want;
    } rows[] = {
        {__LINE__, "/a.html", "text/html", 1000, true},
        {__LINE__, "/a.html", "text/html; charset=utf-8", 2000, true},
        {__LINE__, "/a.html", "TEXT/HTML", 2000, true},
        {__LINE__, "/a.html", "text/html", 999, false},
        {__LINE__, "/a.html", "text/html", 2001, false},
        {__LINE__, "/a.html", "text/html", 0, false},
        {__LINE__, "/a.svg", "image/svg+xml", 1500, true},
        {__LINE__, "/a.svgz", "image/svg+xml", 1500, false}, /* is compressed already */
        {__LINE__, "/a.png", "image/png", 1500, false},
        {__LINE__, "/a.json", "application/json", 1500, true},
        {__LINE__, "/a.wasm", "application/wasm", 1500, true},
        {__LINE__, "/a.woff2", "font/woff2", 1500, false},
        {__LINE__, "/a.gz", "application/gzip", 1500, false},
        {__LINE__, "/a", "application/octet-stream", 1500, false},
    };
    struct config *cfg =
        parse("{\"compression\": {\"cacheFolder\": \"/c\", \"minFileBytes\": 1000, "
              "\"maxFileBytes\": 2000}, "
              "\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/srv\"}]}");
    struct site_copies *copies = site_copies_new(cfg);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].path,
                  site_copies_fit(copies, (struct span){rows[i].path, strlen(rows[i].path)},
                                  rows[i].type, rows[i].size),
                  rows[i].want);
    CHECK_TRUE(copies->place.is_own && !copies->place.is_template, "a place of the node's own");
    CHECK_TRUE(strncmp(copies->coders[CODING_BR].label, "br6-", 4) == 0 &&
                   strlen(copies->coders[CODING_BR].label) == 12,
               "%s", copies->coders[CODING_BR].label);
    CHECK_TRUE(strncmp(copies->coders[CODING_ZSTD].label, "zstd12-", 7) == 0, "%s",
               copies->coders[CODING_ZSTD].label);
    site_copies_free(copies);
    config_put(cfg);
}

/* Another dictionary, level or library: another tag. */
static void test_labels_of_deltas(void)
{
    struct site_coder coder = {.level = 12, .mark = 0xabc}, other = coder, newer = coder;
    unsigned char hash[CODER_DICTIONARY_HASH_BYTES] = {1, 2};
    char label[SITE_COPIES_LABEL], its[4][SITE_COPIES_LABEL];

    other.level++;
    newer.mark++;
    site_copies_label_delta(label, &coder, hash);
    CHECK_TRUE(strncmp(label, "dcz-", 4) == 0 && strlen(label) == 20, "%s", label);
    site_copies_label_delta(its[0], &coder, hash);
    CHECK_STR(__LINE__, "the same", its[0], label);
    site_copies_label_delta(its[1], &other, hash);
    site_copies_label_delta(its[2], &newer, hash);
    hash[7]++;
    site_copies_label_delta(its[3], &coder, hash);
    for (size_t i = 1; i < ARRAY_LEN(its); i++)
        CHECK_TRUE(strcmp(its[i], label) != 0, "%s", its[i]);
}

int main(void)
{
    test_wanted();
    test_fit();
    test_labels_of_deltas();
    return check_end("site_copies");
}

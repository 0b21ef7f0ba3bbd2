/* SPDX-License-Identifier: MIT */
/* How names of any bytes are written, as a page and as JSON; and that the parts of a page are the whole of it. Without
 * the job and its threads: TSan takes long for pages as long as these, and would find nothing (test_dir_listing.c). */
#include "site/dir_listing_page.c"
#include "site/dir_listing_read.c"

#include "check.h"
#include "listing_page.h"

#include <openssl/evp.h>

/* --- the two forms --------------------------------------------------------------------------- */

static void test_names_as_text(void)
{
    static const struct {
        int line;
        const char *name, *href, *html, *json;
    } rows[] = {
        {__LINE__, "plain-1.0_~", "plain-1.0_~", "plain-1.0_~", "plain-1.0_~"},
        {__LINE__, "javascript:alert(1)", "javascript%3Aalert%281%29", "javascript:alert(1)",
         "javascript:alert(1)"},
        {__LINE__, "a b?c#d%e", "a%20b%3Fc%23d%25e", "a b?c#d%e", "a b?c#d%e"},
        {__LINE__, "<b>&\"'\\", "%3Cb%3E%26%22%27%5C", "&lt;b&gt;&amp;&quot;'\\", "<b>&\\\"'\\\\"},
        {__LINE__, "gr\xc3\xbc\xc3\x9f", "gr%C3%BC%C3%9F", "gr\xc3\xbc\xc3\x9f",
         "gr\xc3\xbc\xc3\x9f"},
        {__LINE__, "bad\xff\xc3", "bad%FF%C3", "bad\xef\xbf\xbd\xef\xbf\xbd",
         "bad\xef\xbf\xbd\xef\xbf\xbd"},
        {__LINE__, "tab\t", "tab%09", "tab\t", "tab\\u0009"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        char name[100], want[200];
        struct dir_entry entry = {.name = name, .is_known = true, .size = 1};
        struct text row = {0}, object = {0};

        strcpy(name, rows[i].name);
        append_row(&row, &entry);
        append(&row, "", 1);
        snprintf(want, sizeof(want), "<a href=\"%s\"><bdi>%s</bdi></a>", rows[i].href,
                 rows[i].html);
        CHECK_TRUE(strstr(row.data, want) != NULL, "row %d: %s", rows[i].line, row.data);
        append_object(&object, &entry);
        append(&object, "", 1);
        snprintf(want, sizeof(want), "{\"name\":\"%s\",\"href\":\"%s\",\"type\":\"file\",",
                 rows[i].json, rows[i].href);
        CHECK_TRUE(strncmp(object.data, want, strlen(want)) == 0, "row %d: %s", rows[i].line,
                   object.data);
        free(row.data);
        free(object.data);
    }
}

static void test_sizes_and_times(void)
{
    static const struct {
        int line;
        uint64_t size;
        const char *want;
    } sizes[] = {
        {__LINE__, 0, "<data value=\"0\">0 B</data>"},
        {__LINE__, 1023, "<data value=\"1023\">1023 B</data>"},
        {__LINE__, 1024, "<data value=\"1024\">1.0 KiB</data>"},
        {__LINE__, 1048575, "<data value=\"1048575\">1.0 MiB</data>"},
        {__LINE__, UINT64_C(5368709120), "<data value=\"5368709120\">5.0 GiB</data>"},
        {__LINE__, UINT64_MAX, "<data value=\"18446744073709551615\">16.0 EiB</data>"},
    };
    static const struct {
        int line;
        int64_t seconds;
        const char *want;
    } times[] = {
        {__LINE__, 0, "1970-01-01T00:00:00Z"},
        {__LINE__, 784111777, "1994-11-06T08:49:37Z"},
        {__LINE__, INT64_C(253402300799), "9999-12-31T23:59:59Z"},
        {__LINE__, INT64_C(253402300800), NULL},
        {__LINE__, INT64_MAX, NULL},
        {__LINE__, INT64_MIN, NULL},
    };
    char iso[TIME_LEN];

    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct text text = {0};
        append_size(&text, sizes[i].size);
        append(&text, "", 1);
        CHECK_STR(sizes[i].line, "size", text.data, sizes[i].want);
        free(text.data);
    }
    for (size_t i = 0; i < ARRAY_LEN(times); i++) {
        bool known = format_time(iso, times[i].seconds);
        CHECK_INT(times[i].line, "has a date", known, times[i].want != NULL);
        if (known && times[i].want)
            CHECK_STR(times[i].line, "date", iso, times[i].want);
    }
}

static void test_style_hash(void)
{
    unsigned char digest[32];
    char want[64] = "'sha256-";

    EVP_Digest(style, strlen(style), digest, NULL, EVP_sha256(), NULL);
    EVP_EncodeBlock((unsigned char *)want + strlen(want), digest, sizeof(digest));
    strcat(want, "'");
    CHECK_TRUE(strstr(DIR_LISTING_CSP, want) != NULL, "DIR_LISTING_CSP must have %s", want);
}

/* --- parts ----------------------------------------------------------------------------------- */

/* A page of `count` files whose names have `name_len` bytes, the last ones their number. */
static struct dir_listing_page *page_of(size_t count, size_t name_len, bool as_json)
{
    struct dir_listing_page *page = dir_listing_page_new((struct span){"/<up>/", 6}, as_json);

    for (size_t i = 0; i < count; i++) {
        struct dir_entry entry = {.name = malloc(name_len + 1), .is_known = true, .size = i};
        char number[24];
        snprintf(number, sizeof(number), "%06zu", i);
        memset(entry.name, '<', name_len);
        memcpy(entry.name + name_len - 6, number, 7);
        if (page->entries.count == page->entries.cap)
            CHECK_TRUE(grow(&page->entries), "memory");
        page->entries.items[page->entries.count++] = entry;
    }
    return page;
}

static void check_whole(struct dir_listing_page *page, size_t count)
{
    bool as_json = page->as_json;
    char *whole, *at, want[64];

    CHECK_TRUE(dir_listing_page_finish(page), "finished");
    whole = at = joined(page);
    CHECK_INT((int)count, "rows", times_in(whole, as_json ? "{\"name\"" : "<th scope=\"row\""),
              count);
    for (size_t i = 0; i < count; i++) {
        if (as_json)
            snprintf(want, sizeof(want), "\"<<<<%06zu\"", i);
        else
            snprintf(want, sizeof(want), "&lt;%06zu</bdi>", i);
        at = strstr(at, want);
        CHECK_TRUE(at != NULL, "row %zu of %zu", i, count);
        if (!at)
            break;
    }
    CHECK_INT((int)count, "it begins", strncmp(whole, as_json ? "{\"path\"" : "<!DOCTYPE", 7), 0);
    CHECK_INT((int)count, "once", times_in(whole, as_json ? "{\"path\"" : "<!DOCTYPE"), 1);
    CHECK_INT((int)count, "and it ends",
              times_in(whole, as_json ? "],\"truncated\":false}\n" : "</html>\n"), 1);
    CHECK_INT((int)count, "empty", times_in(whole, "This folder is empty"), !as_json && count == 0);
    free(whole);
    dir_listing_page_free(page);
}

/* However many entries there are, the parts are the whole of them, once each and in their order: also
 * when the last one is just what fills a part. */
static void test_parts(void)
{
    for (size_t count = 0; count < 200; count++)
        for (int as_json = 0; as_json < 2; as_json++)
            check_whole(page_of(count, 10, as_json), count);
}

/* A header that is longer than a part. */
static void test_long_header(void)
{
    for (size_t count = 0; count < 100; count += 33) {
        struct dir_listing_page *page = page_of(count, 10, false);
        page->header.text = malloc(3 * PART_BYTES);
        page->header.len = 3 * PART_BYTES;
        memset(page->header.text, 'x', page->header.len);
        check_whole(page, count);
    }
}

/* A page is as long as it has to be, and what is held of it are the names and one part. */
static void test_long_page(void)
{
    struct dir_listing_page *page = page_of(60000, 255, false);
    char *whole;
    size_t held;

    CHECK_TRUE(dir_listing_page_finish(page), "finished");
    CHECK_TRUE(page->length > 80u << 20, "a page of %zu MiB", (size_t)page->length >> 20);
    held = 60000 * (sizeof(struct dir_entry) + 256) + page->longest_part + sizeof(*page) + 6;
    CHECK_INT(__LINE__, "held", page->held_bytes, held);
    CHECK_TRUE(page->longest_part < PART_BYTES + 2048, "a part of %zu", page->longest_part);
    CHECK_TRUE(page->part_count < page->length / PART_BYTES + 1, "%zu parts", page->part_count);
    whole = joined(page);
    CHECK_TRUE(memmem(whole, page->length, "There are more", 14) == NULL, "nothing is left out");
    free(whole);
    dir_listing_page_free(page);
}

static void test_cut_folder(void)
{
    for (int as_json = 0; as_json < 2; as_json++) {
        struct dir_listing_page *page = page_of(2, 10, as_json);
        char *whole;
        page->entries.is_truncated = true;
        CHECK_TRUE(dir_listing_page_finish(page), "finished");
        whole = joined(page);
        CHECK_INT(__LINE__, "at the top", times_in(whole, "more entries than are shown here</capt"),
                  !as_json);
        CHECK_INT(__LINE__, "at the end", times_in(whole, "<p>There are more entries than"),
                  !as_json);
        CHECK_INT(__LINE__, "and JSON", times_in(whole, "\"truncated\":true"), as_json);
        free(whole);
        dir_listing_page_free(page);
    }
}

int main(void)
{
    test_names_as_text();
    test_sizes_and_times();
    test_style_hash();
    test_parts();
    test_long_header();
    test_long_page();
    test_cut_folder();
    return check_end("dir_listing_page");
}

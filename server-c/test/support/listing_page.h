/* SPDX-License-Identifier: MIT */
/* listing_page.h — what a test reads in a page of a listing. */
#ifndef FARMSTEAD_TEST_LISTING_PAGE_H
#define FARMSTEAD_TEST_LISTING_PAGE_H

#include "check.h"
#include "site/dir_listing_page.h"

#include <stdlib.h>
#include <string.h>

/* All parts, one after the other, with a NUL. */
static char *joined(const struct dir_listing_page *page)
{
    char *whole = malloc(page->length + 1);
    size_t len = 0, next = 0;

    for (size_t i = 0; i < page->part_count; i++) {
        char *part;
        size_t part_len;
        CHECK_TRUE(dir_listing_page_part(page, &next, &part, &part_len), "part %zu", i);
        CHECK_TRUE(part_len > 0 && part_len <= page->longest_part, "part %zu: %zu", i, part_len);
        CHECK_TRUE(len + part_len <= page->length, "part %zu goes beyond the length", i);
        memcpy(whole + len, part, part_len);
        len += part_len;
        free(part);
    }
    CHECK_INT(__LINE__, "the length that was counted", len, page->length);
    whole[len] = '\0';
    return whole;
}

static size_t times_in(const char *text, const char *word)
{
    size_t times = 0;

    for (; (text = strstr(text, word)) != NULL; text += strlen(word))
        times++;
    return times;
}

#endif

/* SPDX-License-Identifier: MIT */
/* Versions that are kept: counts go over to the next list, to the same version and to no other. */
#include "site/kept_versions.c"

#include "check.h"

static const struct kept_version_said two[] = {{"www", "/t/a", 1, NULL}, {"www", "/t/b", 2, NULL}};
static const struct kept_version_said next[] = {{"www", "/t/b", 2, NULL},
                                                {"docs", "/t/a", 1, NULL}};

static void lists_are_compared(void)
{
    static const struct kept_version_said other[] = {{"www", "/t/a", 1, NULL},
                                                     {"www", "/t/b", 3, NULL}};
    struct kept_versions *list = kept_versions_new(two, 2, NULL);

    CHECK_TRUE(kept_versions_are(list, two, 2), "the same");
    CHECK_TRUE(!kept_versions_are(list, two, 1), "one less");
    CHECK_TRUE(!kept_versions_are(list, other, 2), "another number");
    CHECK_TRUE(!kept_versions_are(list, next, 2), "others");
    CHECK_TRUE(kept_versions_are(NULL, NULL, 0) && !kept_versions_are(NULL, two, 2), "none");
    kept_versions_put(list);
    kept_versions_put(NULL);
}

static void counts_go_over(void)
{
    struct kept_versions *first = kept_versions_new(two, 2, NULL), *second;
    struct kept_asked asked = kept_version_asked(&first->items[1]);

    CHECK_TRUE(asked.requests == 0 && asked.last_unix_ms == 0, "nobody asked yet");
    kept_version_count(&first->items[0], 7);
    kept_version_count(&first->items[1], 8);
    second = kept_versions_new(next, 2, first);
    /* Requests of the list before go on counting. */
    kept_version_count(&first->items[1], 9);
    kept_versions_put(first);
    asked = kept_version_asked(&second->items[0]);
    CHECK_INT(__LINE__, "requests", asked.requests, 2);
    CHECK_INT(__LINE__, "last", asked.last_unix_ms, 9);
    CHECK_INT(__LINE__, "the same folder of another release",
              kept_version_asked(&second->items[1]).requests, 0);
    kept_versions_put(second);
}

static void a_preview_makes_another_list(void)
{
    static const struct kept_preview shown = {.host = "a.example", .key_sha256 = "1"},
                                     rekeyed = {.host = "a.example", .key_sha256 = "2"};
    static const struct kept_version_said with[] = {{"www", "/t/a", 1, &shown}},
                                          other[] = {{"www", "/t/a", 1, &rekeyed}};
    struct kept_versions *list = kept_versions_new(with, 1, NULL);

    CHECK_INT(__LINE__, "previews", kept_versions_previews(list), 1);
    CHECK_INT(__LINE__, "of no list", kept_versions_previews(NULL), 0);
    CHECK_TRUE(kept_versions_are(list, with, 1), "the same");
    CHECK_TRUE(!kept_versions_are(list, other, 1), "another key");
    CHECK_TRUE(!kept_versions_are(list, two, 1), "without it");
    kept_versions_put(list);
}

int main(void)
{
    a_preview_makes_another_list();
    lists_are_compared();
    counts_go_over();
    return check_end("kept_versions");
}

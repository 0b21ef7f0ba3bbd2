/* SPDX-License-Identifier: MIT */
/* Any text of redirects: either each of its problems has a line, a column and a sentence, or every
 * exact path in it is found, with a Location that can stand in a field and leads elsewhere. */
#include "match/redirect_list.c"

#define OUT_MAX (8 * REDIRECT_LIST_PATH_MAX)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void check_problems(const struct redirect_problems *problems, size_t len)
{
    CHECK(problems->count > 0 && problems->count <= REDIRECT_LIST_PROBLEMS);
    for (size_t i = 0; i < problems->count; i++) {
        const struct redirect_problem *problem = &problems->items[i];
        CHECK(problem->line > 0 && problem->line <= len + 1);
        CHECK(problem->column > 0 && problem->column <= len + 1 && problem->text[0]);
    }
}

static void check_exact(const struct redirect_list *list, struct url_rule_scratch *scratch,
                        uint32_t number)
{
    static char out[OUT_MAX];
    struct span from = from_of(list, number);
    struct url_rule_subject subject = {from, {"example.org", 11}, {"q=1", 3}};
    uint32_t status;
    size_t out_len;

    CHECK(from.len > 0 && from.ptr[0] == '/' && *slot_of(list, from) == number);
    if (redirect_list_apply(list, scratch, &subject, out, sizeof(out), &out_len, &status) !=
        URL_RULE_MATCH)
        return; /* ${host} and ${query} many times may be too long */
    CHECK(url_rule_is_redirect(status));
    for (size_t i = 0; i < out_len; i++)
        CHECK(out[i] > ' ' && out[i] < 0x7f);
    CHECK(next_of(list, number) != number);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static struct url_rule_scratch *scratch;
    struct redirect_problems problems;
    struct redirect_list *list =
        redirect_list_parse((struct span){(const char *)data, len}, &problems);
    static const char path[] = "/old/a b/caf\xc3\xa9";
    struct url_rule_subject subject = {{path, sizeof(path) - 1}, {"example.org", 11}, {"", 0}};
    static char out[OUT_MAX];
    uint32_t status;
    size_t out_len;

    if (!scratch)
        scratch = url_rule_scratch_new();
    if (!list) {
        check_problems(&problems, len);
        return 0;
    }
    for (uint32_t i = 0; i < list->exact_count; i++)
        check_exact(list, scratch, i);
    url_rule_begin(scratch);
    redirect_list_apply(list, scratch, &subject, out, sizeof(out), &out_len, &status);
    CHECK(redirect_list_is_of(list, (struct span){(const char *)data, len}));
    redirect_list_put(list);
    return 0;
}

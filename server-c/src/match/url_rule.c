/* SPDX-License-Identifier: MIT */
/* url_rule.c — PCRE2 with a limit on the steps of a whole match.
 *
 * PCRE2's own limit on matching is not enough: it starts again at each byte where a match may
 * begin, and JIT code passes many repetitions without counting them. So the expression is compiled
 * with a callout at each item, and the callout counts: an item that is tried is a step, and so are
 * some bytes passed since the last one. JIT code and interpreter count the same; only memory may
 * run out earlier. */
#include "match/url_rule.h"

#include "base/mem.h"
#include "match/url_template.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

#define STEPS_MAX 100000
#define REQUEST_STEPS_MAX (10 * STEPS_MAX)
#define BYTES_PER_STEP 32
#define PCRE2_MATCH_LIMIT 1000000 /* normally the limit on steps ends a match long before */
#define PCRE2_DEPTH_LIMIT 100000
#define PCRE2_HEAP_LIMIT_KIB 8192
#define JIT_STACK_START (32 * 1024)
#define JIT_STACK_MAX (1024 * 1024)

struct url_rule {
    pcre2_code *code;
    struct url_template to;
};

struct url_rule_scratch {
    pcre2_general_context *memory;
    pcre2_match_context *limits;
    pcre2_match_data *match;
    pcre2_jit_stack *jit_stack; /* NULL: JIT code uses a little of the caller's stack */
    bool is_made;
    int64_t steps_left, request_steps_left;
    size_t last_position;
};

static void *config_malloc(size_t size, void *arg)
{
    (void)arg;
    return xmalloc(size);
}

/* If there is not enough memory for a match, the match fails, but not the node. */
static void *scratch_malloc(size_t size, void *arg)
{
    const struct url_rule_scratch *scratch = arg;
    return scratch->is_made ? malloc(size) : xmalloc(size);
}

static void give_back(void *ptr, void *arg)
{
    (void)arg;
    free(ptr);
}

static pcre2_code *compile(const char *match, struct url_rule_error *error)
{
    /* NEVER_UTF: not even if the expression asks for it. DOTALL: a path has no lines. */
    const uint32_t options =
        PCRE2_AUTO_CALLOUT | PCRE2_DOLLAR_ENDONLY | PCRE2_DOTALL | PCRE2_NEVER_UTF;
    pcre2_general_context *memory = pcre2_general_context_create(config_malloc, give_back, NULL);
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    pcre2_code *code;
    size_t offset = 0;
    int number = 0;

    pcre2_set_max_pattern_length(context, URL_RULE_MATCH_MAX);
    code =
        pcre2_compile((PCRE2_SPTR)match, PCRE2_ZERO_TERMINATED, options, &number, &offset, context);
    if (code) {
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE); /* if this fails, it is interpreted */
    } else {
        error->is_in_to = false;
        error->offset = offset;
        pcre2_get_error_message(number, (PCRE2_UCHAR *)error->message, sizeof(error->message));
    }
    pcre2_compile_context_free(context);
    pcre2_general_context_free(memory);
    return code;
}

struct url_rule *url_rule_new(const char *match, const char *to, struct url_rule_error *error)
{
    struct url_rule *rule = xcalloc(1, sizeof(*rule));
    uint32_t group_count = 0;

    rule->code = compile(match, error);
    if (!rule->code)
        goto fail;
    pcre2_pattern_info(rule->code, PCRE2_INFO_CAPTURECOUNT, &group_count);
    if (!url_template_init(&rule->to, to, group_count, error))
        goto fail;
    return rule;

fail:
    url_rule_free(rule);
    return NULL;
}

void url_rule_free(struct url_rule *rule)
{
    if (!rule)
        return;
    url_template_fini(&rule->to);
    pcre2_code_free(rule->code);
    free(rule);
}

bool url_rule_is_redirect(uint32_t status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static int on_item(pcre2_callout_block *block, void *arg)
{
    struct url_rule_scratch *scratch = arg;
    size_t position = block->current_position, last = scratch->last_position;

    scratch->last_position = position;
    scratch->steps_left -=
        1 + (int64_t)((position > last ? position - last : last - position) / BYTES_PER_STEP);
    return scratch->steps_left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

struct url_rule_scratch *url_rule_scratch_new(void)
{
    struct url_rule_scratch *scratch = xcalloc(1, sizeof(*scratch));

    scratch->memory = pcre2_general_context_create(scratch_malloc, give_back, scratch);
    scratch->limits = pcre2_match_context_create(scratch->memory);
    scratch->match = pcre2_match_data_create(URL_TEMPLATE_GROUPS, scratch->memory);
    scratch->jit_stack = pcre2_jit_stack_create(JIT_STACK_START, JIT_STACK_MAX, scratch->memory);
    pcre2_set_match_limit(scratch->limits, PCRE2_MATCH_LIMIT);
    pcre2_set_depth_limit(scratch->limits, PCRE2_DEPTH_LIMIT);
    pcre2_set_heap_limit(scratch->limits, PCRE2_HEAP_LIMIT_KIB);
    pcre2_set_callout(scratch->limits, on_item, scratch);
    if (scratch->jit_stack)
        pcre2_jit_stack_assign(scratch->limits, NULL, scratch->jit_stack);
    scratch->is_made = true;
    url_rule_begin(scratch);
    return scratch;
}

void url_rule_scratch_free(struct url_rule_scratch *scratch)
{
    if (!scratch)
        return;
    pcre2_jit_stack_free(scratch->jit_stack);
    pcre2_match_data_free(scratch->match);
    pcre2_match_context_free(scratch->limits);
    pcre2_general_context_free(scratch->memory);
    free(scratch);
}

void url_rule_begin(struct url_rule_scratch *scratch)
{
    scratch->request_steps_left = REQUEST_STEPS_MAX;
}

/* As pcre2_match(). */
static int match(const struct url_rule *rule, struct url_rule_scratch *scratch, struct span path)
{
    int64_t left = scratch->request_steps_left;
    int64_t most = left < STEPS_MAX ? left : STEPS_MAX;
    int taken;

    scratch->steps_left = most;
    scratch->last_position = 0;
    taken = pcre2_match(rule->code, (PCRE2_SPTR)path.ptr, path.len, 0, 0, scratch->match,
                        scratch->limits);
    scratch->request_steps_left -= most - scratch->steps_left;
    return taken;
}

/* `taken` is what pcre2_match() returned: one more than the last group that matched, or 0 if there
 * are more groups than we look at. */
static void read_groups(const struct url_rule_scratch *scratch, struct span path, int taken,
                        struct span groups[URL_TEMPLATE_GROUPS])
{
    const size_t *offsets = pcre2_get_ovector_pointer(scratch->match);
    int count = taken == 0 ? URL_TEMPLATE_GROUPS : taken;

    for (int i = 0; i < URL_TEMPLATE_GROUPS; i++) {
        size_t start = i < count ? offsets[2 * i] : PCRE2_UNSET;
        groups[i] = (struct span){"", 0};
        if (start != PCRE2_UNSET && start < offsets[2 * i + 1])
            groups[i] = (struct span){path.ptr + start, offsets[2 * i + 1] - start};
    }
}

enum url_rule_result url_rule_apply(const struct url_rule *rule, struct url_rule_scratch *scratch,
                                    const struct url_rule_subject *subject, enum url_rule_use use,
                                    char *out, size_t cap, size_t *len)
{
    struct span groups[URL_TEMPLATE_GROUPS];
    int taken = match(rule, scratch, subject->path);

    if (taken == PCRE2_ERROR_NOMATCH)
        return URL_RULE_OTHER;
    if (taken < 0)
        return URL_RULE_LIMIT;
    /* With an empty host, "https://${host}/a" would name the host "a", and "/sites/${host}/a" no
     * site. */
    if (rule->to.has_host && subject->host.len == 0)
        return URL_RULE_NO_HOST;
    read_groups(scratch, subject->path, taken, groups);
    if (!url_template_write(&rule->to, groups, subject, use, out, cap, len))
        return URL_RULE_TOO_LONG;
    return URL_RULE_MATCH;
}

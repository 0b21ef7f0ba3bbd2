/* SPDX-License-Identifier: MIT */
/* The list of findings: how many it keeps, where pointers are cut, and in which order they stand. */
#include "text/config_errors.c"

#include "base/util.h"
#include "check.h"

static struct text_span at(uint32_t line, uint32_t column)
{
    struct text_pos pos = {.line = line, .column = column};

    return (struct text_span){pos, pos};
}

static void add(struct config_errors *errors, uint32_t line, uint32_t column, const char *message)
{
    config_errors_add(errors, CONFIG_CODE_SYNTAX, at(line, column), "", NULL, "%s", message);
}

static const char *messages(const struct config_errors *errors)
{
    static char out[400];

    out[0] = '\0';
    for (size_t i = 0; i < errors->count && i < 30; i++)
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s ", errors->items[i].message);
    return out;
}

/* By place; those at one place stay as they came, and what stands before `first` is not touched. */
static void test_order(void)
{
    struct config_errors errors = {0};

    add(&errors, 9, 9, "kept");
    add(&errors, 3, 1, "d");
    add(&errors, 1, 7, "b");
    add(&errors, 1, 2, "a");
    add(&errors, 1, 7, "c");
    config_errors_sort(&errors, 1);
    CHECK_STR(__LINE__, "order", messages(&errors), "kept a b c d ");
    config_errors_sort(&errors, errors.count);
    config_errors_sort(&errors, 0);
    CHECK_STR(__LINE__, "all of them", messages(&errors), "a b c d kept ");
    config_errors_drop(&errors, "/elsewhere", "syntax");
    config_errors_drop(&errors, "", "another_code");
    CHECK_STR(__LINE__, "none of those", messages(&errors), "a b c d kept ");
    config_errors_drop(&errors, "", "syntax");
    CHECK_INT(__LINE__, "all of one place", errors.count, 0);
    config_errors_fini(&errors);
    config_errors_sort(&errors, 0);
    CHECK_INT(__LINE__, "none", errors.count, 0);
}

static void fill(struct config_errors *errors, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(errors, 1, 1, "x");
}

/* However many are found, so many are kept, and the rest is counted. */
static void test_bounds(void)
{
    static const struct {
        size_t had, moved, count, dropped;
    } rows[] = {
        {0, 0, 0, 0},
        {CONFIG_ERRORS_MAX, 0, CONFIG_ERRORS_MAX, 0},
        {CONFIG_ERRORS_MAX + 3, 0, CONFIG_ERRORS_MAX, 3},
        {CONFIG_ERRORS_MAX - 1, 3, CONFIG_ERRORS_MAX, 2},
        {2, 3, 5, 0},
        {CONFIG_ERRORS_MAX + 1, CONFIG_ERRORS_MAX + 1, CONFIG_ERRORS_MAX, CONFIG_ERRORS_MAX + 2},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct config_errors errors = {0}, more = {0};
        fill(&errors, rows[i].had);
        fill(&more, rows[i].moved);
        config_errors_move(&errors, &more);
        CHECK_INT((int)i, "kept", errors.count, rows[i].count);
        CHECK_INT((int)i, "counted", errors.dropped, rows[i].dropped);
        CHECK_INT((int)i, "moved away", more.count + more.dropped, 0);
        config_errors_fini(&errors);
    }
}

/* A pointer is cut where a segment ends: half a name would be another option's. */
static void test_long_pointers(void)
{
    static const struct {
        size_t first, second; /* lengths of two segments, with their slashes */
        size_t kept;
    } rows[] = {
        {10, 0, 10},
        {CONFIG_POINTER_MAX, 0, CONFIG_POINTER_MAX},
        {CONFIG_POINTER_MAX - 1, 1, CONFIG_POINTER_MAX},
        {CONFIG_POINTER_MAX - 1, 2, CONFIG_POINTER_MAX - 1},
        {CONFIG_POINTER_MAX, 5, CONFIG_POINTER_MAX},
        {5, CONFIG_POINTER_MAX, 5},
        {CONFIG_POINTER_MAX + 1, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        static char pointer[2 * CONFIG_POINTER_MAX + 10];
        struct config_errors errors = {0};
        memset(pointer, 'x', sizeof(pointer));
        pointer[0] = pointer[rows[i].first] = '/';
        pointer[rows[i].first + rows[i].second] = '\0';
        config_errors_add(&errors, CONFIG_CODE_SYNTAX, at(2, 3), pointer, "do this", "%s", "what");
        CHECK_INT((int)i, "kept", strlen(errors.items[0].pointer), rows[i].kept);
        CHECK_TRUE(strncmp(errors.items[0].pointer, pointer, rows[i].kept) == 0, "row %zu", i);
        CHECK_STR((int)i, "hint", errors.items[0].hint, "do this");
        CHECK_STR((int)i, "code", errors.items[0].code, config_code_name(CONFIG_CODE_SYNTAX));
        CHECK_INT((int)i, "place", errors.items[0].line * 10 + errors.items[0].column, 23);
        config_errors_fini(&errors);
    }
}

int main(void)
{
    test_order();
    test_bounds();
    test_long_pointers();
    return check_end("config_errors");
}

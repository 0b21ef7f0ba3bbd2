/* SPDX-License-Identifier: MIT */
/* The tag of a file, and which bytes go with which response. */
#include "response/response_plan.c"

#include "check.h"

#define NOW INT64_C(1795252483)
#define NOW_TEXT "Sat, 21 Nov 2026 09:14:43 GMT"

static struct file_facts facts_of(uint64_t size)
{
    struct file_facts facts;
    file_facts_init(&facts, size, 784111777, 5, NOW);
    return facts;
}

static const char *tag_of(struct file_facts *facts)
{
    static char text[ETAG_MAX + 1];

    memcpy(text, facts->etag, facts->etag_len);
    text[facts->etag_len] = '\0';
    return text;
}

static void test_facts(void)
{
    struct file_facts facts = facts_of(255), future;

    CHECK_STR(__LINE__, "etag", tag_of(&facts), "\"ae1b981bc490a05-ff\"");
    CHECK_STR(__LINE__, "date", facts.last_modified_text, "Sun, 06 Nov 1994 08:49:37 GMT");
    file_facts_add_coding(&facts, "br");
    CHECK_STR(__LINE__, "variant", tag_of(&facts), "\"ae1b981bc490a05-ff-br\"");
    facts = facts_of(255);
    file_facts_add_inode(&facts, 0xabc);
    CHECK_STR(__LINE__, "inode", tag_of(&facts), "\"ae1b981bc490a05-ff-abc\"");
    file_facts_add_coding(&facts, "zstd");
    CHECK_STR(__LINE__, "both", tag_of(&facts), "\"ae1b981bc490a05-ff-abc-zstd\"");
    facts.etag_len = 0;
    file_facts_add_coding(&facts, "br");
    CHECK_INT(__LINE__, "without a tag a variant has none", facts.etag_len, 0);
    file_facts_init(&future, 1, NOW + 1000, 0, NOW);
    CHECK_STR(__LINE__, "never later than now", future.last_modified_text, NOW_TEXT);
}

static void test_tag_of_content(void)
{
    struct file_facts facts = facts_of(255);
    unsigned char hash[32];

    for (size_t i = 0; i < sizeof(hash); i++)
        hash[i] = (unsigned char)(i * 0x0f + 3);
    file_facts_tag_content(&facts, hash);
    CHECK_STR(__LINE__, "tag", tag_of(&facts), "\"031221303f4e5d6c7b8a99a8b7c6d5e4f3021120\"");
    file_facts_add_coding(&facts, "zstd19-deadbeef");
    CHECK_STR(__LINE__, "the longest coding fits", tag_of(&facts),
              "\"031221303f4e5d6c7b8a99a8b7c6d5e4f3021120-zstd19-deadbeef\"");
    facts.etag_len = 0;
    file_facts_tag_content(&facts, hash);
    CHECK_INT(__LINE__, "of a file that had none", facts.etag_len, 42);
}

static void test_times_of_builds(void)
{
    static const struct {
        int line;
        const char *name;
        int64_t seconds;
        uint32_t ns;
        bool want;
    } rows[] = {
        {__LINE__, "zeroed (OSTree, container builds)", 0, 0, true},
        {__LINE__, "Nix, Guix, Jib", 1, 0, true},
        {__LINE__, "zeroed by a tool that keeps nanoseconds", 0, 999, true},
        {__LINE__, "zip's first", 315532800, 0, true},
        {__LINE__, "buildpacks", 315532801, 0, true},
        {__LINE__, "zip's first, west of Greenwich", 315532800 - 12 * 3600, 0, true},
        {__LINE__, "Gradle's archives", 318211200, 0, true},
        {__LINE__, "yarn", 456789000, 0, true},
        {__LINE__, "npm", 499162500, 0, true},
        {__LINE__, "before 1970", -1, 0, true},
        {__LINE__, "the end of 1989", 631151999, 0, true},
        {__LINE__, "2000-01-01", 946684800, 0, true},
        {__LINE__, "2010-01-01", 1262304000, 0, true},
        {__LINE__, "a second after it", 1262304001, 0, false},
        {__LINE__, "a part of a second after it", 1262304000, 1, false},
        {__LINE__, "another midnight", 1262390400, 0, false},
        {__LINE__, "1994", 784111777, 0, false},
        {__LINE__, "now", NOW, 0, false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, rows[i].name, file_time_is_of_build(rows[i].seconds, rows[i].ns),
                  rows[i].want);
}

static void test_distrusted_times(void)
{
    struct file_facts facts;

    file_facts_init(&facts, 255, 1, 0, NOW);
    file_facts_distrust_time(&facts, 784111777, 5, 0xabc);
    CHECK_STR(__LINE__, "ctime, size, inode", tag_of(&facts), "\"ae1b981bc490a05-ff-abc\"");
    CHECK_TRUE(!facts.has_date, "no date");
    file_facts_add_coding(&facts, "br");
    CHECK_STR(__LINE__, "a variant", tag_of(&facts), "\"ae1b981bc490a05-ff-abc-br\"");
    file_facts_init(&facts, 255, 1, 0, NOW);
    file_facts_distrust_time(&facts, 1, 0, 0xabc);
    CHECK_INT(__LINE__, "a ctime that a build set makes no tag", facts.etag_len, 0);
    file_facts_add_coding(&facts, "br");
    CHECK_INT(__LINE__, "nor of a variant", facts.etag_len, 0);
}

static void test_longest_tag(void)
{
    struct file_facts facts;

    file_facts_init(&facts, UINT64_MAX, -1, 0, NOW); /* before 1970 */
    file_facts_add_inode(&facts, UINT64_MAX);
    file_facts_add_coding(&facts, "identity");
    CHECK_STR(__LINE__, "it fits", tag_of(&facts),
              "\"ffffffffc4653600-ffffffffffffffff-ffffffffffffffff-identity\"");
    file_facts_add_coding(&facts, "a coding of too long a name");
    CHECK_INT(__LINE__, "it is cut", facts.etag_len, ETAG_MAX);
    CHECK_TRUE(facts.etag[ETAG_MAX - 1] == '"', "ends in %c", facts.etag[ETAG_MAX - 1]);
}

static void plan_request(struct response_plan *plan, bool is_head, const char *fields,
                         const struct file_facts *facts)
{
    struct http_request req;
    char bytes[1024];
    int len = snprintf(bytes, sizeof(bytes), "%s / HTTP/1.1\r\nHost: a\r\n%s\r\n",
                       is_head ? "HEAD" : "GET", fields);

    http_request_init(&req, sizeof(bytes), 256);
    CHECK_TRUE(http_parse_request(&req, bytes, (size_t)len) == PARSE_OK, "%s", fields);
    response_plan_file(plan, &req, bytes, facts, NOW);
}

static void test_plans(void)
{
    static const struct {
        int line;
        const char *fields;
        int status;
        uint64_t offset, length;
    } rows[] = {
        {__LINE__, "", 200, 0, 100},
        {__LINE__, "Range: bytes=10-19\r\n", 206, 10, 10},
        {__LINE__, "Range: bytes=10-19,200-\r\n", 206, 10, 10},
        {__LINE__, "Range: bytes=0-\r\n", 206, 0, 100},
        {__LINE__, "Range: bytes=100-\r\n", 416, 0, 0},
        {__LINE__, "Range: bytes=100-,-0\r\n", 416, 0, 0},
        {__LINE__, "Range: lines=1-2\r\n", 200, 0, 100},
        {__LINE__, "Range: bytes=0-1\r\nIf-Range: \"other\"\r\n", 200, 0, 100},
        {__LINE__, "Range: bytes=0-1\r\nIf-Range: \"ae1b981bc490a05-64\"\r\n", 206, 0, 2},
        {__LINE__, "Range: bytes=200-\r\nIf-Range: \"other\"\r\n", 200, 0, 100},
        {__LINE__, "Range: bytes=0-1\r\nIf-None-Match: *\r\n", 304, 0, 0},
        {__LINE__, "Range: bytes=0-1\r\nIf-Match: \"other\"\r\n", 412, 0, 0},
        /* The parts would be longer than the file. */
        {__LINE__, "Range: bytes=0-1,4-5\r\n", 200, 0, 100},
    };
    struct file_facts facts = facts_of(100);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        for (int is_head = 0; is_head < 2; is_head++) {
            struct response_plan plan;
            bool is_ranged = rows[i].status == 206 || rows[i].status == 416;
            plan_request(&plan, is_head, rows[i].fields, &facts);
            /* Range is for GET only (RFC 9110 section 14.2). */
            CHECK_INT(rows[i].line, rows[i].fields, plan.status,
                      is_head && is_ranged ? 200 : rows[i].status);
            CHECK_TRUE(!plan.is_multipart, "row %d", rows[i].line);
            if (is_head && is_ranged)
                continue;
            CHECK_INT(rows[i].line, rows[i].fields, plan.offset, rows[i].offset);
            CHECK_INT(rows[i].line, rows[i].fields, plan.length, rows[i].length);
        }
}

static void test_several_ranges(void)
{
    static const struct {
        int line;
        uint64_t size;
        const char *fields;
        int status;
        size_t count; /* 0: no multipart */
    } rows[] = {
        {__LINE__, 10000, "Range: bytes=9000-,0-1,5000-5099\r\n", 206, 3},
        {__LINE__, 260, "Range: bytes=0-1,4-5\r\n", 206, 2},
        {__LINE__, 259, "Range: bytes=0-1,4-5\r\n", 200, 0},
        /* All of it, plus heads of parts. */
        {__LINE__, 10000, "Range: bytes=0-4999,5000-\r\n", 200, 0},
        {__LINE__, 10000, "Range: bytes=0-,0-,0-\r\n", 200, 0},
        {__LINE__, 10000, "Range: bytes=0-1,x\r\n", 200, 0},
        {__LINE__, 10000, "Range: bytes=0-1,4-5\r\nIf-Range: \"x\"\r\n", 200, 0},
        {__LINE__, 10000, "Range: bytes=10000-,20000-\r\n", 416, 0},
        {__LINE__, UINT64_MAX, "Range: bytes=0-,1-\r\n", 200, 0}, /* the sum overflows */
        {__LINE__, UINT64_MAX, "Range: bytes=0-0,-1\r\n", 206, 2},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct file_facts facts = facts_of(rows[i].size);
        struct response_plan plan;
        plan_request(&plan, false, rows[i].fields, &facts);
        CHECK_INT(rows[i].line, rows[i].fields, plan.status, rows[i].status);
        CHECK_INT(rows[i].line, rows[i].fields, plan.is_multipart, rows[i].count > 0);
        if (plan.is_multipart)
            CHECK_INT(rows[i].line, rows[i].fields, plan.ranges.count, rows[i].count);
        else
            CHECK_INT(rows[i].line, rows[i].fields, plan.length,
                      rows[i].status == 200 ? rows[i].size : 0);
    }
}

/* Without Range the ranges are not written to: most requests never touch that memory. */
static void test_ranges_are_left_alone(void)
{
    struct file_facts facts = facts_of(100);
    struct response_plan plan;
    unsigned char before[sizeof(plan.ranges)];

    memset(&plan, 0xa5, sizeof(plan));
    memset(before, 0xa5, sizeof(before));
    plan_request(&plan, false, "If-None-Match: \"x\"\r\n", &facts);
    CHECK_TRUE(memcmp(&plan.ranges, before, sizeof(before)) == 0, "written to");
}

int main(void)
{
    test_facts();
    test_tag_of_content();
    test_times_of_builds();
    test_distrusted_times();
    test_longest_tag();
    test_plans();
    test_several_ranges();
    test_ranges_are_left_alone();
    return check_end("response_plan");
}

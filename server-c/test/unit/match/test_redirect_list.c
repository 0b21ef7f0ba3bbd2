/* SPDX-License-Identifier: MIT */
/* Redirects in bulk: what lines mean, what is said of wrong ones, and lists of 100,000 rules. */
#include "match/redirect_list.c"
#include "match/redirect_list_read.c"

#include "base/buf.h"
#include "check.h"

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static struct url_rule_scratch *scratch;

/* "301 /new", or "-" and what came instead. */
static const char *ask(const struct redirect_list *list, const char *path, const char *query)
{
    static char answer[8 * REDIRECT_LIST_PATH_MAX];
    static char location[6 * REDIRECT_LIST_PATH_MAX];
    struct url_rule_subject subject = {span_of(path), span_of("example.org"), span_of(query)};
    size_t len = 0;
    uint32_t status = 0;
    enum url_rule_result result =
        redirect_list_apply(list, scratch, &subject, location, sizeof(location), &len, &status);

    if (result != URL_RULE_MATCH)
        return result == URL_RULE_OTHER ? "-" : result == URL_RULE_TOO_LONG ? "-long" : "-other";
    snprintf(answer, sizeof(answer), "%" PRIu32 " %.*s", status, (int)len, location);
    return answer;
}

static struct redirect_list *parse(const char *text)
{
    struct redirect_problems problems;
    struct redirect_list *list = redirect_list_parse(span_of(text), &problems);

    CHECK_TRUE(list != NULL, "\"%s\": line %" PRIu32 ": %s", text, problems.items[0].line,
               problems.items[0].text);
    CHECK(list);
    return list;
}

static void test_rules(void)
{
    static const char text[] = "\xef\xbb\xbf# moved in 2019\r\n"
                               "\r\n"
                               "/old /new\r\n"
                               "\t/tabs\t\t/new\t302   # for now\n"
                               "/caf%C3%A9 /coffee 308\n"
                               "/a%20b /blank\n"
                               "/th\xc3\xa9 /tea\n"
                               "/100%25 /all\n"
                               "/%2e%2e%2e/x//y /dots\n"
                               "/slash%2fed /s\n"
                               "/folder/ https://other.example/f/ 307\n"
                               "/with /to?fixed=1\n"
                               "/part /page#part\n"
                               "/host https://${host}/x\n"
                               "/unicode /\xe6\x97\xa5\xe6\x9c\xac\n"
                               "/coded /a%23b\n"
                               "/price /it$$\n"
                               "/2%2A2 /four%3B\n"
                               "/wiki/Special:Search /find;v=1\n"
                               "~^/blog/([0-9]+)$ /posts/$1\n"
                               "~^/blog/ /posts 303\n"
                               "~(?i)^/UPPER$ /up\n"
                               "/blog/1 /first\n"
                               "/z /old\n" /* by way of another one, which is no loop */
                               "/last /end";
    static const struct {
        int line;
        const char *path, *query, *want;
    } rows[] = {
        {__LINE__, "/old", "", "301 /new"},
        {__LINE__, "/old", "a=1&b", "301 /new?a=1&b"},
        {__LINE__, "/old/", "", "-"},
        {__LINE__, "/Old", "", "-"},
        {__LINE__, "/ol", "", "-"},
        {__LINE__, "/tabs", "", "302 /new"},
        {__LINE__, "/caf\xc3\xa9", "", "308 /coffee"},
        {__LINE__, "/a b", "", "301 /blank"},
        {__LINE__, "/th\xc3\xa9", "", "301 /tea"},
        {__LINE__, "/100%", "", "301 /all"},
        {__LINE__, "/.../x/y", "", "301 /dots"},
        {__LINE__, "/slash%2Fed", "", "301 /s"},
        {__LINE__, "/slash/ed", "", "-"},
        {__LINE__, "/folder/", "q", "307 https://other.example/f/?q"},
        {__LINE__, "/with", "q", "301 /to?fixed=1"},
        {__LINE__, "/part", "q", "301 /page?q#part"},
        {__LINE__, "/host", "", "301 https://example.org/x"},
        {__LINE__, "/unicode", "", "301 /%E6%97%A5%E6%9C%AC"},
        {__LINE__, "/coded", "", "301 /a%23b"},
        {__LINE__, "/price", "", "301 /it$"},
        {__LINE__, "/2*2", "", "301 /four%3B"},
        {__LINE__, "/wiki/Special:Search", "", "301 /find;v=1"},
        {__LINE__, "/blog/2", "x", "301 /posts/2?x"},
        {__LINE__, "/blog/x", "", "303 /posts"},
        {__LINE__, "/blog/1", "", "301 /first"},
        {__LINE__, "/upper", "", "301 /up"},
        {__LINE__, "/z", "", "301 /old"},
        {__LINE__, "/last", "", "301 /end"},
        {__LINE__, "/", "", "-"},
        {__LINE__, "", "", "-"},
    };
    struct redirect_list *list = parse(text);

    CHECK_INT(__LINE__, "rules", redirect_list_count(list), 23);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_STR(rows[i].line, rows[i].path, ask(list, rows[i].path, rows[i].query), rows[i].want);
    redirect_list_put(list);
}

static void test_empty(void)
{
    static const char *const texts[] = {"", "\n", "# nothing\n \t\r\n#", "\xef\xbb\xbf"};

    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct redirect_list *list = parse(texts[i]);
        CHECK_INT((int)i, texts[i], redirect_list_count(list), 0);
        CHECK_STR((int)i, texts[i], ask(list, "/a", ""), "-");
        redirect_list_put(list);
    }
}

static char *long_line(const char *before, size_t len, const char *after)
{
    struct buf line;

    buf_init(&line);
    buf_append_str(&line, before);
    for (size_t i = 0; i < len; i++)
        buf_append_char(&line, 'a');
    buf_append_str(&line, after);
    return buf_take(&line);
}

static void check_wrong(int line, const char *text, uint32_t at_line, uint32_t column,
                        const char *want)
{
    struct redirect_problems problems;
    struct redirect_list *list = redirect_list_parse(span_of(text), &problems);

    CHECK_TRUE(!list && problems.count > 0, "row %d: it is wrong", line);
    if (list || problems.count == 0)
        return;
    CHECK_INT(line, want, problems.items[0].line, at_line);
    CHECK_INT(line, want, problems.items[0].column, column);
    CHECK_TRUE(strstr(problems.items[0].text, want) != NULL, "row %d: \"%s\" is not in \"%s\"",
               line, want, problems.items[0].text);
}

static void test_wrong(void)
{
    static const struct {
        int line;
        const char *text;
        uint32_t at_line, column;
        const char *want;
    } rows[] = {
        {__LINE__, "/a", 1, 3, "the address to go to is missing"},
        {__LINE__, "/a # /b", 1, 4, "the address to go to is missing"},
        {__LINE__, "\n\n a /b", 3, 2, "must be a path that begins with \"/\""},
        {__LINE__, "https://a.example/x /b", 1, 1, "without a host"},
        {__LINE__, "/a b", 1, 4, "\"b\" must begin with \"/\", \"http://\" or \"https://\""},
        {__LINE__, "/a ftp://b/", 1, 4, "must begin with"},
        {__LINE__, "/a /b 200", 1, 7, "\"200\" is not the status of a redirect"},
        {__LINE__, "/a /b 3O1", 1, 7, "is not the status"},
        {__LINE__, "/a /b 0301", 1, 7, "is not the status"},
        {__LINE__, "/a /b c", 1, 7, "a blank in an address is %20"},
        {__LINE__, "/\xc3\xa4 /\xf0\x9f\x98\x80 304", 1, 8, "\"304\" is not the status"},
        {__LINE__, "/a /b 301 302", 1, 11, "\"302\" is too much"},
        {__LINE__, "/a?b=1 /c", 1, 3, "leave out what follows the \"?\" (in a name it is %3F)"},
        {__LINE__, "/a#b /c", 1, 3, "leave out what follows the \"#\" (in a name it is %23)"},
        {__LINE__, "/blog/* /posts/:splat", 1, 7, "\"*\" stands for nothing but itself"},
        {__LINE__, "/news/:id /n", 1, 7, "\":\" names no part of a path"},
        {__LINE__, "/a /b;", 1, 6, "no rule ends with \";\" (in an address it is %3B)"},
        {__LINE__, "~^/a$ /b;", 1, 9, "no rule ends with \";\""},
        {__LINE__, "/a /b 301!", 1, 7, "\"301!\" is not the status"},
        {__LINE__, "/100% /c", 1, 1, "no client can ask for the path \"/100%\""},
        {__LINE__, "/../a /c", 1, 1, "no client can ask"},
        {__LINE__, "/a\\b /c", 1, 1, "no client can ask"},
        {__LINE__, "/a /b\x01", 1, 6, "a control character (0x01)"},
        {__LINE__, "/a /b\r/c /d\n", 1, 6, "a control character (0x0d)"},
        {__LINE__, "/a /$1", 1, 5, "there is no group 1: the expression has 0"},
        {__LINE__, "/a /cost$", 1, 9, "a lone \"$\""},
        {__LINE__, "~^/( /b", 1, 5, "missing closing parenthesis"},
        {__LINE__, "~*^/a /b", 1, 2, "quantifier does not follow"},
        {__LINE__, "~^/a$ /$1", 1, 8, "there is no group 1"},
        {__LINE__, "/a /b\n/x /y\n/%61 /c", 3, 1, "\"/a\" has a rule in line 1 already"},
        {__LINE__, "/a /a", 1, 1, "\"/a\" leads to itself"},
        {__LINE__, "/a%20b /a%20b?x#y", 1, 1, "leads to itself"},
        {__LINE__, "/a $0", 1, 1, "leads to itself"},
        {__LINE__, "/a /b/../a", 1, 1, "leads to itself"},
        {__LINE__, "/x /a\n/a /b\n/b /c\n/c /a", 2, 1, "leads back to itself, by way of line 3"},
    };
    char *long_path = long_line("/", REDIRECT_LIST_PATH_MAX, " /b");
    char *long_address = long_line("/b /", REDIRECT_LIST_PATH_MAX, "");
    char *long_match = long_line("~", REDIRECT_LIST_MATCH_MAX + 1, " /b");

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        check_wrong(rows[i].line, rows[i].text, rows[i].at_line, rows[i].column, rows[i].want);
    check_wrong(__LINE__, long_path, 1, 1, "the path is 2049 bytes long: 2048 are the most");
    check_wrong(__LINE__, long_address, 1, 4, "the address is 2049 bytes long");
    check_wrong(__LINE__, long_match, 1, 1, "the expression is 1025 bytes long");
    free(long_path);
    free(long_address);
    free(long_match);
}

static void test_longest(void)
{
    char *line = long_line("/", REDIRECT_LIST_PATH_MAX - 1, " /b"), *path;
    struct redirect_list *list = parse(line);

    path = xstrndup(line, REDIRECT_LIST_PATH_MAX);
    CHECK_STR(__LINE__, "the longest path", ask(list, path, ""), "301 /b");
    redirect_list_put(list);
    free(line);
    line = long_line("/b /", REDIRECT_LIST_PATH_MAX - 1, "");
    list = parse(line);
    CHECK_INT(__LINE__, "the longest address", strlen(ask(list, "/b", "")),
              4 + REDIRECT_LIST_PATH_MAX);
    redirect_list_put(list);
    free(line);
    free(path);
}

static void test_zero_byte(void)
{
    struct redirect_problems problems;
    static const char text[] = "/a /b\n/c /d\0e\n";

    CHECK_TRUE(!redirect_list_parse((struct span){text, sizeof(text) - 1}, &problems), "wrong");
    CHECK_INT(__LINE__, "line", problems.items[0].line, 2);
    CHECK_INT(__LINE__, "column", problems.items[0].column, 6);
}

static void test_several_problems(void)
{
    struct redirect_problems problems;

    CHECK_TRUE(!redirect_list_parse(span_of("/a\n/b /c\nx /y\n/d /e 404\n"), &problems), "wrong");
    CHECK_INT(__LINE__, "each line's first", problems.count, 3);
    CHECK_INT(__LINE__, "", problems.items[2].line, 4);
    CHECK_TRUE(!redirect_list_parse(span_of("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"), &problems), "wrong");
    CHECK_INT(__LINE__, "not more", problems.count, REDIRECT_LIST_PROBLEMS);
}

static char *many(size_t count, const char *format)
{
    struct buf text;

    buf_init(&text);
    for (size_t i = 0; i < count; i++) {
        char line[96];
        int len = snprintf(line, sizeof(line), "/old/section-%zu/page-%zu.html %s/%zu\n", i % 97, i,
                           format, i);
        buf_append(&text, line, (size_t)len);
    }
    return buf_take(&text);
}

static size_t longest_chain(const struct redirect_list *list)
{
    size_t longest = 0, run = 0;

    for (size_t i = 0; i <= list->slot_mask; i++) {
        run = list->slots[i] == NONE ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void test_many(void)
{
    char *text = many(REDIRECT_LIST_RULES, "/new"), *more;
    uint64_t start = monotonic_ns();
    struct redirect_list *list = parse(text);
    uint64_t parsed = monotonic_ns();
    char path[64], want[64];

    CHECK_INT(__LINE__, "rules", redirect_list_count(list), REDIRECT_LIST_RULES);
    for (size_t i = 0; i < REDIRECT_LIST_RULES; i++) {
        snprintf(path, sizeof(path), "/old/section-%zu/page-%zu.html", i % 97, i);
        snprintf(want, sizeof(want), "301 /new/%zu", i);
        CHECK_STR((int)i, path, ask(list, path, ""), want);
    }
    printf("100,000 rules: %" PRIu64 " ms to parse, %" PRIu64 " ns for each look-up\n",
           (parsed - start) / NS_PER_MS, (monotonic_ns() - parsed) / REDIRECT_LIST_RULES);
    CHECK_TRUE(longest_chain(list) < 100, "the longest chain has %zu rules", longest_chain(list));
    CHECK_TRUE(redirect_list_is_of(list, span_of(text)), "the same text");
    CHECK_TRUE(!redirect_list_is_of(list, span_of("/a /b")), "another text");
    redirect_list_put(list);
    more = long_line(text, 0, "/one /more\n");
    check_wrong(__LINE__, more, REDIRECT_LIST_RULES + 1, 1, "100000 rules are the most");
    free(more);
    free(text);
}

static void test_many_patterns(void)
{
    struct buf text;
    struct redirect_list *list;

    buf_init(&text);
    for (int i = 0; i < REDIRECT_LIST_PATTERNS; i++)
        buf_printf(&text, "~^/p%d/ /q%d\n", i, i);
    list = parse(text.data);
    CHECK_STR(__LINE__, "the last", ask(list, "/p255/x", ""), "301 /q255");
    redirect_list_put(list);
    buf_append_str(&text, "~one /more\n");
    check_wrong(__LINE__, text.data, REDIRECT_LIST_PATTERNS + 1, 1, "256 rules with \"~\"");
    buf_fini(&text);
}

static void test_limits(void)
{
    struct redirect_list *list = parse("/host https://${host}/\n/long /0123456789\n~^/(a+)+$ /x\n");
    char out[8];
    size_t len;
    uint32_t status;
    struct url_rule_subject nobody = {span_of("/host"), {"", 0}, {"", 0}};
    struct url_rule_subject to_long = {span_of("/long"), span_of("h"), {"", 0}};
    char *path = long_line("/", 4000, "b");
    struct url_rule_subject slow = {span_of(path), span_of("h"), {"", 0}};

    CHECK_INT(__LINE__, "no host",
              redirect_list_apply(list, scratch, &nobody, out, sizeof(out), &len, &status),
              URL_RULE_NO_HOST);
    CHECK_INT(__LINE__, "too long",
              redirect_list_apply(list, scratch, &to_long, out, sizeof(out), &len, &status),
              URL_RULE_TOO_LONG);
    CHECK_INT(__LINE__, "given up",
              redirect_list_apply(list, scratch, &slow, out, sizeof(out), &len, &status),
              URL_RULE_LIMIT);
    redirect_list_put(list);
    free(path);
}

static void test_references(void)
{
    struct redirect_list *list = parse("/a /b\n");

    CHECK_TRUE(redirect_list_get(list) == list, "the same");
    redirect_list_put(list);
    CHECK_STR(__LINE__, "still there", ask(list, "/a", ""), "301 /b");
    redirect_list_put(list);
    CHECK_TRUE(redirect_list_get(NULL) == NULL, "none");
    redirect_list_put(NULL);
}

int main(void)
{
    scratch = url_rule_scratch_new();
    test_rules();
    test_empty();
    test_wrong();
    test_longest();
    test_zero_byte();
    test_several_problems();
    test_many();
    test_many_patterns();
    test_limits();
    test_references();
    url_rule_scratch_free(scratch);
    return check_end("redirect_list");
}

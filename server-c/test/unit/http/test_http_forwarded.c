/* SPDX-License-Identifier: MIT */
/* Which address an element of Forwarded or X-Forwarded-For tells of, and where elements end. */
#include "http/http_forwarded.c"

#include "base/util.h"
#include "check.h"

struct row {
    int line;
    enum http_field field;
    const char *element;
    const char *address; /* NULL: unknown */
};

static const struct row rows[] = {
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7", "192.0.2.7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7:4711", "192.0.2.7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "2001:db8::7", "2001:db8::7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "[2001:db8::7]", "2001:db8::7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "[2001:db8::7]:4711", "2001:db8::7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "::ffff:192.0.2.7", "192.0.2.7"},
    {__LINE__, FIELD_X_FORWARDED_FOR, "unknown", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.256", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.07", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7:", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7:x", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7:123456", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "192.0.2.7 192.0.2.8", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "[2001:db8::7", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "[2001:db8::7]x", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "[192.0.2.7]", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "fe80::1%eth0", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "\"192.0.2.7\"", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "for=192.0.2.7", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR, "example.org", NULL},
    {__LINE__, FIELD_X_FORWARDED_FOR,
     "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc:dddd", NULL},
    {__LINE__, FIELD_FORWARDED, "for=192.0.2.7", "192.0.2.7"},
    {__LINE__, FIELD_FORWARDED, "For=192.0.2.7;proto=https;by=10.0.0.1", "192.0.2.7"},
    {__LINE__, FIELD_FORWARDED, "by=10.0.0.1 ; for=192.0.2.7", "192.0.2.7"},
    {__LINE__, FIELD_FORWARDED, "for=\"192.0.2.7:4711\"", "192.0.2.7"},
    {__LINE__, FIELD_FORWARDED, "for=\"[2001:db8::7]:4711\"", "2001:db8::7"},
    {__LINE__, FIELD_FORWARDED, "for=\"[2001:db8::7]\"", "2001:db8::7"},
    {__LINE__, FIELD_FORWARDED, "host=\"a;for=1.2.3.4\";for=192.0.2.7", "192.0.2.7"},
    {__LINE__, FIELD_FORWARDED, "for=unknown", NULL},
    {__LINE__, FIELD_FORWARDED, "for=_hidden", NULL},
    {__LINE__, FIELD_FORWARDED, "proto=https", NULL},
    {__LINE__, FIELD_FORWARDED, "for", NULL},
    {__LINE__, FIELD_FORWARDED, "for=", NULL},
    {__LINE__, FIELD_FORWARDED, "for=\"", NULL},
    {__LINE__, FIELD_FORWARDED, "for=\"192.0.2.7", NULL},
    {__LINE__, FIELD_FORWARDED, "for=192.0.2.7;for=192.0.2.8", NULL},
    {__LINE__, FIELD_FORWARDED, "for=2001:db8::7", NULL},
    {__LINE__, FIELD_FORWARDED, "192.0.2.7", NULL},
};

static void test_hops(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *text = rows[i].element;
        struct forwarded_hop hop =
            http_forwarded_hop(rows[i].field, (struct span){text, strlen(text)});
        struct forwarded_hop want = {0};
        CHECK_INT(rows[i].line, text, hop.is_known, rows[i].address != NULL);
        if (!rows[i].address)
            continue;
        CHECK_TRUE(parse_v4(&want, (struct span){rows[i].address, strlen(rows[i].address)}) ||
                       parse_v6(&want, (struct span){rows[i].address, strlen(rows[i].address)}),
                   "row %d", rows[i].line);
        CHECK_TRUE(memcmp(hop.address, want.address, sizeof(want.address)) == 0, "row %d: \"%s\"",
                   rows[i].line, text);
    }
}

static void test_lists(void)
{
    static const struct {
        int line;
        enum http_field field;
        const char *list, *elements; /* one behind the other, each with a '|' */
    } lists[] = {
        {__LINE__, FIELD_X_FORWARDED_FOR, "a, b ,c", "a|b|c|"},
        {__LINE__, FIELD_X_FORWARDED_FOR, " , a,,", "a|"},
        {__LINE__, FIELD_X_FORWARDED_FOR, "", ""},
        {__LINE__, FIELD_FORWARDED, "for=a, for=b;by=c ,for=d", "for=a|for=b;by=c|for=d|"},
        {__LINE__, FIELD_FORWARDED, "for=\"a,b\", for=c", "for=\"a,b\"|for=c|"},
        {__LINE__, FIELD_FORWARDED, "for=\"a\\\",b\", for=c", "for=\"a\\\",b\"|for=c|"},
        {__LINE__, FIELD_FORWARDED, "for=\"a, for=c", "for=\"a, for=c|"},
        {__LINE__, FIELD_FORWARDED, ",,", ""},
    };

    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        struct span list = {lists[i].list, strlen(lists[i].list)}, element;
        char got[200] = "";
        while (http_forwarded_next(lists[i].field, &list, &element)) {
            strncat(got, element.ptr, element.len);
            strcat(got, "|");
        }
        CHECK_STR(lists[i].line, lists[i].list, got, lists[i].elements);
    }
}

static void test_https(void)
{
    static const struct {
        int line;
        enum http_field field;
        const char *element;
        bool is_https;
    } schemes[] = {
        {__LINE__, FIELD_X_FORWARDED_PROTO, "https", true},
        {__LINE__, FIELD_X_FORWARDED_PROTO, "HTTPS", true},
        {__LINE__, FIELD_X_FORWARDED_PROTO, "http", false},
        {__LINE__, FIELD_X_FORWARDED_PROTO, "httpsx", false},
        {__LINE__, FIELD_X_FORWARDED_PROTO, "", false},
        {__LINE__, FIELD_X_FORWARDED_PROTO, "proto=https", false},
        {__LINE__, FIELD_FORWARDED, "proto=https", true},
        {__LINE__, FIELD_FORWARDED, "for=192.0.2.7;Proto=\"https\";by=a", true},
        {__LINE__, FIELD_FORWARDED, "proto=http", false},
        {__LINE__, FIELD_FORWARDED, "https", false},
        {__LINE__, FIELD_FORWARDED, "for=https", false},
        {__LINE__, FIELD_FORWARDED, "host=\"a;proto=https\"", false},
        {__LINE__, FIELD_FORWARDED, "proto=https;proto=https", false}, /* it is there once */
    };

    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        struct span element = {schemes[i].element, strlen(schemes[i].element)};
        CHECK_INT(schemes[i].line, schemes[i].element,
                  http_forwarded_is_https(schemes[i].field, element), schemes[i].is_https);
    }
}

int main(void)
{
    test_https();
    test_hops();
    test_lists();
    return check_end("http_forwarded");
}

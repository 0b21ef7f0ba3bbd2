/* SPDX-License-Identifier: MIT */
/* Addresses and blocks as operators write them, and the addresses in them. */
#include "match/address_block.c"

#include "check.h"

static void test_parse(void)
{
    static const struct {
        int line;
        const char *text;
        int bits; /* -1: refused */
        const char *says;
    } rows[] = {
        {__LINE__, "192.0.2.7", 128, NULL},
        {__LINE__, "192.0.2.7/32", 128, NULL},
        {__LINE__, "192.0.2.0/24", 120, NULL},
        {__LINE__, "192.0.2.128/25", 121, NULL},
        {__LINE__, "0.0.0.0/0", 96, NULL},
        {__LINE__, "0.0.0.0", 128, NULL},
        {__LINE__, "2001:db8::/32", 32, NULL},
        {__LINE__, "2001:DB8::1", 128, NULL},
        {__LINE__, "::/0", 0, NULL},
        {__LINE__, "::", 128, NULL},
        {__LINE__, "::1/128", 128, NULL},
        {__LINE__, "2000::/3", 3, NULL},
        {__LINE__, "::ffff:10.0.0.0/104", 104, NULL},
        {__LINE__, "::ffff:0:0/96", 96, NULL},
        {__LINE__, "1111:2222:3333:4444:5555:6666:255.255.255.255", 128, NULL},

        {__LINE__, "", -1, "is not an IP"},
        {__LINE__, "/8", -1, "is not an IP"},
        {__LINE__, "localhost", -1, "is not an IP"},
        {__LINE__, "10", -1, "is not an IP"},
        {__LINE__, "10.0.0/8", -1, "is not an IP"},
        {__LINE__, "10.0.0.256", -1, "is not an IP"},
        {__LINE__, "10.0.0.01", -1, "is not an IP"},
        {__LINE__, "010.0.0.0/8", -1, "is not an IP"},
        {__LINE__, "0x0a.0.0.0", -1, "is not an IP"},
        {__LINE__, " 10.0.0.0", -1, "is not an IP"},
        {__LINE__, "10.0.0.0 ", -1, "is not an IP"},
        {__LINE__, "10.0.0.0:80", -1, "is not an IP"},
        {__LINE__, "[::1]", -1, "is not an IP"},
        {__LINE__, "fe80::1%eth0", -1, "is not an IP"},
        {__LINE__, ":::", -1, "is not an IP"},
        {__LINE__, "1::2::3", -1, "is not an IP"},
        {__LINE__, "1111:2222:3333:4444:5555:6666:7777:8888:9999", -1, "is not an IP"},
        {__LINE__, "1111:2222:3333:4444:5555:6666:255.255.255.2555", -1, "is not an IP"},
        {__LINE__, "10.0.0.0/", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/33", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/08", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/00", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/+8", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/-1", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/ 8", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/8 ", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/8/8", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/255.0.0.0", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/99999999999", -1, "0 to 32"},
        {__LINE__, "10.0.0.0/4294967304", -1, "0 to 32"},
        {__LINE__, "2001:db8::/129", -1, "0 to 128"},
        {__LINE__, "::/", -1, "0 to 128"},
        {__LINE__, "10.0.0.1/8", -1, "behind its prefix"},
        {__LINE__, "10.0.0.1/31", -1, "behind its prefix"},
        {__LINE__, "128.0.0.0/0", -1, "behind its prefix"},
        {__LINE__, "2001:db8::1/64", -1, "behind its prefix"},
        {__LINE__, "::1/127", -1, "behind its prefix"},
        {__LINE__, "::ffff:10.0.0.0/8", -1, "behind its prefix"},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct address_block block = {.bits = 255};
        const char *error = address_block_parse(&block, rows[i].text);
        CHECK_INT(rows[i].line, rows[i].text, error != NULL, rows[i].bits < 0);
        CHECK_INT(rows[i].line, rows[i].text, block.bits, rows[i].bits < 0 ? 255 : rows[i].bits);
        if (error && rows[i].says)
            CHECK_TRUE(strstr(error, rows[i].says) != NULL, "row %d \"%s\" says \"%s\"",
                       rows[i].line, rows[i].text, error);
    }
}

static void test_holds(void)
{
    static const struct {
        int line;
        const char *block, *address;
        bool want;
    } rows[] = {
        {__LINE__, "192.0.2.7", "192.0.2.7", true},
        {__LINE__, "192.0.2.7", "192.0.2.6", false},
        {__LINE__, "192.0.2.0/24", "192.0.2.255", true},
        {__LINE__, "192.0.2.0/24", "192.0.3.0", false},
        {__LINE__, "192.0.2.128/25", "192.0.2.127", false},
        {__LINE__, "192.0.2.128/25", "192.0.2.128", true},
        {__LINE__, "10.0.0.0/7", "11.255.255.255", true},
        {__LINE__, "10.0.0.0/7", "12.0.0.0", false},
        {__LINE__, "0.0.0.0/0", "255.255.255.255", true},
        {__LINE__, "0.0.0.0/0", "::1", false},
        {__LINE__, "0.0.0.0/0", "2001:db8::1", false},
        {__LINE__, "192.0.2.0/24", "::ffff:192.0.2.9", true},
        {__LINE__, "::ffff:192.0.2.0/120", "192.0.2.9", true},
        {__LINE__, "::ffff:0:0/96", "192.0.2.9", true},
        {__LINE__, "192.0.2.9", "::192.0.2.9", false},
        {__LINE__, "::/0", "2001:db8::1", true},
        {__LINE__, "::/0", "192.0.2.9", false},
        {__LINE__, "::/64", "192.0.2.9", false},
        {__LINE__, "::/64", "::1", true},
        {__LINE__, "2001:db8::/32", "2001:db8:ffff::1", true},
        {__LINE__, "2001:db8::/32", "2001:db9::", false},
        {__LINE__, "2000::/3", "3fff::", true},
        {__LINE__, "2000::/3", "4000::", false},
        {__LINE__, "::1", "::1", true},
        {__LINE__, "::1", "::", false},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct address_block block, one;
        CHECK_TRUE(address_block_parse(&block, rows[i].block) == NULL, "%s", rows[i].block);
        CHECK_TRUE(address_block_parse(&one, rows[i].address) == NULL, "%s", rows[i].address);
        CHECK_INT(rows[i].line, rows[i].block, address_block_holds(&block, one.bytes),
                  rows[i].want);
    }
}

int main(void)
{
    test_parse();
    test_holds();
    return check_end("address_block");
}

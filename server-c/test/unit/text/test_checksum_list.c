/* SPDX-License-Identifier: MIT */
/* Lines of sha256sum, and of those who write nearly the same. */
#include "text/checksum_list.c"

#include "check.h"

#define HASH "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eFf"

static void test_lines(void)
{
    static const struct {
        int line;
        const char *text, *names; /* each with a '|' behind it */
    } rows[] = {
        {__LINE__, "", ""},
        {__LINE__, "\n\n", ""},
        {__LINE__, HASH "  a.iso\n", "a.iso|"},
        {__LINE__, HASH "  a.iso", "a.iso|"},
        {__LINE__, HASH " *a.iso\r\n", "a.iso|"},
        {__LINE__, HASH "  dir/a b.iso \n", "dir/a b.iso |"},
        {__LINE__, HASH "   a\n", " a|"}, /* the name begins with a blank */
        {__LINE__, HASH "\n", "|"},
        {__LINE__, HASH "\r\n", "|"},
        {__LINE__, HASH, "|"},
        {__LINE__, HASH "  a\n" HASH "  b\n", "a|b|"},
        {__LINE__, "# a comment\n" HASH "  a\nnoise\n" HASH "  b", "a|b|"},
        {__LINE__, "\\" HASH "  a\\nb\n", ""},
        {__LINE__, "SHA256 (a.iso) = " HASH "\n", ""},
        {__LINE__, HASH " a\n", ""},
        {__LINE__, HASH "  \n", ""},
        {__LINE__, HASH " \n", ""},
        {__LINE__, HASH "0  a\n", ""}, /* more digits: another algorithm's */
        {__LINE__, "g00102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff  a\n", ""},
        {__LINE__, "d41d8cd98f00b204e9800998ecf8427e  a\n", ""}, /* md5sum */
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span text = {rows[i].text, strlen(rows[i].text)};
        struct checksum_line line;
        char names[64] = "";

        while (checksum_list_next(&text, &line)) {
            strncat(names, line.name.ptr, line.name.len);
            strcat(names, "|");
            CHECK_INT(rows[i].line, "first byte", line.hash[0], 0);
            CHECK_INT(rows[i].line, "last byte", line.hash[31], 0xff);
        }
        CHECK_STR(rows[i].line, rows[i].text, names, rows[i].names);
    }
}

int main(void)
{
    test_lines();
    return check_end("checksum_list");
}

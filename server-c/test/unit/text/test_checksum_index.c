/* SPDX-License-Identifier: MIT */
/* Names in lists: found, not found, and those that are not to be trusted. */
#include "text/checksum_index.c"

#include "check.h"

#define ZEROS "00000000000000000000000000000000000000000000000000000000000000"

static void test_find(void)
{
    static const struct {
        int line;
        const char *text, *name;
        int want; /* the last byte; -1: none */
    } rows[] = {
        {__LINE__, "", "a", -1},
        {__LINE__, "\n", "", -1},
        {__LINE__, ZEROS "0a  a\n", "a", 0x0a},
        {__LINE__, ZEROS "0a  a\n", "", -1},
        {__LINE__, ZEROS "0a  a\n", "aa", -1},
        {__LINE__, ZEROS "0a  aa\n" ZEROS "0b  a\n", "a", 0x0b},
        {__LINE__, ZEROS "0a  aa\n" ZEROS "0b  a\n", "aa", 0x0a},
        {__LINE__, ZEROS "0c  c\n" ZEROS "0b  b/c\n" ZEROS "0a  a\n", "b/c", 0x0b},
        {__LINE__, ZEROS "0a  ././a\r\n", "a", 0x0a},
        {__LINE__, ZEROS "0a  ./\n", "./", 0x0a},
        {__LINE__, ZEROS "0a\n", "", -1}, /* a line without a name */
        {__LINE__, ZEROS "0a  a", "a", -1},
        {__LINE__, ZEROS "0a  a\n" ZEROS "0b  ab", "ab", -1},
        {__LINE__, ZEROS "0a  a\n" ZEROS "0a  a\n", "a", 0x0a},
        {__LINE__, ZEROS "0a  a\n" ZEROS "0b  a\n" ZEROS "0c  b\n", "a", -1},
        {__LINE__, ZEROS "0a  a\n" ZEROS "0b  ./a\n" ZEROS "0c  b\n", "b", 0x0c},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span name = {rows[i].name, strlen(rows[i].name)};
        struct checksum_index *index =
            checksum_index_new(strdup(rows[i].text), strlen(rows[i].text));
        unsigned char hash[32];
        bool is_found = checksum_index_find(index, name, hash);

        CHECK_INT(rows[i].line, rows[i].text, is_found ? hash[31] : -1, rows[i].want);
        CHECK_TRUE(checksum_index_bytes(index) >= strlen(rows[i].text), "line %d", rows[i].line);
        checksum_index_free(index);
    }
}

int main(void)
{
    test_find();
    return check_end("checksum_index");
}

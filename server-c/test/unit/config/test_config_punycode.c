/* SPDX-License-Identifier: MIT */
/* Names in the form in which browsers send them. */
#include "config/config_punycode.c"

#include "check.h"

static void test_names(void)
{
    static const struct {
        int line;
        const char *name, *want; /* want: NULL: not known */
    } rows[] = {
        {__LINE__, "münchen.de", "xn--mnchen-3ya.de"},
        {__LINE__, "MÜNCHEN.De", "xn--mnchen-3ya.de"},
        {__LINE__, "bücher.example", "xn--bcher-kva.example"},
        {__LINE__, "www.bücher.example", "www.xn--bcher-kva.example"},
        {__LINE__, "*.bücher.example", "*.xn--bcher-kva.example"},
        {__LINE__, "straße.de", "xn--strae-oqa.de"},
        {__LINE__, "пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"},
        {__LINE__, "Пример.испытание", "xn--e1afmkfd.xn--80akhbyknj4f"},
        {__LINE__, "παράδειγμα.δοκιμή", "xn--hxajbheg2az3al.xn--jxalpdlp"},
        {__LINE__, "例え.テスト", "xn--r8jz45g.xn--zckzah"},
        {__LINE__, "실례.테스트", "xn--9n2bp8q.xn--9t4b11yi5a"},
        {__LINE__, "דוגמה.טעסט", "xn--6dbbec0c.xn--deba0ad"},
        {__LINE__, "مثال.إختبار", "xn--mgbh0fb.xn--kgbechtv"},
        {__LINE__, "faß", "xn--fa-hia"},
        {__LINE__, "łódź.pl", "xn--d-uga0v4h.pl"},
        {__LINE__, "ŁÓDŹ.pl", "xn--d-uga0v4h.pl"},
        {__LINE__, "example.org", "example.org"},
        {__LINE__, "mu\xcc\x88nchen.de", NULL}, /* a combining accent */
        {__LINE__, "ｗｉｄｅ.de", NULL},
        {__LINE__, "Ÿ.fr", NULL},
        {__LINE__, "münchen..de", NULL},
        {__LINE__, "münchen.de:80", NULL},
        {__LINE__, "münchen.de/", NULL},
        {__LINE__, "mün chen.de", NULL},
        {__LINE__, "\xff.de", NULL},
        {__LINE__, "äääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää.de", NULL},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;
        bool known;

        buf_init(&out);
        buf_append_str(&out, "> ");
        known = config_punycode_host(&out, rows[i].name);
        CHECK_INT(rows[i].line, rows[i].name, known, rows[i].want != NULL);
        CHECK_STR(rows[i].line, rows[i].name, out.data + 2, rows[i].want ? rows[i].want : "");
        buf_fini(&out);
    }
}

int main(void)
{
    test_names();
    return check_end("config_punycode");
}

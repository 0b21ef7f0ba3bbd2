/* SPDX-License-Identifier: MIT */
/* Signatures compared with those of Python's hmac, and every way in which a query can be wrong. */
#include "match/signed_url.c"

#include "check.h"

#define KEY "0123456789abcdef0123456789abcdef"
#define PATH "/downloads/report.pdf"
#define GOOD "BsSVSI98mdrcAy9S5qca0JbJ_QMmcW6aFW_bkM4zb9w"
#define TIME "1800000000"

static struct span span_of(const char *text)
{
    return (struct span){text, strlen(text)};
}

static const struct {
    int line;
    const char *path;
    int64_t expires;
    const char *signature; /* "": can't be signed */
} signatures[] = {
    {__LINE__, PATH, 1800000000, GOOD},
    {__LINE__, "/\xc3\xa4 b.txt", 9999999999, "2IGyCJTdTMtVLwansc1EYHTbSfwAKDWyegsZK7vZ_TM"},
    {__LINE__, "/", 0, "wyrRDQ3H-WyO2ALLUeUIkPg0xvM_XAPmGPcrlnITe7c"},
    {__LINE__, "/", -1, ""},
    {__LINE__, "/", 10000000000, ""},
};

static void test_signing(void)
{
    for (size_t i = 0; i < ARRAY_LEN(signatures); i++) {
        char out[SIGNED_URL_SIGNATURE_LEN + 1] = "";
        bool ok =
            signed_url_sign(out, span_of(KEY), span_of(signatures[i].path), signatures[i].expires);

        CHECK_INT(signatures[i].line, signatures[i].path, ok, signatures[i].signature[0] != '\0');
        CHECK_STR(signatures[i].line, signatures[i].path, out, signatures[i].signature);
    }
}

static const struct {
    int line;
    const char *name, *query;
    int64_t now;
    enum signed_url want;
} rows[] = {
    {__LINE__, "right", "expires=" TIME "&signature=" GOOD, 1799999999, SIGNED_URL_VALID},
    {__LINE__, "the other order", "signature=" GOOD "&expires=" TIME, 0, SIGNED_URL_VALID},
    {__LINE__, "others around", "a=b&expires=" TIME "&&c&signature=" GOOD "&d=", 0,
     SIGNED_URL_VALID},
    {__LINE__, "names that only look alike",
     "xexpires=1&expiresx=2&expires=" TIME "&signature=" GOOD, 0, SIGNED_URL_VALID},
    {__LINE__, "over this second", "expires=" TIME "&signature=" GOOD, 1800000000,
     SIGNED_URL_EXPIRED},
    {__LINE__, "long over", "expires=" TIME "&signature=" GOOD, INT64_MAX, SIGNED_URL_EXPIRED},

    {__LINE__, "no query", "", 0, SIGNED_URL_WRONG},
    {__LINE__, "no signature", "expires=" TIME, 0, SIGNED_URL_WRONG},
    {__LINE__, "no time", "signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "an empty signature", "expires=" TIME "&signature=", 0, SIGNED_URL_WRONG},
    {__LINE__, "an empty time", "expires=&signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "the time twice", "expires=" TIME "&expires=" TIME "&signature=" GOOD, 0,
     SIGNED_URL_WRONG},
    {__LINE__, "the signature twice", "expires=" TIME "&signature=" GOOD "&signature=" GOOD, 0,
     SIGNED_URL_WRONG},
    {__LINE__, "an empty one first", "expires=" TIME "&signature=&signature=" GOOD, 0,
     SIGNED_URL_WRONG},
    {__LINE__, "one digit changed",
     "expires=" TIME "&signature=CsSVSI98mdrcAy9S5qca0JbJ_QMmcW6aFW_bkM4zb9w", 0, SIGNED_URL_WRONG},
    {__LINE__, "unused bits of the last digit",
     "expires=" TIME "&signature=BsSVSI98mdrcAy9S5qca0JbJ_QMmcW6aFW_bkM4zb9x", 0, SIGNED_URL_WRONG},
    {__LINE__, "padding", "expires=" TIME "&signature=" GOOD "=", 0, SIGNED_URL_WRONG},
    {__LINE__, "too short", "expires=" TIME "&signature=BsSVSI98", 0, SIGNED_URL_WRONG},
    {__LINE__, "another time", "expires=1800000001&signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "a wrong one that is over too", "expires=1&signature=" GOOD, 2, SIGNED_URL_WRONG},
    {__LINE__, "a leading zero", "expires=0" TIME "&signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "a sign", "expires=+" TIME "&signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "a blank", "expires=%20" TIME "&signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "a percent sign for a digit",
     "expires=%318"
     "00000000&signature=" GOOD,
     0, SIGNED_URL_WRONG},
    {__LINE__, "twenty digits", "expires=18000000001800000000&signature=" GOOD, 0,
     SIGNED_URL_WRONG},
    {__LINE__, "names in capitals", "Expires=" TIME "&Signature=" GOOD, 0, SIGNED_URL_WRONG},
    {__LINE__, "a semicolon between", "expires=" TIME ";signature=" GOOD, 0, SIGNED_URL_WRONG},
};

static void test_queries(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(
            rows[i].line, rows[i].name,
            signed_url_check(span_of(KEY), span_of(PATH), span_of(rows[i].query), rows[i].now),
            rows[i].want);
}

static void test_binding(void)
{
    struct span query = span_of("expires=" TIME "&signature=" GOOD);

    CHECK_INT(
        __LINE__, "another key",
        signed_url_check(span_of("1123456789abcdef0123456789abcdef"), span_of(PATH), query, 0),
        SIGNED_URL_WRONG);
    CHECK_INT(__LINE__, "another path",
              signed_url_check(span_of(KEY), span_of("/downloads/report.pdg"), query, 0),
              SIGNED_URL_WRONG);
    CHECK_INT(__LINE__, "a longer path",
              signed_url_check(span_of(KEY), span_of(PATH "/"), query, 0), SIGNED_URL_WRONG);
    CHECK_INT(__LINE__, "zeroed memory is no permission", SIGNED_URL_WRONG, 0);
}

int main(void)
{
    test_signing();
    test_queries();
    test_binding();
    return check_end("signed_url");
}

/* SPDX-License-Identifier: MIT */
/* Credentials from the field as it is received, and the challenge. */
#include "http/http_auth.c"

#include "check.h"

static const struct {
    int line;
    const char *name, *value;
    bool ok;
    const char *user, *password;
} rows[] = {
    {__LINE__, "RFC 7617 section 2", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", true, "Aladdin",
     "open sesame"},
    {__LINE__, "RFC 7617 section 2.1, UTF-8", "Basic dGVzdDoxMjPCow==", true, "test",
     "123\xc2\xa3"},
    {__LINE__, "the scheme in any case", "bASIC dTpw", true, "u", "p"},
    {__LINE__, "more than one blank", "Basic   dTpw", true, "u", "p"},
    {__LINE__, "an empty password", "Basic dTo=", true, "u", ""},
    {__LINE__, "colons in the password", "Basic dTphOmI=", true, "u", "a:b"},
    {__LINE__, "the digits + and /", "Basic dTr7/w==", true, "u", "\xfb\xff"},

    {__LINE__, "empty", "", false, "", ""},
    {__LINE__, "the scheme alone", "Basic", false, "", ""},
    {__LINE__, "nothing behind the scheme", "Basic ", false, "", ""},
    {__LINE__, "another scheme", "Bearer dTpw", false, "", ""},
    {__LINE__, "a longer scheme", "Basics dTpw", false, "", ""},
    {__LINE__, "a tab instead of a blank", "Basic\tdTpw", false, "", ""},
    {__LINE__, "no user", "Basic OnB3", false, "", ""},
    {__LINE__, "no colon", "Basic dXNlcg==", false, "", ""},
    {__LINE__, "padding left out", "Basic dTo", false, "", ""},
    {__LINE__, "padding too much", "Basic dTpw====", false, "", ""},
    {__LINE__, "nothing but padding", "Basic ====", false, "", ""},
    {__LINE__, "three pads", "Basic d===", false, "", ""},
    {__LINE__, "padding inside", "Basic dTo=dTpw", false, "", ""},
    {__LINE__, "bits behind the last byte, two pads", "Basic dTp3OB==", false, "", ""},
    {__LINE__, "bits behind the last byte, one pad", "Basic dTp=", false, "", ""},
    {__LINE__, "the base64url digits", "Basic dTr7_w==", false, "", ""},
    {__LINE__, "a blank inside", "Basic dT pw", false, "", ""},
    {__LINE__, "a blank behind", "Basic dTpw ", false, "", ""},
    {__LINE__, "a parameter behind", "Basic dTpw, x=y", false, "", ""},
    {__LINE__, "a NUL in the password", "Basic dTpwAA==", false, "", ""},
    {__LINE__, "a line feed in the user", "Basic dQo6cA==", false, "", ""},
    {__LINE__, "DEL in the password", "Basic dTp/", false, "", ""},
};

static void test_rows(void)
{
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct span value = {rows[i].value, strlen(rows[i].value)};
        char buffer[HTTP_AUTH_BUFFER], user[64], password[64];
        struct http_credentials who;
        bool ok = http_auth_parse_basic(&who, buffer, value);

        CHECK_INT(rows[i].line, rows[i].name, ok, rows[i].ok);
        if (!ok)
            continue;
        snprintf(user, sizeof(user), "%.*s", (int)who.user.len, who.user.ptr);
        snprintf(password, sizeof(password), "%.*s", (int)who.password.len, who.password.ptr);
        CHECK_STR(rows[i].line, rows[i].name, user, rows[i].user);
        CHECK_STR(rows[i].line, rows[i].name, password, rows[i].password);
    }
}

static void test_refused_leaves_nothing(void)
{
    char buffer[HTTP_AUTH_BUFFER] = "sesame";
    struct http_credentials who;
    size_t left = 0;

    CHECK_TRUE(!http_auth_parse_basic(&who, buffer, (struct span){"Basic c2VzYW1l", 14}),
               "no colon");
    for (size_t i = 0; i < sizeof(buffer); i++)
        left += buffer[i] != 0;
    CHECK_INT(__LINE__, "the buffer is wiped", left, 0);
    CHECK_TRUE(who.user.ptr == NULL && who.password.ptr == NULL, "no spans");
}

/* Encodes "uuu…:ppp…" with these lengths. Is it accepted? */
static bool takes(size_t user_len, size_t password_len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = user_len + 1 + password_len, at = 6;
    unsigned char plain[4096] = {0};
    char value[8192] = "Basic ", buffer[HTTP_AUTH_BUFFER];
    struct http_credentials who;

    memset(plain, 'u', user_len);
    plain[user_len] = ':';
    memset(plain + user_len + 1, 'p', password_len);
    for (size_t i = 0; i < len; i += 3) {
        uint32_t bits = (uint32_t)plain[i] << 16 | (uint32_t)plain[i + 1] << 8 | plain[i + 2];
        value[at++] = digits[bits >> 18];
        value[at++] = digits[bits >> 12 & 63];
        value[at++] = i + 1 < len ? digits[bits >> 6 & 63] : '=';
        value[at++] = i + 2 < len ? digits[bits & 63] : '=';
    }
    return http_auth_parse_basic(&who, buffer, (struct span){value, at}) &&
           who.user.len == user_len && who.password.len == password_len;
}

static void test_bounds(void)
{
    CHECK_TRUE(takes(HTTP_AUTH_USER_MAX, HTTP_AUTH_PASSWORD_MAX), "the longest of both");
    CHECK_TRUE(!takes(HTTP_AUTH_USER_MAX + 1, 4), "a user too long");
    CHECK_TRUE(!takes(4, HTTP_AUTH_PASSWORD_MAX + 1), "a password too long");
    CHECK_TRUE(!takes(4, 3000), "longer than the buffer");
    for (size_t len = 0; len < 12; len++)
        CHECK_TRUE(takes(1, len), "a password of %zu bytes", len);
}

static void test_challenge(void)
{
    char out[128];

    CHECK_INT(__LINE__, "length", http_auth_challenge(out, sizeof(out), "members"), strlen(out));
    CHECK_STR(__LINE__, "plain", out, "Basic realm=\"members\", charset=\"UTF-8\"");
    CHECK_TRUE(http_auth_challenge(out, sizeof(out), "a \"b\" \\c") > 0, "quoted");
    CHECK_STR(__LINE__, "quoted", out, "Basic realm=\"a \\\"b\\\" \\\\c\", charset=\"UTF-8\"");
    CHECK_INT(__LINE__, "a control character", http_auth_challenge(out, sizeof(out), "a\r\nb"), 0);
    CHECK_INT(__LINE__, "no room", http_auth_challenge(out, 41, "members"), 0);
    CHECK_TRUE(http_auth_challenge(out, 2 * 7 + 40, "members") > 0, "what is always enough");
}

int main(void)
{
    test_rows();
    test_refused_leaves_nothing();
    test_bounds();
    test_challenge();
    return check_end("http_auth");
}

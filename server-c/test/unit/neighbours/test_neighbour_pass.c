/* SPDX-License-Identifier: MIT */
#include "neighbours/neighbour_pass.c"

#include "base/buf.h"
#include "base/util.h"
#include "check.h"

#include <stdlib.h>

#define NOW 1795776000
#define MANIFEST "7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e"
#define OTHER "8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e8e"
#define TAKER "a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"

static EVP_PKEY *new_signer(struct neighbour_pass_keys *keys)
{
    EVP_PKEY *signer = EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
    size_t len = NEIGHBOUR_PASS_KEY_BYTES;

    CHECK_TRUE(EVP_PKEY_get_raw_public_key(signer, keys->items[keys->count++], &len) == 1, "a key");
    return signer;
}

/* Of the text before the signature. The caller frees it. */
static char *sign(EVP_PKEY *signer, const char *begin, const char *text)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned char signature[SIGNATURE_BYTES];
    char hex[2 * SIGNATURE_BYTES + 1];
    size_t len = sizeof(signature);
    struct buf buf;

    buf_init(&buf);
    buf_printf(&buf, "%s%s", begin, text);
    CHECK_TRUE(EVP_DigestSignInit(context, NULL, NULL, NULL, signer) == 1 &&
                   EVP_DigestSign(context, signature, &len, (unsigned char *)buf.data, buf.len) ==
                       1,
               "signed");
    EVP_MD_CTX_free(context);
    digest_hex(hex, signature, sizeof(signature));
    buf_clear(&buf);
    buf_printf(&buf, "%s.%s", text, hex);
    return buf_take(&buf);
}

static void check(int line, const char *name, char *pass, const struct neighbour_pass_keys *keys,
                  const char *wrong)
{
    const char *fault = neighbour_pass_fault(pass, keys, MANIFEST, TAKER, NOW);

    CHECK_TRUE((fault == NULL) == (wrong == NULL), "row %d \"%s\": %s", line, name,
               fault ? fault : "good");
    if (fault && wrong)
        CHECK_TRUE(strstr(fault, wrong) != NULL, "row %d \"%s\": %s", line, name, fault);
    free(pass);
}

static void test_what_is_believed(void)
{
    static const struct {
        int line;
        const char *name, *text, *wrong;
    } rows[] = {
        {__LINE__, "good", "1." MANIFEST "." TAKER ".1795779600", NULL},
        {__LINE__, "this second", "1." MANIFEST "." TAKER ".1795776000", NULL},
        {__LINE__, "over", "1." MANIFEST "." TAKER ".1795775999", "is over"},
        {__LINE__, "for a day", "1." MANIFEST "." TAKER ".1795862400", "lasts too long"},
        {__LINE__, "for ever", "1." MANIFEST "." TAKER ".999999999999", "lasts too long"},
        {__LINE__, "another release", "1." OTHER "." TAKER ".1795779600", "another release"},
        {__LINE__, "another key", "1." MANIFEST "." OTHER ".1795779600", "another node's key"},
        {__LINE__, "another version", "2." MANIFEST "." TAKER ".1795779600", "no pass"},
        {__LINE__, "no time", "1." MANIFEST "." TAKER ".", "no pass"},
        {__LINE__, "a sign", "1." MANIFEST "." TAKER ".-1", "no pass"},
        {__LINE__, "a long time", "1." MANIFEST "." TAKER ".1795779600000", "no pass"},
        {__LINE__, "upper case",
         "1.7E7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e7e." TAKER ".1795779600",
         "no pass"},
        {__LINE__, "a short digest", "1.7e." TAKER ".1795779600", "no pass"},
        {__LINE__, "a part less", "1." MANIFEST ".1795779600", "no pass"},
    };
    struct neighbour_pass_keys keys = {.count = 0};
    EVP_PKEY *first = new_signer(&keys), *second = new_signer(&keys);

    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        check(rows[i].line, rows[i].name, sign(first, signed_begin, rows[i].text), &keys,
              rows[i].wrong);
        check(rows[i].line, rows[i].name, sign(second, signed_begin, rows[i].text), &keys,
              rows[i].wrong);
    }
    EVP_PKEY_free(first);
    EVP_PKEY_free(second);
}

static void test_who_signs(void)
{
    static const char good[] = "1." MANIFEST "." TAKER ".1795779600";
    struct neighbour_pass_keys keys = {.count = 0}, others = {.count = 0}, none = {.count = 0};
    EVP_PKEY *signer = new_signer(&keys), *other = new_signer(&others);
    char *changed = sign(signer, signed_begin, good);

    check(__LINE__, "somebody else", sign(other, signed_begin, good), &keys, "signed by none");
    check(__LINE__, "no keys", sign(signer, signed_begin, good), &none, "signed by none");
    check(__LINE__, "for something else", sign(signer, "another thing ", good), &keys,
          "signed by none");
    changed[strlen(good)] = ','; /* where the signature begins */
    check(__LINE__, "no dot", changed, &keys, "no pass");
    changed = sign(signer, signed_begin, good);
    changed[strlen(changed) - 1] ^= 1;
    check(__LINE__, "a bit", changed, &keys, "");
    changed = sign(signer, signed_begin, good);
    changed[strlen(changed) - 1] = '\0';
    check(__LINE__, "a digit less", changed, &keys, "no pass");
    check(__LINE__, "empty", strdup(""), &keys, "no pass");
    check(__LINE__, "its first letter", strdup("1"), &keys, "no pass");
    EVP_PKEY_free(signer);
    EVP_PKEY_free(other);
}

int main(void)
{
    test_what_is_believed();
    test_who_signs();
    return check_end("neighbour_pass");
}

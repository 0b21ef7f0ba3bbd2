/* SPDX-License-Identifier: MIT */
/* auth_hash.c — uses libargon2 for Argon2, and crypt_r() for all other hashes.
 *
 * Both take the parameters from the hash and do what these say. So form and cost of a hash are
 * checked here first, and strictly: a file must not be able to hold up the node. */
#include "auth/auth_hash.h"

#include <argon2.h>
#include <crypt.h>
#include <openssl/crypto.h>
#include <stdbool.h>
#include <string.h>

#define ARGON2_MEMORY_MAX_KIB (256 * 1024)
#define ARGON2_WORK_MAX_KIB (1024 * 1024) /* memory in KiB times passes: about a second */
#define ARGON2_LANES_MAX 16
#define BCRYPT_COST_MIN 4
#define BCRYPT_COST_MAX 14
#define SHA_ROUNDS_MIN 1000
#define SHA_ROUNDS_MAX 500000
#define YESCRYPT_MEMORY_MAX (UINT64_C(256) * 1024 * 1024)

#define AGAIN "; make it again with `htpasswd -B`"

static const char malformed[] = "the hash is cut off or malformed" AGAIN;

/* --- the form and the cost ------------------------------------------------------------------- */

static bool take(const char **text, const char *prefix)
{
    size_t len = strlen(prefix);

    if (strncmp(*text, prefix, len) != 0)
        return false;
    *text += len;
    return true;
}

/* Reads a decimal number of at most nine digits, without leading zeros. */
static bool take_number(const char **text, uint32_t *number)
{
    const char *start = *text;

    *number = 0;
    while (**text >= '0' && **text <= '9' && *text - start < 9)
        *number = *number * 10 + (uint32_t)(*(*text)++ - '0');
    return *text > start && (*start != '0' || *text == start + 1);
}

/* Returns how many characters of base64 are at the beginning of `text`; `more` has the two that are
 * not alphanumeric. */
static size_t take_digits(const char **text, const char *more)
{
    const char *start = *text;

    while ((**text >= '0' && **text <= '9') || (**text >= 'A' && **text <= 'Z') ||
           (**text >= 'a' && **text <= 'z') || **text == more[0] || **text == more[1])
        (*text)++;
    return (size_t)(*text - start);
}

/* m=MEMORY,t=PASSES,p=LANES$SALT$HASH */
static const char *refuse_argon2(const char *text)
{
    uint32_t memory, passes, lanes;

    if (!take(&text, "$v=19$"))
        return "an Argon2 hash of an older version than 1.3 (\"v=19\")" AGAIN;
    if (!take(&text, "m=") || !take_number(&text, &memory) || !take(&text, ",t=") ||
        !take_number(&text, &passes) || !take(&text, ",p=") || !take_number(&text, &lanes) ||
        !take(&text, "$") || take_digits(&text, "+/") < 11 || !take(&text, "$") ||
        take_digits(&text, "+/") < 16 || *text)
        return malformed;
    if (lanes < 1 || passes < 1 || memory < 8 * (uint64_t)lanes)
        return malformed;
    if (memory > ARGON2_MEMORY_MAX_KIB || lanes > ARGON2_LANES_MAX ||
        (uint64_t)memory * passes > ARGON2_WORK_MAX_KIB)
        return "the Argon2 hash costs too much: at most m=262144 (256 MiB), p=16, and m times t "
               "1048576";
    return NULL;
}

/* $2b$COST$SALTHASH, 60 bytes in all. */
static const char *refuse_bcrypt(const char *text)
{
    uint32_t cost;

    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return malformed;
    cost = (uint32_t)(text[0] - '0') * 10 + (uint32_t)(text[1] - '0');
    text += 2;
    if (!take(&text, "$") || take_digits(&text, "./") != 53 || *text || cost < BCRYPT_COST_MIN)
        return malformed;
    return cost > BCRYPT_COST_MAX ? "the bcrypt hash costs too much: 14 is the highest cost" : NULL;
}

/* [rounds=N$]SALT$HASH */
static const char *refuse_sha(const char *text, size_t hash_len)
{
    uint32_t rounds = SHA_ROUNDS_MIN;
    size_t salt_len;

    if (take(&text, "rounds=") && (!take_number(&text, &rounds) || !take(&text, "$")))
        return malformed;
    salt_len = take_digits(&text, "./");
    if (salt_len < 1 || salt_len > 16 || !take(&text, "$") ||
        take_digits(&text, "./") != hash_len || *text || rounds < SHA_ROUNDS_MIN)
        return malformed;
    return rounds > SHA_ROUNDS_MAX ? "the SHA-crypt hash costs too much: at most rounds=500000"
                                   : NULL;
}

static uint32_t crypt_digit(char c)
{
    static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const char *found = c ? strchr(digits, c) : NULL;

    return found ? (uint32_t)(found - digits) : 64;
}

/* j N r $ SALT $ HASH. Each parameter is one digit, of the value less one, as crypt_gensalt()
 * writes it; the memory is 128 * r * 2^N bytes. The scheme has further parameters, which no tool
 * sets. */
static const char *refuse_yescrypt(const char *text)
{
    uint32_t log_n, r;

    if (*text != 'j' || (log_n = crypt_digit(text[1]) + 1) > 48 ||
        (r = crypt_digit(text[2]) + 1) > 48 || text[3] != '$')
        return "the yescrypt hash has parameters that we don't know" AGAIN;
    text += 4;
    if (take_digits(&text, "./") < 1 || !take(&text, "$") || take_digits(&text, "./") != 43 ||
        *text)
        return malformed;
    return (UINT64_C(128) * r << log_n) > YESCRYPT_MEMORY_MAX
               ? "the yescrypt hash costs too much: at most 256 MiB"
               : NULL;
}

static const char *refuse_rest(const char *hash)
{
    size_t len = strlen(hash);

    if (take(&hash, "$apr1$") || take(&hash, "$1$"))
        return "an MD5 hash is too quick to guess" AGAIN;
    if (take(&hash, "{SHA}") || take(&hash, "{SSHA}"))
        return "a bare SHA-1 hash is too quick to guess" AGAIN;
    if (take(&hash, "$argon2d$"))
        return "Argon2d is not for passwords; make it again with argon2id, or with `htpasswd -B`";
    if (*hash == '$')
        return "a hash of a kind that we don't know" AGAIN;
    if (len == 13 && take_digits(&hash, "./") == 13)
        return "a DES hash (or a password in plain text) is too quick to guess" AGAIN;
    return "a password in plain text is not taken" AGAIN;
}

const char *auth_hash_refusal(const char *hash)
{
    const char *rest = hash;

    if (strlen(hash) > AUTH_HASH_MAX)
        return malformed;
    if (take(&rest, "$argon2id") || take(&rest, "$argon2i"))
        return refuse_argon2(rest);
    if (take(&rest, "$2b$") || take(&rest, "$2y$") || take(&rest, "$2a$"))
        return refuse_bcrypt(rest);
    if (take(&rest, "$5$"))
        return refuse_sha(rest, 43);
    if (take(&rest, "$6$"))
        return refuse_sha(rest, 86);
    if (take(&rest, "$y$"))
        return refuse_yescrypt(rest);
    return refuse_rest(hash);
}

/* --- verifying ------------------------------------------------------------------------------- */

static enum auth_hash_verdict verify_argon2(const char *hash, const char *password)
{
    argon2_type type = hash[8] == 'd' ? Argon2_id : Argon2_i;

    switch (argon2_verify(hash, password, strlen(password), type)) {
    case ARGON2_OK:
        return AUTH_HASH_MATCHES;
    case ARGON2_VERIFY_MISMATCH:
        return AUTH_HASH_DIFFERS;
    default:
        return AUTH_HASH_FAILED;
    }
}

static enum auth_hash_verdict verify_crypt(const char *hash, const char *password)
{
    enum auth_hash_verdict verdict = AUTH_HASH_FAILED;
    struct crypt_data *data;
    const char *made;

    if (strlen(password) >= CRYPT_MAX_PASSPHRASE_SIZE)
        return AUTH_HASH_DIFFERS;    /* no tool could have made a hash of it */
    data = calloc(1, sizeof(*data)); /* 32 KiB: too much for the stack of a lane's thread */
    if (!data)
        return AUTH_HASH_FAILED;
    made = crypt_r(password, hash, data);
    if (made && made[0] != '*') /* '*' is how crypt_r() says that it failed */
        verdict = strlen(made) == strlen(hash) && CRYPTO_memcmp(made, hash, strlen(hash)) == 0
                      ? AUTH_HASH_MATCHES
                      : AUTH_HASH_DIFFERS;
    explicit_bzero(data, sizeof(*data));
    free(data);
    return verdict;
}

enum auth_hash_verdict auth_hash_verify(const char *hash, const char *password)
{
    return strncmp(hash, "$argon2", 7) == 0 ? verify_argon2(hash, password)
                                            : verify_crypt(hash, password);
}

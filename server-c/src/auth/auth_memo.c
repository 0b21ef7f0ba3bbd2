/* SPDX-License-Identifier: MIT */
/* auth_memo.c — sets of four places each. The tag determines the set, and nobody outside can choose
 * a tag, so a set can't be filled on purpose. */
#include "auth/auth_memo.h"

#include "auth/auth_hash.h"
#include "base/mem.h"
#include "http/http_auth.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>
#include <sys/random.h>
#include <uv.h>

#define WAYS 4
#define SETS (AUTH_MEMO_ENTRIES / WAYS)
#define KEY_LEN 32
#define TAG_LEN 32

struct place {
    uint64_t used; /* by the memo's clock; 0: empty */
    unsigned char tag[TAG_LEN];
};

struct auth_memo {
    unsigned char key[KEY_LEN];
    uv_mutex_t lock; /* protects what follows */
    uint64_t clock;
    struct place sets[SETS][WAYS];
};

struct auth_memo *auth_memo_new(void)
{
    struct auth_memo *memo = xcalloc(1, sizeof(*memo));

    if (getrandom(memo->key, KEY_LEN, 0) == KEY_LEN && uv_mutex_init(&memo->lock) == 0)
        return memo;
    free(memo);
    return NULL;
}

void auth_memo_free(struct auth_memo *memo)
{
    if (!memo)
        return;
    uv_mutex_destroy(&memo->lock);
    explicit_bzero(memo, sizeof(*memo));
    free(memo);
}

/* A NUL separates the two; neither contains one. */
static bool make_tag(const struct auth_memo *memo, unsigned char tag[TAG_LEN], const char *left,
                     struct span right)
{
    unsigned char text[AUTH_HASH_MAX + 1 + HTTP_AUTH_PASSWORD_MAX];
    size_t len = strlen(left) + 1;
    unsigned int tag_len = 0;
    bool is_made;

    if (len > AUTH_HASH_MAX + 1 || right.len > HTTP_AUTH_PASSWORD_MAX)
        return false;
    memcpy(text, left, len);
    if (right.len > 0)
        memcpy(text + len, right.ptr, right.len);
    is_made = HMAC(EVP_sha256(), memo->key, KEY_LEN, text, len + right.len, tag, &tag_len) != NULL;
    explicit_bzero(text, len + right.len);
    return is_made && tag_len == TAG_LEN;
}

static uint32_t number_of(const unsigned char tag[TAG_LEN])
{
    uint32_t number;

    memcpy(&number, tag, sizeof(number));
    return number;
}

/* Returns the place of `tag` in its set, or NULL. The lock must be held. */
static struct place *find(struct auth_memo *memo, const unsigned char tag[TAG_LEN])
{
    struct place *set = memo->sets[number_of(tag) % SETS];

    for (size_t i = 0; i < WAYS; i++)
        if (set[i].used && CRYPTO_memcmp(set[i].tag, tag, TAG_LEN) == 0)
            return &set[i];
    return NULL;
}

static struct place *oldest(struct auth_memo *memo, const unsigned char tag[TAG_LEN])
{
    struct place *set = memo->sets[number_of(tag) % SETS], *found = set;

    for (size_t i = 1; i < WAYS; i++)
        if (set[i].used < found->used)
            found = &set[i];
    return found;
}

bool auth_memo_has(struct auth_memo *memo, const char *hash, struct span password)
{
    unsigned char tag[TAG_LEN];
    struct place *place;

    if (!make_tag(memo, tag, hash, password))
        return false;
    uv_mutex_lock(&memo->lock);
    place = find(memo, tag);
    if (place)
        place->used = ++memo->clock;
    uv_mutex_unlock(&memo->lock);
    return place != NULL;
}

void auth_memo_add(struct auth_memo *memo, const char *hash, struct span password)
{
    unsigned char tag[TAG_LEN];
    struct place *place;

    if (!make_tag(memo, tag, hash, password))
        return;
    uv_mutex_lock(&memo->lock);
    place = find(memo, tag);
    if (!place)
        place = oldest(memo, tag);
    memcpy(place->tag, tag, TAG_LEN);
    place->used = ++memo->clock;
    uv_mutex_unlock(&memo->lock);
}

size_t auth_memo_pick(struct auth_memo *memo, struct span user, size_t count)
{
    unsigned char tag[TAG_LEN];

    return make_tag(memo, tag, "", user) ? number_of(tag) % count : 0;
}

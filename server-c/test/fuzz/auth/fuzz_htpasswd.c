/* SPDX-License-Identifier: MIT */
/* Any file of users: either refused with a sentence, or every user in it is found with a hash that
 * we take. */
#include "auth/htpasswd.h"
#include "auth/auth_hash.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    struct htpasswd_problem problem = {0};
    struct htpasswd *file = NULL;

    if (htpasswd_parse(&file, (const char *)data, len, &problem) != 0) {
        CHECK(!file && problem.text[0] && problem.line <= len);
        return 0;
    }
    for (size_t i = 0; i < file->count; i++) {
        const struct htpasswd_user *user = &file->users[i];

        CHECK(htpasswd_find(file, (struct span){user->name, strlen(user->name)}) == user->hash);
        CHECK(!auth_hash_refusal(user->hash));
    }
    htpasswd_put(file);
    return 0;
}

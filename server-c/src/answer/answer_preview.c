/* SPDX-License-Identifier: MIT */
/* answer_preview.c — who looks at a preview signs in with its key as the password, whatever the name (RFC 7617): browsers
 * ask for it, send it along with all that a page loads, and write it into no address and no log. */
#include "answer/answer.h"

#include "base/digest.h"
#include "http/http_auth.h"

#include <string.h>

static char realm[] = "preview";
static const struct config_auth preview_rule = {.realm = realm};

/* Digests are compared, so the time that it takes says nothing of the key. */
static bool has_key(const struct exchange *ex)
{
    char buffer[HTTP_AUTH_BUFFER], digest[DIGEST_LEN + 1];
    struct http_credentials who;

    if (!http_auth_parse_basic(&who, buffer,
                               http_request_field(&ex->req, ex->head, FIELD_AUTHORIZATION)))
        return false;
    digest_sha256(digest, who.password.ptr, who.password.len);
    explicit_bzero(buffer, sizeof(buffer));
    return strcmp(strchr(digest, ':') + 1, ex->site->preview->key_sha256) == 0;
}

bool answer_admit_preview(struct exchange *ex)
{
    if (has_key(ex))
        return true;
    ex->rule = &preview_rule;
    ex->page_status = HTTP_UNAUTHORIZED;
    answer_refuse_plainly(ex);
    return false;
}

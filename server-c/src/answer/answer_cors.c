/* SPDX-License-Identifier: MIT */
/* answer_cors.c — what an answer says to pages of other origins (site_cors.h), and the answer to a
 * browser that asks first.
 *
 * The path is the one that was asked for: redirects, refusals and errors must say it, too, or a page
 * is told nothing but that its request failed. */
#include "answer/answer.h"

#include "response/response.h"

#include <string.h>

bool answer_cors(struct exchange *ex)
{
    ex->cors = site_cors_find(ex->site->cors, answer_asked_path(ex),
                              http_request_field(&ex->req, ex->head, FIELD_ORIGIN));
    /* Fetch, "CORS-preflight request". It comes without a password or a certificate, and without
     * following redirects, so nothing of the site may be asked before it. */
    if (!ex->cors.lines || ex->req.method != HTTP_OPTIONS ||
        !http_request_has(&ex->req, FIELD_ORIGIN) ||
        !http_request_has(&ex->req, FIELD_ACCESS_CONTROL_REQUEST_METHOD))
        return false;
    answer_preflight(ex);
    return true;
}

/* SPDX-License-Identifier: MIT */
/* answer_secure.c — what a site asks of the connection before anything of it is looked at: HTTPS, and
 * certificates of clients. */
#include "answer/answer.h"

#include "site/site_tls.h"

#include <inttypes.h>
#include <string.h>

/* --- clients' certificates ------------------------------------------------------------------- */

/* A connection is for the site that its client named in the handshake: what it was asked for there
 * says nothing about another site. The client then makes a new connection (RFC 9110 section
 * 15.5.20). */
static enum http_status check_certificate(const struct exchange *ex)
{
    const struct tls_session *tls = ex->carrier->tls;

    if (ex->site->cfg->client_certificates.mode != CLIENT_CERTIFICATES_REQUIRED)
        return HTTP_OK;
    if (!tls)
        return HTTP_FORBIDDEN;
    if (site_tls_site(ex->live->sites, tls_session_name(tls)) != ex->site)
        return HTTP_MISDIRECTED_REQUEST;
    return tls_session_is_verified(tls) ? HTTP_OK : HTTP_FORBIDDEN;
}

/* --- the redirect ---------------------------------------------------------------------------- */

static void append(struct site_scratch *scratch, size_t *len, struct span text)
{
    if (*len + text.len <= scratch->cap)
        memcpy(scratch->bytes + *len, text.ptr, text.len);
    *len += text.len;
}

/* The same target, as the client wrote it. */
static void redirect(struct exchange *ex)
{
    struct site_scratch *scratch = &ex->loop->scratch;
    struct span query = exchange_slice(ex, ex->req.query);
    uint16_t port = site_https_port(ex->live->cfg);
    char colon_port[8] = "";
    size_t len = 0;

    if (port != HTTPS_PORT)
        snprintf(colon_port, sizeof(colon_port), ":%" PRIu16, port);
    append(scratch, &len, (struct span){"https://", 8});
    append(scratch, &len, exchange_slice(ex, ex->req.host));
    append(scratch, &len, (struct span){colon_port, strlen(colon_port)});
    append(scratch, &len, exchange_slice(ex, ex->req.path));
    if (ex->req.query.off > 0) {
        append(scratch, &len, (struct span){"?", 1});
        append(scratch, &len, query);
    }
    if (len <= scratch->cap) {
        answer_redirect(ex, HTTP_MOVED_PERMANENTLY, (struct span){scratch->bytes, len});
        return;
    }
    ex->page_status = HTTP_URI_TOO_LONG;
    answer_refuse_plainly(ex);
}

static bool wants_redirect(const struct exchange *ex)
{
    return !ex->is_secure && ex->req.host.len > 0 &&
           site_leads_to_https(ex->site->cfg, exchange_slice(ex, ex->req.path));
}

bool answer_admit_connection(struct exchange *ex)
{
    enum http_status status;

    if (wants_redirect(ex)) {
        redirect(ex);
        return false;
    }
    status = check_certificate(ex);
    if (status == HTTP_OK)
        return true;
    ex->page_status = status;
    answer_refuse_plainly(ex);
    return false;
}

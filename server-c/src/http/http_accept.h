/* SPDX-License-Identifier: MIT */
/* http_accept.h — which of several forms of a response a client asks for (Accept, RFC 9110 section
 * 12.5.1), when parameters tell the forms apart, such as "text/plain; version=0.0.4".
 *
 * A client gets the usual form unless it names another one, so a wildcard means the usual form. A
 * client that names no form we have gets the usual one too: that helps a person more than 406 would
 * (section 12.5.1 allows either). Parameters that no form has are ignored, and so are malformed
 * elements. */
#ifndef FARMSTEAD_HTTP_ACCEPT_H
#define FARMSTEAD_HTTP_ACCEPT_H

#include "http/http_parser.h"

#define HTTP_FORM_PARAMETERS 2

struct http_form {
    const char *type; /* "text/plain", in lower case */
    struct {
        const char *name, *value; /* in lower case; NULL: no more */
        bool must_be_named;       /* else a range without this parameter does not match */
    } parameters[HTTP_FORM_PARAMETERS];
};

/* Returns the index of the form with the greatest weight, and of equal ones the first. The usual
 * form is the last one. */
size_t http_accept_choose(const struct http_request *req, const char *head,
                          const struct http_form *forms, size_t count);

#endif

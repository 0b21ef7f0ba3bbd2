/* SPDX-License-Identifier: MIT */
/* http_accept.h — which of several forms a client asks for (Accept, RFC 9110 section 12.5.1) when
 * they are told apart by parameters, such as "text/plain; version=0.0.4".
 *
 * A client gets another form than the usual one only when it names it. So a star stands for the
 * usual form, which is also the answer to who names nothing that there is: that is more use to a
 * person than 406. A parameter that no form has says nothing; an element that is malformed neither. */
#ifndef FARMSTEAD_HTTP_ACCEPT_H
#define FARMSTEAD_HTTP_ACCEPT_H

#include "http/http_parser.h"

#define HTTP_FORM_PARAMETERS 2

struct http_form {
    const char *type; /* "text/plain", in lower case */
    struct {
        const char *name, *value; /* in lower case; NULL: no more */
        bool must_be_named;       /* without it a range is about something else */
    } parameters[HTTP_FORM_PARAMETERS];
};

/* The index of the form with the greatest weight; of equal ones the first. The usual form is the
 * last one. */
size_t http_accept_choose(const struct http_request *req, const char *head,
                          const struct http_form *forms, size_t count);

#endif

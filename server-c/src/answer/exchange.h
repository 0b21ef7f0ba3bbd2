/* SPDX-License-Identifier: MIT */
/* exchange.h — one request and its response, whatever carries them (carrier.h).
 *
 * The carrier parses the head into `req` and begins the exchange. answer_*.c find the place, the
 * file and the bytes: in one go while everything is in memory, else in steps, each when a lane has
 * answered. The carrier sends the body and ends the exchange. Loop thread. */
#ifndef FARMSTEAD_EXCHANGE_H
#define FARMSTEAD_EXCHANGE_H

#include "answer/carrier.h"
#include "auth/auth_check.h"
#include "body/body.h"
#include "http/http_coding.h"
#include "http/http_parser.h"
#include "site/dir_listing.h"
#include "site/site_cors.h"
#include "site/site_try.h"

/* What the current look-up is for. */
enum exchange_search {
    SEARCH_FILE,  /* the file that was asked for */
    SEARCH_CODED, /* a precompressed sibling of `plain`, which was asked for */
    SEARCH_COPY,  /* a copy of `plain` that the node made itself */
    SEARCH_DELTA, /* one that was made with the help of `dictionary`, which the client has */
    SEARCH_PAGE   /* the site's page for `page_status` */
};

struct exchange {
    struct carrier *carrier;
    struct loop *loop; /* of the carrier */
    /* The request's head, which the parts of `req` refer to. Its memory is the carrier's, which
     * updates `head` when it moves the bytes. */
    const char *head;
    struct http_request req;
    const struct sockaddr *peer; /* who asks: the carrier's peer, or `visitor` */
    union visitor visitor;       /* the client that a trusted proxy names */
    struct live_config *live;    /* a reference; NULL until the head is complete */
    const struct site *site;     /* NULL: no site answers */
    struct response_scope scope;
    struct site_cors_answer cors; /* lines that every answer has */
    enum exchange_search search;
    enum http_status status;
    struct site_try tries; /* what is looked for, and which of it now */
    uint8_t candidate;
    uint8_t fallback;               /* which of the site's is looked at, from 1; 0: none */
    const struct file_place *place; /* where the current look-up takes place */
    struct file_waiter waiter;
    struct file_entry *entry; /* a reference, while its bytes are fetched */
    /* A reference, during SEARCH_CODED, SEARCH_COPY and SEARCH_DELTA and while a sibling or copy is sent. */
    struct file_entry *plain;
    const struct file_place *plain_place;     /* where it is, when a copy is looked for */
    const struct copy_dictionary *dictionary; /* of the site; for CODING_DCZ */
    uint8_t dictionary_index;                 /* which of its pattern's */
    enum http_coding coding;                  /* of the bytes that are sent */
    bool is_copy;                             /* they are a copy that the node made itself */
    bool skips_copies;                        /* such a copy could not be read */
    enum http_status page_status;
    bool page_varies;               /* another language would perhaps get another page */
    uint32_t retry_seconds;         /* for the Retry-After of a 429 or 503; 0: in a moment */
    uint64_t file_size;             /* for the Content-Range of a 416 */
    const struct config_auth *rule; /* the rule that asks the client to sign in */
    bool is_signed_in;
    bool has_hints; /* a 103 was sent, or is not to be */
    bool is_secure; /* the client speaks TLS, with us or with a trusted proxy */
    uint8_t attempts;
    struct auth_waiter auth_waiter;
    struct dir_listing_job *listing;
    size_t listing_bytes; /* what the listing that is being sent holds */
    size_t head_len;      /* length of the response's head, for the log */
    struct body body;
    struct stage_clock clock;
    struct span user; /* the user who signed in, for the log; on the heap */
};

/* Call once for each struct. The carrier sets body.on_ready itself. */
void exchange_init(struct exchange *ex);

/* Begins an exchange whose head was parsed into `req` and lies at `head`. It holds the config that
 * is in force on the carrier's loop until its end. Starts the clock. */
void exchange_begin(struct exchange *ex, struct carrier *carrier, const char *head);
void exchange_answer(struct exchange *ex);        /* answers the request */
void exchange_answer_broken(struct exchange *ex); /* answers a malformed head; see req.status */
/* Answers with `status` instead, when what the exchange waited for was given up with
 * exchange_stop_waiting() and nothing has been sent. */
void exchange_answer_status(struct exchange *ex, enum http_status status);

/* Cancels everything the exchange waits for, so that no callback follows, and gives back what it
 * held for that purpose. */
void exchange_stop_waiting(struct exchange *ex);
/* The status for a file that was found but can't be read: 503 if it has changed, else 500. */
enum http_status exchange_why_unreadable(const struct file_entry *entry);

/* Is a request with a complete head under way? */
static inline bool exchange_is_open(const struct exchange *ex)
{
    return ex->live != NULL;
}

/* Records the exchange in metrics, samples and the access log. `sent` is the number of bytes sent.
 * Call one of the two, once, before exchange_end(). */
void exchange_record_end(struct exchange *ex, uint64_t sent);
void exchange_record_abort(struct exchange *ex, uint64_t sent, enum end_reason reason);
/* Gives back everything the exchange holds. Does nothing if it was not begun. */
void exchange_end(struct exchange *ex);

/* A part of the request's head. */
static inline struct span exchange_slice(const struct exchange *ex, struct http_slice slice)
{
    return http_slice_of(ex->head, slice);
}

#endif

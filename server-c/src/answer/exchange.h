/* SPDX-License-Identifier: MIT */
/* exchange.h — a request and its answer, whatever brings them (carrier.h).
 *
 * The carrier parses the head into `req` and begins the exchange; answer_*.c find the place, the file and
 * the bytes, in one go while all is at hand, else in steps when a lane was asked; the carrier sends the
 * body, and ends the exchange. Loop thread. */
#ifndef FARMSTEAD_EXCHANGE_H
#define FARMSTEAD_EXCHANGE_H

#include "answer/carrier.h"
#include "auth/auth_check.h"
#include "body/body.h"
#include "http/http_coding.h"
#include "http/http_parser.h"
#include "site/dir_listing.h"

/* What a look-up under way is for. */
enum exchange_search {
    SEARCH_FILE,  /* what was asked for */
    SEARCH_CODED, /* its precompressed sibling; `plain` is the file itself */
    SEARCH_PAGE   /* the site's page for `page_status` */
};

struct exchange {
    struct carrier *carrier;
    struct loop *loop; /* the carrier's */
    const char
        *head; /* the request's, in which `req` has its places; the carrier's memory, which says
                          where when it moves */
    struct http_request req;
    const struct sockaddr *peer; /* who asks: the carrier's, or `visitor` */
    union visitor visitor;       /* for whom a trusted proxy asks */
    struct live_config *live;    /* referenced; NULL while the head is not whole */
    const struct site *site;     /* NULL: no site answers */
    struct response_scope scope;
    enum exchange_search search;
    enum http_status status;
    const struct file_place *place; /* of the look-up */
    struct file_waiter waiter;
    struct file_entry *entry; /* referenced while its body is fetched */
    struct file_entry *plain; /* referenced: SEARCH_CODED, and while its sibling is sent */
    enum http_coding coding;  /* of what is sent */
    enum http_status page_status;
    uint64_t file_size;             /* for 416 */
    const struct config_auth *rule; /* by which the client must sign in */
    bool is_signed_in;
    uint8_t attempts;
    struct auth_waiter auth_waiter;
    struct dir_listing_job *listing;
    size_t listing_bytes; /* of the listing that is sent */
    size_t head_len;      /* of the response, for the log */
    struct body body;
    struct stage_clock clock;
    struct span user; /* who signed in, for the log; on the heap */
};

/* Once per memory; the fields the carrier sets are its own: body.on_ready. */
void exchange_init(struct exchange *ex);

/* The head that was parsed into `req` lies at `head`. What is in force on the carrier's loop answers it;
 * the clock begins. */
void exchange_begin(struct exchange *ex, struct carrier *carrier, const char *head);
void exchange_answer(struct exchange *ex);        /* what was asked for */
void exchange_answer_broken(struct exchange *ex); /* a head that is none: req.status says why */
/* What was waited for can't be had any more and was given up (exchange_stop_waiting()), and nothing was
 * sent: another answer. */
void exchange_answer_status(struct exchange *ex, enum http_status status);

/* Nobody is to call it back any more about what it waits for, and what it holds for that is given
 * back. */
void exchange_stop_waiting(struct exchange *ex);
/* The status for a file that was found and can't be read: 503 when it changes, else 500. */
enum http_status exchange_why_unreadable(const struct file_entry *entry);

/* Is a request under way whose head is whole? */
static inline bool exchange_is_open(const struct exchange *ex)
{
    return ex->live != NULL;
}

/* Counts it, with the bytes that were sent of it, in metrics, samples and log: once, before
 * exchange_end(). */
void exchange_record_end(struct exchange *ex, uint64_t sent);
void exchange_record_abort(struct exchange *ex, uint64_t sent, enum end_reason reason);
/* Gives back all it holds. Harmless when it was not begun. */
void exchange_end(struct exchange *ex);

/* A part of the request's head. */
static inline struct span exchange_slice(const struct exchange *ex, struct http_slice slice)
{
    return http_slice_of(ex->head, slice);
}

#endif

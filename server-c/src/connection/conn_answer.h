/* SPDX-License-Identifier: MIT */
/* conn_answer.h — the steps from a parsed head to a response, as conn_answer.c (which site, which
 * rules, which path), conn_file.c (which file, which bytes) and conn_page.c (refusals) share them.
 * Nobody else includes this. */
#ifndef FARMSTEAD_CONN_ANSWER_H
#define FARMSTEAD_CONN_ANSWER_H

#include "connection/conn_state.h"
#include "http/url_path.h"

/* --- conn_answer.c ---------------------------------------------------------------------------- */

/* From the target to the file, from the start; also when the file changed while it was looked at.
 * Ends in a state that says what is awaited, or in a response. */
void conn_find(struct conn *c);

/* The request's path in loop->path, as the site's rules have it: HTTP_OK, a redirect with its
 * *location, or the refusal. The same each time, as long as the request is under way. */
enum http_status conn_map(struct conn *c, struct url_path *path, struct span *location);

/* Do the rules about the index file of the folder that was asked for let the client have it? Its
 * headers are then also those of the index file. True:
 * *status says so. False: it must sign in first, and is answered, or will be; what was found is to
 * be given back. */
bool conn_admit_index(struct conn *c, const char *index, enum http_status *status);

/* The client's address for address blocks, or NULL. */
const uint8_t *conn_address(const struct conn *c, uint8_t out[ADDRESS_LEN]);

/* --- conn_file.c ------------------------------------------------------------------------------ */

/* Looks for the key in its place; c->search says what for. */
void conn_search(struct conn *c, const struct site_location *location);

/* --- conn_multipart.c ------------------------------------------------------------------------- */

struct response_file;
struct response_plan;
/* Sends the plan's ranges of the file, which `file` describes. */
void conn_send_multipart(struct conn *c, struct file_entry *entry, const struct response_file *file,
                         const struct response_plan *plan, bool from_memory);

/* --- conn_listing.c --------------------------------------------------------------------------- */

/* Takes over the reference to `entry`, a folder. */
void conn_list_folder(struct conn *c, struct file_entry *entry);
/* Gives up what is made, and gives back what was sent; harmless when there is neither. */
void conn_end_listing(struct conn *c);

/* --- conn_page.c ------------------------------------------------------------------------------ */

struct response_head conn_start_head(struct conn *c, enum http_status status);
/* Takes over the part's text and pieces; NULL: a head only. */
void conn_send_head(struct conn *c, const struct response_head *head, struct body_part *part);

/* Answers with the site's page for `status`, or with one of our own. */
void conn_refuse(struct conn *c, enum http_status status);
void conn_redirect(struct conn *c, enum http_status status, struct span location);
/* 301 to the same path with a slash at its end: relative links would lead elsewhere without. */
void conn_redirect_to_folder(struct conn *c);
/* The page looked for can't be had: our own instead. */
void conn_refuse_plainly(struct conn *c);
/* Takes over the reference to `entry`, the site's page for c->page_status. */
void conn_answer_page_file(struct conn *c, struct file_entry *entry, bool from_memory);
void conn_answer_options(struct conn *c);

#endif

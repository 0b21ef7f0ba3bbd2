/* SPDX-License-Identifier: MIT */
/* answer.h — the steps from a parsed head to a response, as exchange.c and answer_*.c share them. Nobody
 * else includes this. Each ends in a wait for a lane, or in a response. */
#ifndef FARMSTEAD_ANSWER_H
#define FARMSTEAD_ANSWER_H

#include "answer/exchange.h"
#include "http/url_path.h"

/* --- answer_route.c --------------------------------------------------------------------------- */

/* From the target to the file, from the start; also when the file changed while it was looked at.
 * Ends in a state that says what is awaited, or in a response. */
void answer_find(struct exchange *ex);

/* The request's path in loop->path, as the site's rules have it: HTTP_OK, a redirect with its
 * *location, or the refusal. The same each time, as long as the request is under way. */
enum http_status answer_map(struct exchange *ex, struct url_path *path, struct span *location);

/* Do the rules about the index file of the folder that was asked for let the client have it? Its
 * headers are then also those of the index file. True:
 * *status says so. False: it must sign in first, and is answered, or will be; what was found is to
 * be given back. */
bool answer_admit_index(struct exchange *ex, const char *index, enum http_status *status);

void answer_forget_user(struct exchange *ex);

/* The client's address for address blocks, or NULL. */
const uint8_t *answer_address(const struct exchange *ex, uint8_t out[ADDRESS_LEN]);

/* --- answer_file.c ---------------------------------------------------------------------------- */

/* Looks for the key in its place; ex->search says what for. */
void answer_search(struct exchange *ex, const struct site_location *location);

/* --- answer_head.c ---------------------------------------------------------------------------- */

struct response_file;
struct response_plan;

/* What is told of the file whose bytes are `entry`'s. */
struct response_file answer_describe(const struct exchange *ex, const struct file_entry *entry,
                                     const struct file_facts *facts);
/* All but the first lines, for a 200, 206 or 304. */
void answer_append_head(struct exchange *ex, struct response_head *head, struct file_entry *entry,
                        const struct file_facts *facts, const struct response_plan *plan);

/* The usual response: a whole file out of memory to a client of HTTP/1.1 that stays. Its head is kept
 * before the body (entry->ready_len) and but for the Date never changes. */
bool answer_may_keep_head(const struct exchange *ex, const struct file_entry *entry,
                          const struct response_plan *plan, bool from_memory);
void answer_keep_head(struct exchange *ex, struct file_entry *entry,
                      const struct response_head *head);
struct response_head answer_kept_head(struct exchange *ex, struct file_entry *entry);

/* --- answer_multipart.c ----------------------------------------------------------------------- */

/* Sends the plan's ranges of the file, which `file` describes. */
void answer_multipart(struct exchange *ex, struct file_entry *entry,
                      const struct response_file *file, const struct response_plan *plan,
                      bool from_memory);

/* --- answer_listing.c ------------------------------------------------------------------------- */

/* Takes over the reference to `entry`, a folder. */
void answer_folder(struct exchange *ex, struct file_entry *entry);
/* Gives up what is made, and gives back what was sent; harmless when there is neither. */
void answer_end_listing(struct exchange *ex);

/* --- answer_page.c ---------------------------------------------------------------------------- */

struct response_head answer_start_head(struct exchange *ex, enum http_status status);
/* Takes over the part's text and pieces; NULL: a head only. */
void answer_send(struct exchange *ex, const struct response_head *head, struct body_part *part);

/* Answers with the site's page for `status`, or with one of our own. */
void answer_refuse(struct exchange *ex, enum http_status status);
void answer_redirect(struct exchange *ex, enum http_status status, struct span location);
/* 301 to the same path with a slash at its end: relative links would lead elsewhere without. */
void answer_redirect_to_folder(struct exchange *ex);
/* The page looked for can't be had: our own instead. */
void answer_refuse_plainly(struct exchange *ex);
/* Takes over the reference to `entry`, the site's page for ex->page_status. */
void answer_page_file(struct exchange *ex, struct file_entry *entry, bool from_memory);
void answer_options(struct exchange *ex);

#endif

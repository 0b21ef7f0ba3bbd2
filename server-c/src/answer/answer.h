/* SPDX-License-Identifier: MIT */
/* answer.h — the steps from a parsed head to a response, shared by exchange.c and answer_*.c;
 * nobody else includes this. Each step ends either in a response or in waiting for a lane. Loop
 * thread. */
#ifndef FARMSTEAD_ANSWER_H
#define FARMSTEAD_ANSWER_H

#include "answer/exchange.h"
#include "http/url_path.h"

/* --- answer_route.c --------------------------------------------------------------------------- */

/* Goes from the target to the file, starting from the beginning; called again when the file changed
 * while it was looked at. Afterwards a response is under way, or a waiter of the exchange is. */
void answer_find(struct exchange *ex);

/* The path that was asked for, decoded and normalised, in loop->path; empty: the target is no path. */
struct span answer_asked_path(struct exchange *ex);

/* Writes the request's path to loop->path, mapped by the site's rules. Returns HTTP_OK, the status
 * of a redirect with *location set, or the status to refuse with. The result is the same each time,
 * as long as the request is under way. */
enum http_status answer_map(struct exchange *ex, struct url_path *path, struct span *location);

/* May the client have the file that was found for the path it asked for, by the site's rules for that
 * file: a candidate, or the index file of a folder ("": none)? Rules for its headers then apply as well.
 * True: *status holds the verdict. False: the client has to sign in first, and gets an answer without
 * the caller, who gives back the entry that was found. */
bool answer_admit_found(struct exchange *ex, const char *index, enum http_status *status);

void answer_forget_user(struct exchange *ex);

/* --- answer_try.c ----------------------------------------------------------------------------- */

/* Looks for the exchange's candidate, and if there can't be one for the next. */
void answer_try(struct exchange *ex);
/* Turns the path in loop->path, which answer_map() has written, into that of the candidate. False: it
 * is no path. */
bool answer_try_path(struct exchange *ex, struct url_path *path);
/* Is the candidate any file but that at the path itself? */
bool answer_tries_other(const struct exchange *ex);
/* What was found as the candidate is not to be sent: the next one is looked for, or the client is sent
 * to the page's right address. False: it is the answer. Takes over the reference to `entry` if true. */
bool answer_try_goes_on(struct exchange *ex, struct file_entry *entry, enum http_status status);

/* --- answer_fallback.c ------------------------------------------------------------------------ */

/* For a site with fallbacks. True: what was found is not there, and another version is looked at; takes over
 * the reference to `entry`. False: *status is the answer. */
bool answer_fallback(struct exchange *ex, struct file_entry *entry, enum http_status *status);

/* --- answer_secure.c -------------------------------------------------------------------------- */

/* May the site be asked on a connection like this: with TLS or without, and with which certificate
 * of the client? False: the request was answered. */
bool answer_admit_connection(struct exchange *ex);

/* --- answer_preview.c -------------------------------------------------------------------------- */

/* For a preview: does the client have its key? False: the request was answered. */
bool answer_admit_preview(struct exchange *ex);

/* --- answer_challenge.c ----------------------------------------------------------------------- */

/* True: the request was answered, as one of an authority. */
bool answer_challenge(struct exchange *ex);

/* --- answer_limit.c --------------------------------------------------------------------------- */

/* For a site with limits. True: the request was refused, as one too many of its address. */
bool answer_limit(struct exchange *ex);

/* --- answer_cors.c ---------------------------------------------------------------------------- */

/* For a site that has rules for other origins: sets what all answers to the request say of it. True:
 * the request was one that asks first, and was answered. */
bool answer_cors(struct exchange *ex);

/* --- answer_file.c ---------------------------------------------------------------------------- */

/* Looks up the location's key in its place. ex->search says what the result is for. */
void answer_search(struct exchange *ex, const struct site_location *location);

struct response_plan;

/* Sends what `plan` says of the file or copy `entry`, under the facts that are told of it. The caller
 * keeps its reference. */
void answer_file_bytes(struct exchange *ex, struct file_entry *entry,
                       const struct file_facts *facts, const struct response_plan *plan,
                       bool from_memory);

/* --- answer_hint.c ---------------------------------------------------------------------------- */

/* Call it last when the exchange waits for a lane, for the file at `path` of its place or one that stands
 * for it. The exchange may be over then. */
void answer_hint(struct exchange *ex, struct span path);

/* --- answer_copy.c ---------------------------------------------------------------------------- */

/* For a file of a site that is compressed and of which no precompressed copy is sent. True: a copy is
 * looked for, or the request was answered; takes over the reference to `entry`. False: the file is
 * sent as it is. */
bool answer_copy(struct exchange *ex, struct file_entry *entry);
/* The copy was looked up (NULL: it could not be). Takes over the reference, and returns that of what is
 * sent: the copy, or the file. */
struct file_entry *answer_copy_found(struct exchange *ex, struct file_entry *entry);
/* May the client get a copy of this file of a site that is compressed? */
bool answer_may_compress(struct exchange *ex, struct file_entry *entry);
/* Looks for the copy of which `coded` is told. As answer_copy(); with a dictionary if ex->dictionary is one. */
bool answer_seek_copy(struct exchange *ex, struct file_entry *entry, enum http_coding coding,
                      const struct file_facts *coded);
/* Is there to be a copy of the file, whoever asks? Then Vary says so. */
bool answer_copy_fits(const struct exchange *ex, struct file_entry *entry);
/* What is told of a copy of `entry` that has `size` bytes. */
struct file_facts answer_copy_facts(const struct exchange *ex, const struct file_entry *entry,
                                    enum http_coding coding, uint64_t size);

/* --- answer_copy_make.c ------------------------------------------------------------------------ */

struct copy_source;

/* Has the copy made, unless somebody does already or the lane has enough to do. */
void answer_make_copy(struct exchange *ex, struct file_entry *entry,
                      const struct copy_source *source);

/* --- answer_delta.c ---------------------------------------------------------------------------- */

/* For a site with dictionaries. As answer_copy(), for a client that has one. */
bool answer_delta(struct exchange *ex, struct file_entry *entry);
/* The number of the pattern by which the file has dictionaries and is one, whoever asks; 0: there is none. */
uint8_t answer_delta_fits(const struct exchange *ex, struct file_entry *entry);
/* The line that lets the client keep the file as a dictionary; empty: it is not to. */
struct span answer_dictionary_line(struct exchange *ex, struct file_entry *entry);

/* --- answer_content.c ------------------------------------------------------------------------- */

/* Has the file had its times for so long that it could not change any more without another time? Call
 * loop_date() before. */
bool answer_is_settled(const struct exchange *ex, const struct file_entry *entry);
/* If the ETag of `entry` is to be made of its content, and that is not known, it is looked for, and found
 * out for those who ask later. Call loop_date() before. */
void answer_content(struct exchange *ex, struct file_entry *entry);
/* Does the client get a Repr-Digest of the bytes of `entry`? If it wants one and the hash is not known, that
 * is found out for those who ask later. */
bool answer_has_digest(struct exchange *ex, struct file_entry *entry);
/* Appends the field. */
void answer_append_digest(struct response_head *head, const struct file_entry *entry);

/* --- answer_head.c ---------------------------------------------------------------------------- */

struct response_file;

/* What is told of the file whose bytes are `entry`'s. */
struct response_file answer_describe(const struct exchange *ex, struct file_entry *entry,
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

/* Sends the ranges of `plan` as multipart/byteranges (RFC 9110 section 14.6). `file` describes the
 * file. */
void answer_multipart(struct exchange *ex, struct file_entry *entry,
                      const struct response_file *file, const struct response_plan *plan,
                      bool from_memory);

/* --- answer_listing.c ------------------------------------------------------------------------- */

/* Takes over the reference to `entry`, a folder. */
void answer_folder(struct exchange *ex, struct file_entry *entry);
/* Gives up a listing that is being made and gives back the bytes of one that was sent. Does nothing
 * when there is neither. */
void answer_end_listing(struct exchange *ex);

/* --- answer_page.c ---------------------------------------------------------------------------- */

struct response_head answer_start_head(struct exchange *ex, enum http_status status);
/* Sends a head and a body. Takes over the part's text and pieces; NULL: the head has no body. */
void answer_send(struct exchange *ex, const struct response_head *head, struct body_part *part);

/* Answers with the site's page for `status`, or with our own page if the site has none. */
void answer_refuse(struct exchange *ex, enum http_status status);
void answer_redirect(struct exchange *ex, enum http_status status, struct span location);
/* Answers with 301 to the page's other address (RFC 9110 section 15.4.2). A folder's has a slash at its
 * end: without it, relative links in its page would lead elsewhere (RFC 3986 section 5.2.3). */
void answer_redirect_page(struct exchange *ex, enum site_address address);
/* Answers with our own page for ex->page_status, when the site's page can't be had. */
void answer_refuse_plainly(struct exchange *ex);
/* Takes over the reference to `entry`, the site's page for ex->page_status. */
void answer_page_file(struct exchange *ex, struct file_entry *entry, bool from_memory);
void answer_options(struct exchange *ex);
/* Answers OPTIONS of a browser that asks before a request of another origin (answer_cors.c). */
void answer_preflight(struct exchange *ex);

#endif

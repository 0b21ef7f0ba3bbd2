/* SPDX-License-Identifier: MIT */
/* admin_html.h — the parts of the admin page: its frame, tables, and numbers for people.
 *
 * The page is a single file without scripts: it must work in any browser, even on a phone over a
 * tunnel, and with a screen reader. */
#ifndef FARMSTEAD_ADMIN_HTML_H
#define FARMSTEAD_ADMIN_HTML_H

#include "base/buf.h"

#include <stdint.h>

/* Writes everything up to the heading, and opens <main>. */
void html_begin(struct buf *out, const char *host);
void html_end(struct buf *out);

void html_text(struct buf *out, const char *text);     /* escaped */
void html_count(struct buf *out, uint64_t value);      /* 1234567 as 1 234 567 */
void html_bytes(struct buf *out, double bytes);        /* 1536 as 1.5 KiB */
void html_seconds(struct buf *out, double seconds);    /* 0.0015 as 1.5 ms */
void html_duration(struct buf *out, uint64_t seconds); /* 90061 as 1 d 1 h */
void html_heading(struct buf *out, const char *id, const char *title);

/* Writes the heading and begins a table, which can be scrolled by itself, also with the keyboard,
 * if it is wide. Continue with the cells of its head, then html_table_body(). */
void html_table_begin(struct buf *out, const char *id, const char *title);
void html_table_column(struct buf *out, const char *title);
void html_table_column_of_words(struct buf *out, const char *title);
void html_table_body(struct buf *out);
void html_table_end(struct buf *out);

#endif

/* SPDX-License-Identifier: MIT */
/* dir_listing_page.c — writes the entries in two forms, some of them at a time. All of it is written twice:
 * once to be counted, then part by part to be sent. A name is written in three ways: as text,
 * in which U+FFFD replaces a byte that is not UTF-8; as a JSON string, likewise; and as a
 * reference, which has the exact bytes, percent-encoded (RFC 3986 section 2.1).
 *
 * The page has no script, and no style but the one in its head, whose hash is in DIR_LISTING_CSP:
 * after a change the unit test prints the new hash. A reference can't be taken for one with a
 * scheme, as ':' is encoded (RFC 3986 section 4.2). */
#include "site/dir_listing_page.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* A part, which is made on the event loop between two sends, ends with the entry that makes it as long as
 * this. Bytes bound the time that it takes, which is ten times as long for a long name. */
#define PART_BYTES 8192
#define TIME_LEN 32

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{margin:0 auto;max-width:64rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;"
    "background:#fff;color:#1b1b1f}"
    "h1{font-size:1.3rem;overflow-wrap:anywhere}"
    "table{border-collapse:collapse;width:100%}"
    "caption{padding-bottom:.5rem;text-align:start;color:#5b5b66}"
    "th,td{border-bottom:1px solid #8886;font-weight:400;padding:.4rem 1rem .4rem 0;"
    "text-align:start;vertical-align:top}"
    "thead th{font-weight:600;white-space:nowrap}"
    "tr>:nth-child(2){text-align:end}"
    "tr>:last-child{padding-right:0}"
    "tbody th{overflow-wrap:anywhere}"
    "pre{font:.9rem/1.5 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}"
    "td{font-variant-numeric:tabular-nums;white-space:nowrap}"
    "a{color:#0b57d0}"
    "thead a{color:inherit}"
    "@media(max-width:36rem){td:last-child,thead th{white-space:normal}"
    "time{display:block;width:10ch}}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#e4e4e9}"
    "caption{color:#a9abb6}a{color:#9cc2ff}}";

/* --- text ------------------------------------------------------------------------------------ */

struct text {
    char *data;
    size_t len, cap;
    bool failed; /* there was no memory */
};

static void append(struct text *text, const char *bytes, size_t len)
{
    if (text->len + len > text->cap && !text->failed) {
        size_t cap = 2 * text->cap + len + 4096;
        char *data = realloc(text->data, cap);
        text->failed = !data;
        text->data = data ? data : text->data;
        text->cap = data ? cap : text->cap;
    }
    if (text->failed)
        return;
    memcpy(text->data + text->len, bytes, len);
    text->len += len;
}

static void append_str(struct text *text, const char *str)
{
    append(text, str, strlen(str));
}

static void append_format(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void append_format(struct text *text, const char *format, ...)
{
    char line[128];
    va_list args;
    int len;

    va_start(args, format);
    len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    CHECK(len >= 0 && (size_t)len < sizeof(line));
    append(text, line, (size_t)len);
}

static void append_html_char(struct text *text, char c)
{
    switch (c) {
    case '&':
        append_str(text, "&amp;");
        break;
    case '<':
        append_str(text, "&lt;");
        break;
    case '>':
        append_str(text, "&gt;");
        break;
    case '"':
        append_str(text, "&quot;");
        break;
    default:
        append(text, &c, 1);
        break;
    }
}

static void append_json_char(struct text *text, char c)
{
    if (c == '"' || c == '\\')
        append(text, "\\", 1);
    if ((unsigned char)c < ' ')
        append_format(text, "\\u%04x", (unsigned)c);
    else
        append(text, &c, 1);
}

static void append_utf8(struct text *text, struct span bytes,
                        void (*append_ascii)(struct text *text, char c))
{
    while (bytes.len > 0) {
        size_t len = utf8_sequence_len(bytes.ptr, bytes.len);

        if (len == 0)
            append_str(text, "\xef\xbf\xbd"); /* U+FFFD */
        else if (len == 1)
            append_ascii(text, bytes.ptr[0]);
        else
            append(text, bytes.ptr, len);
        bytes.ptr += len ? len : 1;
        bytes.len -= len ? len : 1;
    }
}

static void append_html(struct text *text, struct span bytes)
{
    append_utf8(text, bytes, append_html_char);
}

static void append_json(struct text *text, struct span bytes)
{
    append(text, "\"", 1);
    append_utf8(text, bytes, append_json_char);
    append(text, "\"", 1);
}

static bool is_unreserved(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

/* Encodes everything but unreserved characters (RFC 3986 section 2.3), so the result is safe in
 * HTML and in JSON. */
static void append_href(struct text *text, const struct dir_entry *entry)
{
    static const char hex[] = "0123456789ABCDEF";

    for (const char *at = entry->name; *at; at++) {
        unsigned char c = (unsigned char)*at;
        char encoded[] = {'%', hex[c >> 4], hex[c & 15]};

        if (is_unreserved(c))
            append(text, at, 1);
        else
            append(text, encoded, sizeof(encoded));
    }
    if (entry->is_folder)
        append(text, "/", 1);
}

static struct span url_path_of(const struct dir_listing_page *page)
{
    return (struct span){page->url_path, page->url_path_len};
}

static struct span name_of(const struct dir_entry *entry)
{
    return (struct span){entry->name, strlen(entry->name)};
}

/* Returns false if the year does not have four digits. */
static bool format_time(char out[TIME_LEN], int64_t seconds)
{
    time_t time = (time_t)seconds;
    struct tm tm;

    return gmtime_r(&time, &tm) && tm.tm_year >= 1000 - 1900 && tm.tm_year <= 9999 - 1900 &&
           strftime(out, TIME_LEN, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0;
}

/* --- HTML ------------------------------------------------------------------------------------ */

static void append_size(struct text *text, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double size = (double)bytes;
    int unit = -1;

    for (; size >= 1023.95 && unit < 5; unit++)
        size /= 1024;
    append_format(text, "<data value=\"%" PRIu64 "\">", bytes);
    if (unit < 0)
        append_format(text, "%" PRIu64 " B</data>", bytes);
    else
        append_format(text, "%.1f %s</data>", size, units[unit]);
}

static void append_row(struct text *text, const struct dir_entry *entry)
{
    char iso[TIME_LEN];

    append_str(text, "<tr><th scope=\"row\"><a href=\"");
    append_href(text, entry);
    append_str(text, "\"><bdi>");
    append_html(text, name_of(entry));
    append_str(text, entry->is_folder ? "/</bdi></a></th><td>–" : "</bdi></a></th><td>");
    if (!entry->is_folder)
        append_size(text, entry->size);
    append_str(text, "</td><td>");
    if (format_time(iso, entry->mtime_seconds))
        append_format(text, "<time datetime=\"%s\">%.10s %.5s</time>", iso, iso, iso + 11);
    else
        append_str(text, "–");
    append_str(text, "</td></tr>\n");
}

static void append_page_head(struct text *text, struct span url_path)
{
    append_str(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                     "<title>Index of ");
    append_html(text, url_path);
    append_str(text, "</title>\n<style>");
    append_str(text, style);
    append_str(text, "</style>\n</head>\n<body>\n<main>\n<h1>Index of <bdi>");
    append_html(text, url_path);
    append_str(text, "</bdi></h1>\n");
    if (url_path.len > 1)
        append_str(text, "<p><a href=\"../\">Parent folder</a></p>\n");
}

static void append_note(struct text *text, const struct dir_note *note)
{
    struct span span = {note->text, note->len};

    if (!note->text)
        return;
    if (note->is_html) {
        append(text, span.ptr, span.len);
    } else {
        append_str(text, "<pre>");
        append_html(text, span);
        append_str(text, "</pre>\n");
    }
    if (note->is_cut)
        append_str(text, "<p>The file is longer than what is shown here.</p>\n");
}

static const char *const keys[] = {
    [DIR_SORT_NAME] = "name", [DIR_SORT_SIZE] = "size", [DIR_SORT_DATE] = "date"};

/* A link to the list by this column: the other way round if it is sorted by it already, else with the
 * first name, the largest file or the newest one first. */
static void append_column(struct text *text, enum dir_sort by, struct dir_order order,
                          const char *title)
{
    bool is_sorted = order.by == by,
         to_descending = is_sorted ? !order.is_descending : by != DIR_SORT_NAME;

    append_str(text, "<th scope=\"col\"");
    if (is_sorted)
        append_format(text, " aria-sort=\"%s\"", order.is_descending ? "descending" : "ascending");
    append_format(text, "><a href=\"?sort=%s&amp;order=%s\">", keys[by],
                  to_descending ? "desc" : "asc");
    append_str(text, title);
    append_str(text, !is_sorted            ? "</a></th>"
                     : order.is_descending ? " ↓</a></th>"
                                           : " ↑</a></th>");
}

static void append_table_head(struct text *text, const struct dir_entries *entries)
{
    static const char *const words[][2] = {
        [DIR_SORT_NAME] = {"by name", "by name, backwards"},
        [DIR_SORT_SIZE] = {"by size, smallest first", "by size, largest first"},
        [DIR_SORT_DATE] = {"by date, oldest first", "by date, newest first"}};
    struct dir_order order = entries->order;

    append_str(text, "<table>\n<caption>Folders first, then files, ");
    append_str(text, words[order.by][order.is_descending]);
    if (entries->is_truncated) /* said at the top too, for readers who look for a name */
        append_str(text, ". There are more entries than are shown here");
    append_str(text, "</caption>\n<thead><tr>");
    append_column(text, DIR_SORT_NAME, order, "Name");
    append_column(text, DIR_SORT_SIZE, order, "Size");
    append_column(text, DIR_SORT_DATE, order, "Last modified (UTC)");
    append_str(text, "</tr></thead>\n<tbody>\n");
}

static void append_page_start(struct text *text, const struct dir_listing_page *page)
{
    append_page_head(text, url_path_of(page));
    append_note(text, &page->header);
    append_table_head(text, &page->entries);
}

static void append_page_end(struct text *text, const struct dir_listing_page *page)
{
    const struct dir_entries *entries = &page->entries;

    append_str(text, "</tbody>\n</table>\n");
    if (entries->is_truncated)
        append_str(text, "<p>There are more entries than are shown here.</p>\n");
    else if (entries->count == 0)
        append_str(text, "<p>This folder is empty.</p>\n");
    append_note(text, &page->readme);
    append_str(text, "</main>\n</body>\n</html>\n");
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void append_object(struct text *text, const struct dir_entry *entry)
{
    char iso[TIME_LEN];

    append_str(text, "{\"name\":");
    append_json(text, name_of(entry));
    append_str(text, ",\"href\":\"");
    append_href(text, entry);
    append_str(text, entry->is_folder ? "\",\"type\":\"folder\",\"sizeBytes\":null"
                                      : "\",\"type\":\"file\",\"sizeBytes\":");
    if (!entry->is_folder)
        append_format(text, "%" PRIu64, entry->size);
    if (format_time(iso, entry->mtime_seconds))
        append_format(text, ",\"modified\":\"%s\"}", iso);
    else
        append_str(text, ",\"modified\":null}");
}

static void append_json_start(struct text *text, const struct dir_listing_page *page)
{
    append_str(text, "{\"path\":");
    append_json(text, url_path_of(page));
    append_str(text, ",\"entries\":[");
}

static void append_json_end(struct text *text, const struct dir_listing_page *page)
{
    append_str(text,
               page->entries.is_truncated ? "],\"truncated\":true}\n" : "],\"truncated\":false}\n");
}

/* --- parts ----------------------------------------------------------------------------------- */

static void append_start(struct text *text, const struct dir_listing_page *page)
{
    if (page->as_json)
        append_json_start(text, page);
    else
        append_page_start(text, page);
}

static void append_entry(struct text *text, const struct dir_listing_page *page, size_t i)
{
    const struct dir_entry *entry = &page->entries.items[i];

    if (!page->as_json) {
        append_row(text, entry);
        return;
    }
    append_str(text, i > 0 ? ",\n" : "\n");
    append_object(text, entry);
}

static void append_end(struct text *text, const struct dir_listing_page *page)
{
    if (page->as_json)
        append_json_end(text, page);
    else
        append_page_end(text, page);
}

static void append_part(struct text *text, const struct dir_listing_page *page, size_t *next)
{
    size_t first = *next;

    if (first == 0)
        append_start(text, page);
    while (*next < page->entries.count && (*next == first || text->len < PART_BYTES))
        append_entry(text, page, (*next)++);
    if (*next == page->entries.count)
        append_end(text, page);
}

bool dir_listing_page_part(const struct dir_listing_page *page, size_t *next, char **bytes,
                           size_t *len)
{
    struct text text = {.data = malloc(page->longest_part), .cap = page->longest_part};

    text.failed = !text.data;
    append_part(&text, page, next);
    if (text.failed) {
        free(text.data);
        return false;
    }
    *bytes = text.data;
    *len = text.len;
    return true;
}

/* --- the whole ------------------------------------------------------------------------------- */

/* False: no memory. */
static bool count_text(struct dir_listing_page *page)
{
    struct text text = {0};
    size_t next = 0;

    do {
        text.len = 0;
        append_part(&text, page, &next);
        page->part_count++;
        page->length += text.len;
        page->longest_part = text.len > page->longest_part ? text.len : page->longest_part;
    } while (next < page->entries.count);
    free(text.data);
    page->held_bytes = sizeof(*page) + page->url_path_len + page->entries.packed_bytes +
                       page->header.len + page->readme.len + page->longest_part;
    return !text.failed;
}

struct dir_listing_page *dir_listing_page_new(struct span url_path, bool as_json)
{
    struct dir_listing_page *page = calloc(1, sizeof(*page) + url_path.len);

    if (!page)
        return NULL;
    page->as_json = as_json;
    page->url_path_len = url_path.len;
    memcpy(page->url_path, url_path.ptr, url_path.len);
    return page;
}

bool dir_listing_page_finish(struct dir_listing_page *page)
{
    return dir_entries_pack(&page->entries) && count_text(page);
}

void dir_listing_page_free(struct dir_listing_page *page)
{
    if (!page)
        return;
    dir_entries_fini(&page->entries);
    free(page->header.text);
    free(page->readme.text);
    free(page);
}

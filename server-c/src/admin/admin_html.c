/* SPDX-License-Identifier: MIT */
/* admin_html.c — the parts of the page, and its style, which is inside it. Text that is inserted is
 * escaped by html_text(). */
#include "admin/admin_html.h"

#include "base/util.h"

#include <inttypes.h>
#include <stdio.h>

static const char head_text[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n<title>farmstead-node on ";

static const char style_text[] =
    "</title>\n<style>\n"
    ":root{color-scheme:light dark;--ink:#1d2521;--soft:#55605a;--paper:#fbfcfb;--line:#d5ddd8;"
    "--card:#fff;--good:#176b3a;--bad:#a32020}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e6ece8;--soft:#a3b0a8;--paper:#131816;"
    "--line:#333d37;--card:#1a201d;--good:#7fd6a0;--bad:#ff9d94}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:70rem;padding:1.5rem 1rem 3rem;background:var(--paper);"
    "color:var(--ink);font:1rem/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 .25rem}\n"
    "h2{font-size:1.125rem;margin:2rem 0 .5rem}\np{margin:.25rem 0}\n"
    ".soft{color:var(--soft)}\n.good{color:var(--good);font-weight:600}\n"
    ".bad{color:var(--bad);font-weight:600}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;"
    "margin:1rem 0}\n"
    "dl div{background:var(--card);border:1px solid var(--line);border-radius:.5rem;"
    "padding:.6rem .8rem}\n"
    "dl div.wide{grid-column:1/-1}\n"
    "dt{color:var(--soft);font-size:.875rem}\n"
    "dd{margin:0;font-size:1.25rem;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}\n"
    "dl div.wide dd{font:.875rem/1.6 ui-monospace,monospace}\n"
    ".scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;"
    "background:var(--card)}\n"
    ".scroll:focus-visible,a:focus-visible{outline:3px solid var(--good);outline-offset:2px}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.35rem .8rem;text-align:right;border-bottom:1px solid var(--line);"
    "vertical-align:top;white-space:nowrap}\n"
    "tbody tr:last-child>*{border-bottom:0}\n"
    "th:first-child,.what{text-align:left}\nthead th{color:var(--soft);font-weight:600;"
    "font-size:.875rem}\n"
    "tbody th{font-weight:600}\ntd.what{color:var(--soft);white-space:normal;min-width:14rem;"
    "width:100%}\n"
    "@media (max-width:40rem){td.what{white-space:nowrap}tbody "
    "th{white-space:normal}.whole{white-space:nowrap}}\n"
    "a{color:inherit}\n</style>\n</head>\n<body>\n<main>\n";

void html_begin(struct buf *out, const char *host)
{
    buf_append_str(out, head_text);
    html_text(out, host);
    buf_append_str(out, style_text);
}

void html_end(struct buf *out)
{
    buf_append_str(out, "</main>\n</body>\n</html>\n");
}

/* --- numbers --------------------------------------------------------------------------------- */

void html_text(struct buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            buf_append_str(out, "&lt;");
        else if (*text == '>')
            buf_append_str(out, "&gt;");
        else if (*text == '&')
            buf_append_str(out, "&amp;");
        else if (*text == '"')
            buf_append_str(out, "&quot;");
        else
            buf_append_char(out, *text);
    }
}

/* 1234567 as 1 234 567, with thin no-break spaces. */
void html_count(struct buf *out, uint64_t value)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, value);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf_append_str(out, "\xe2\x80\xaf");
        buf_append_char(out, digits[i]);
    }
}

/* 1536 as 1.5 KiB. */
void html_bytes(struct buf *out, double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    size_t unit = 0;

    for (; bytes >= 1024 && unit + 1 < ARRAY_LEN(units); unit++)
        bytes /= 1024;
    buf_printf(out, unit && bytes < 100 ? "%.1f\xc2\xa0%s" : "%.0f\xc2\xa0%s", bytes, units[unit]);
}

void html_seconds(struct buf *out, double seconds)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1, 1, "s"}, {1e-3, 1e3, "ms"}, {0, 1e6, "\xc2\xb5s"}};

    for (size_t i = 0; i < ARRAY_LEN(units); i++)
        if (seconds >= units[i].least) {
            buf_printf(out, "%.3g\xc2\xa0%s", seconds * units[i].factor, units[i].unit);
            return;
        }
}

void html_duration(struct buf *out, uint64_t seconds)
{
    if (seconds >= 86400)
        buf_printf(out,
                   "%" PRIu64 "\xc2\xa0"
                   "d %" PRIu64 "\xc2\xa0h",
                   seconds / 86400, seconds % 86400 / 3600);
    else if (seconds >= 3600)
        buf_printf(out, "%" PRIu64 "\xc2\xa0h %" PRIu64 "\xc2\xa0min", seconds / 3600,
                   seconds % 3600 / 60);
    else if (seconds >= 60)
        buf_printf(out, "%" PRIu64 "\xc2\xa0min %" PRIu64 "\xc2\xa0s", seconds / 60, seconds % 60);
    else
        buf_printf(out, "%" PRIu64 "\xc2\xa0s", seconds);
}

/* --- tables ---------------------------------------------------------------------------------- */

void html_heading(struct buf *out, const char *id, const char *title)
{
    buf_printf(out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

void html_table_begin(struct buf *out, const char *id, const char *title)
{
    html_heading(out, id, title);
    buf_printf(out,
               "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"%s\">\n"
               "<table aria-labelledby=\"%s\">\n<thead><tr>",
               id, id);
}

void html_table_column(struct buf *out, const char *title)
{
    buf_printf(out, "<th scope=\"col\">%s</th>", title);
}

void html_table_column_of_words(struct buf *out, const char *title)
{
    buf_printf(out, "<th scope=\"col\" class=\"what\">%s</th>", title);
}

void html_table_body(struct buf *out)
{
    buf_append_str(out, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct buf *out)
{
    buf_append_str(out, "</tbody>\n</table>\n</div>\n");
}

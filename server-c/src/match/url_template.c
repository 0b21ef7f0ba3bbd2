/* SPDX-License-Identifier: MIT */
/* url_template.c — text between dollars as a list of pieces. For a Location each piece is encoded
 * by itself.
 *
 * Which bytes may stay as they are depends on where they come from: `to` is the operator's and
 * determines what is path, query and fragment; a group is the client's and must not change that. */
#include "match/url_template.h"

#include "base/mem.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

enum piece_kind { PIECE_TEXT, PIECE_GROUP, PIECE_HOST, PIECE_QUERY, PIECE_ADDED_QUERY };

struct url_template_piece {
    enum piece_kind kind;
    bool in_query;    /* in the query or the fragment */
    bool in_host;     /* a group that is a part of the host: "https://$1.example/" */
    bool ends_host;   /* a group right after a whole host: "https://example.org$1" */
    unsigned group;   /* for PIECE_GROUP */
    struct span text; /* for PIECE_TEXT; points into template->to */
};

/* --- parsing --------------------------------------------------------------------------------- */

struct reading {
    struct url_template *template;
    const char *at;
    unsigned group_count;
    bool in_query;
    struct url_rule_error *error;
};

__attribute__((format(printf, 2, 3))) static bool wrong(struct reading *reading, const char *format,
                                                        ...)
{
    va_list args;

    reading->error->is_in_to = true;
    reading->error->offset = (size_t)(reading->at - reading->template->to);
    va_start(args, format);
    vsnprintf(reading->error->message, sizeof(reading->error->message), format, args);
    va_end(args);
    return false;
}

static struct url_template_piece *add_piece(struct reading *reading, enum piece_kind kind)
{
    struct url_template *template = reading->template;
    struct url_template_piece *piece;

    template->pieces =
        xreallocarray(template->pieces, template->count + 1, sizeof(*template->pieces));
    piece = &template->pieces[template->count++];
    *piece = (struct url_template_piece){.kind = kind, .in_query = reading->in_query};
    return piece;
}

static void add_text(struct reading *reading, size_t len)
{
    add_piece(reading, PIECE_TEXT)->text = (struct span){reading->at, len};
    reading->at += len;
}

/* Returns the end of "https://" or "//", or NULL if `to` names no host. */
static const char *host_of(const char *to)
{
    const char *colon = strstr(to, "://");

    if (strncmp(to, "//", 2) == 0)
        return to + 2;
    return colon && strcspn(to, "/?#$") > (size_t)(colon - to) ? colon + 3 : NULL;
}

/* For a group that stands at reading->at and ends before `end`. */
static void place_group(struct reading *reading, struct url_template_piece *piece, const char *end)
{
    const char *host = host_of(reading->template->to), *at = reading->at;
    char before;

    if (!host || at < host || strcspn(host, "/?#") < (size_t)(at - host))
        return;
    before = at > host ? at[-1] : '\0';
    piece->ends_host = (isalnum((unsigned char)before) || before == ']' || before == '}') &&
                       strchr("?#$", *end) != NULL;
    piece->in_host = !piece->ends_host;
}

/* Reads a reference to a group: `len` digits at `digits`; the reference ends at `end`. */
static bool read_group(struct reading *reading, const char *digits, size_t len, const char *end)
{
    struct url_template_piece *piece;
    unsigned group = 0;

    if (len > 1 && digits[0] == '0')
        return wrong(reading, "write a group's number without leading zeros");
    for (size_t i = 0; i < len; i++) {
        group = group * 10 + (unsigned)(digits[i] - '0');
        if (group >= URL_TEMPLATE_GROUPS)
            return wrong(reading, "a group's number is at most %d", URL_TEMPLATE_GROUPS - 1);
    }
    if (group > reading->group_count)
        return wrong(reading, "there is no group %u: the expression has %u", group,
                     reading->group_count);
    piece = add_piece(reading, PIECE_GROUP);
    piece->group = group;
    place_group(reading, piece, end);
    reading->at = end;
    return true;
}

/* Reads "${…}". */
static bool read_braces(struct reading *reading)
{
    const char *name = reading->at + 2, *end = strchr(name, '}');
    size_t len = end ? (size_t)(end - name) : 0;

    if (!end)
        return wrong(reading, "\"${\" without \"}\"");
    if (len > 0 && strspn(name, "0123456789") == len)
        return read_group(reading, name, len, end + 1);
    if (len == 4 && memcmp(name, "host", 4) == 0)
        add_piece(reading, PIECE_HOST);
    else if (len == 5 && memcmp(name, "query", 5) == 0)
        add_piece(reading, PIECE_QUERY);
    else
        return wrong(reading, "\"${%.*s}\" is unknown: use ${host}, ${query} or a group's number",
                     (int)utf8_cut(name, len, 40), name);
    reading->at = end + 1;
    return true;
}

static bool read_dollar(struct reading *reading)
{
    char c = reading->at[1];

    if (c == '{')
        return read_braces(reading);
    if (c >= '0' && c <= '9')
        return read_group(reading, reading->at + 1, 1, reading->at + 2);
    if (c != '$')
        return wrong(reading, "a lone \"$\": write \"$$\" for a dollar");
    reading->at++;
    add_text(reading, 1);
    return true;
}

/* Reads one byte that is not a dollar, and the text up to the next byte with a meaning. */
static void read_text(struct reading *reading)
{
    const char *to = reading->template->to;

    if (*reading->at == '#' && !memchr(to, '#', (size_t)(reading->at - to)))
        add_piece(reading, PIECE_ADDED_QUERY);
    if (*reading->at == '?' || *reading->at == '#')
        reading->in_query = true;
    add_text(reading, 1 + strcspn(reading->at + 1, "$?#"));
}

static bool read_to(struct reading *reading)
{
    const char *to = reading->at;

    if (*to == '\0')
        return wrong(reading, "is empty");
    for (; *reading->at != '\0'; reading->at++)
        if ((unsigned char)*reading->at < ' ' || *reading->at == 0x7f)
            return wrong(reading, "a control character");
    for (reading->at = to; *reading->at != '\0';)
        if (*reading->at != '$')
            read_text(reading);
        else if (!read_dollar(reading))
            return false;
    if (!strchr(to, '#'))
        add_piece(reading, PIECE_ADDED_QUERY);
    return true;
}

bool url_template_init(struct url_template *template, const char *to, unsigned group_count,
                       struct url_rule_error *error)
{
    struct reading reading = {.template = template, .group_count = group_count, .error = error};

    *template = (struct url_template){.to = xstrdup(to)};
    reading.at = template->to;
    if (!read_to(&reading)) {
        url_template_fini(template);
        return false;
    }
    template->is_network_path = strncmp(to, "//", 2) == 0;
    template->adds_query = !memchr(to, '?', strcspn(to, "#"));
    for (size_t i = 0; i < template->count; i++) {
        if (template->pieces[i].kind == PIECE_QUERY)
            template->adds_query = false;
        if (template->pieces[i].kind == PIECE_HOST)
            template->has_host = true;
    }
    return true;
}

void url_template_fini(struct url_template *template)
{
    free(template->to);
    free(template->pieces);
    *template = (struct url_template){0};
}

/* --- writing --------------------------------------------------------------------------------- */

/* Bytes besides letters and digits that are not encoded (RFC 3986 sections 2.2 and 2.3). */
static const char plain_in_url[] = "-._~!$&'()*+,;=:@/?#[]%";
static const char plain_in_path[] = "-._~!$&'()*+,;=:@/"; /* the same as in url_path_encode() */
static const char plain_in_value[] = "-._~!$'()*,:@/";    /* in the value of a query's parameter */
static const char plain_in_label[] = "-._~";              /* in a group that is a part of a host */
static const char plain_in_host[] = "-._~!$&'()*+,;=:[]";

struct writing {
    char *out;
    size_t len, cap;
    bool is_full;
};

/* `plain` NULL: nothing is encoded. */
static void write_bytes(struct writing *writing, struct span bytes, const char *plain)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        bool is_plain = !plain || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || (c != '\0' && strchr(plain, c) != NULL);
        if (writing->cap - writing->len < (is_plain ? 1 : 3)) {
            writing->is_full = true;
            return;
        }
        if (is_plain) {
            writing->out[writing->len++] = (char)c;
        } else {
            writing->out[writing->len++] = '%';
            writing->out[writing->len++] = hex[c >> 4];
            writing->out[writing->len++] = hex[c & 15];
        }
    }
}

/* A client's text chooses no other host: it ends none that `to` begins, and goes on with none that
 * `to` has ended. */
static void write_group(struct writing *writing, const struct url_template_piece *piece,
                        struct span group)
{
    if (piece->ends_host && group.len > 0 && group.ptr[0] != '/')
        write_bytes(writing, (struct span){"/", 1}, NULL);
    write_bytes(writing, group,
                piece->in_query  ? plain_in_value
                : piece->in_host ? plain_in_label
                                 : plain_in_path);
}

static void write_piece(struct writing *writing, const struct url_template_piece *piece,
                        const struct span *groups, const struct url_rule_subject *subject,
                        bool encodes)
{
    switch (piece->kind) {
    case PIECE_TEXT:
        write_bytes(writing, piece->text, encodes ? plain_in_url : NULL);
        break;
    case PIECE_GROUP:
        if (encodes)
            write_group(writing, piece, groups[piece->group]);
        else
            write_bytes(writing, groups[piece->group], NULL);
        break;
    case PIECE_HOST:
        write_bytes(writing, subject->host, encodes ? plain_in_host : NULL);
        break;
    case PIECE_ADDED_QUERY:
        if (subject->query.len == 0)
            break;
        write_bytes(writing, (struct span){"?", 1}, NULL);
        write_bytes(writing, subject->query, plain_in_url);
        break;
    case PIECE_QUERY:
        write_bytes(writing, subject->query, encodes ? plain_in_url : NULL);
        break;
    }
}

/* "//evil.example" would be another host (RFC 3986 section 4.2). `to` may name one, but a path must
 * not. */
static void drop_slashes(struct writing *writing)
{
    size_t more = 0;

    while (more + 1 < writing->len && writing->out[more] == '/' && writing->out[more + 1] == '/')
        more++;
    writing->len -= more;
    memmove(writing->out, writing->out + more, writing->len);
}

bool url_template_write(const struct url_template *template, const struct span *groups,
                        const struct url_rule_subject *subject, enum url_rule_use use, char *out,
                        size_t cap, size_t *len)
{
    struct writing writing = {.out = out, .cap = cap};
    bool is_location = use == URL_RULE_FOR_LOCATION;

    if (is_location && template->to[0] == '$')
        write_bytes(&writing, (struct span){"/", 1}, NULL);
    for (size_t i = 0; i < template->count && !writing.is_full; i++)
        if (template->pieces[i].kind != PIECE_ADDED_QUERY || (is_location && template->adds_query))
            write_piece(&writing, &template->pieces[i], groups, subject, is_location);
    if (writing.is_full)
        return false;
    if (is_location && !template->is_network_path)
        drop_slashes(&writing);
    *len = writing.len;
    return true;
}

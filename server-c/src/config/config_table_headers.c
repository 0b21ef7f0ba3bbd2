/* SPDX-License-Identifier: MIT */
/* config_table_headers.c — the rows of rules that say by headers how answers may be used. */
#include "config/config_table_rows.h"

#include "base/util.h"

#include <string.h>
#include <strings.h>

#define SECURITY(field) FIELD(struct config_site, security.field)

static const char *const presets[] = {
    [SECURITY_OFF] = "off", [SECURITY_BASIC] = "basic", [SECURITY_STRICT] = "strict", NULL};
static const char *const frames[] = {[FRAMES_AS_PRESET] = "preset",
                                     [FRAMES_ANYWHERE] = "anywhere",
                                     [FRAMES_SAME_ORIGIN] = "same-origin",
                                     [FRAMES_NOWHERE] = "nowhere",
                                     NULL};

const struct option config_security_members[] = {
    {.name = "preset",
     .type = OPTION_ENUM,
     .title = "Set",
     .help =
         "\"basic\" breaks hardly any page: no guessing of media types, pages in frames of this "
         "site alone, other sites learn which site a visitor comes from and not which page. "
         "\"strict\" lets a page load only what is of this site and run no script that stands in "
         "it, puts it in no frame, tells others nothing, asks for no camera, microphone, place, "
         "payment or USB, and has HTTPS asked for a year where \"hsts\" says no other time. "
         "\"off\": none but those given here.",
     .default_json = "\"off\"",
     .words = presets,
     SECURITY(preset)},
    {.name = "contentSecurityPolicy",
     .type = OPTION_STRING,
     .title = "Content-Security-Policy",
     .help = "The policy to send in place of the set's. Where it says no frame-ancestors, what "
             "\"frames\" means is added to it. Empty: as the set says.",
     .default_json = "\"\"",
     .max = 4096,
     .pattern = "^([!-~]([ -~]*[!-~])?)?$",
     .form = "printable ASCII without a blank at either end",
     SECURITY(policy)},
    {.name = "frames",
     .type = OPTION_ENUM,
     .title = "In frames",
     .help = "Whose pages may show this site's in a frame: \"anywhere\", those of the "
             "\"same-origin\", \"nowhere\", or as the set says (\"preset\"). Sent as "
             "frame-ancestors and X-Frame-Options.",
     .default_json = "\"preset\"",
     .words = frames,
     SECURITY(frames)},
    {.name = "referrerPolicy",
     .type = OPTION_STRING,
     .title = "Referrer-Policy",
     .help =
         "What other sites learn of the page that a visitor comes from. Empty: as the set says.",
     .default_json = "\"\"",
     .max = 64,
     .pattern = "^(no-referrer|no-referrer-when-downgrade|origin|origin-when-cross-origin|"
                "same-origin|strict-origin|strict-origin-when-cross-origin|unsafe-url)?$",
     .form = "a word of Referrer-Policy, such as \"same-origin\" or \"no-referrer\", or empty",
     SECURITY(referrer)},
    {.name = "permissionsPolicy",
     .type = OPTION_STRING,
     .title = "Permissions-Policy",
     .help = "What pages may ask of a device, such as \"camera=(), geolocation=(self)\". Empty: as "
             "the set says.",
     .default_json = "\"\"",
     .max = 4096,
     .pattern = "^([a-z-]+=[ -~]*[!-~])?$",
     .form = "features with what is allowed, such as \"camera=(), geolocation=(self)\", or empty",
     SECURITY(permissions)},
    {0},
};

/* "https://app.example.org:443" is written without the port by browsers, so it would never be
 * equal. */
static const char *check_origin(const char *text)
{
    const char *port = strrchr(text, ':');

    if ((strncmp(text, "https:", 6) == 0 && strcmp(port, ":443") == 0) ||
        (strncmp(text, "http:", 5) == 0 && strcmp(port, ":80") == 0))
        return "has the usual port, which browsers leave out";
    return NULL;
}

/* What a list of headers' names has in common with another. */
#define HEADER_NAMES                                                                               \
    .default_json = "[]", .min = 1, .max = 128, .max_items = 64, .pattern = "^" TOKEN "$",         \
    .form = "a header name: letters, digits and - without blanks"

const struct option config_cors_members[] = {
    PATHS_ROW(config_cors),
    {.name = "origins",
     .type = OPTION_STRINGS,
     .title = "Origins",
     .help = "Whose pages may read the answers: origins as browsers write them, such as "
             "\"https://app.example.org\" or \"http://localhost:5173\"; \"*\" alone for every one; "
             "\"null\" for pages without one, such as files on a disk and frames in a sandbox.",
     .min = 1,
     .max = 300,
     .min_items = 1,
     .max_items = 256,
     .pattern = "^(\\*|null|[a-z][a-z0-9+.-]*://([0-9a-z._-]+|\\[[0-9a-f:.]+\\])(:[0-9]{1,5})?)$",
     .form = "an origin in lower case without a path, such as \"https://app.example.org\", \"*\" "
             "or \"null\"",
     .check = check_origin,
     LIST(struct config_cors, origins, origin_count)},
    {.name = "methods",
     .type = OPTION_STRINGS,
     .title = "Methods",
     .help = "What such pages may send. The node answers no other methods.",
     .default_json = "[\"GET\", \"HEAD\"]",
     .min = 3,
     .max = 7,
     .min_items = 1,
     .max_items = 3,
     .pattern = "^(GET|HEAD|OPTIONS)$",
     .form = "\"GET\", \"HEAD\" or \"OPTIONS\"",
     LIST(struct config_cors, methods, method_count)},
    {.name = "headers",
     .type = OPTION_STRINGS,
     .title = "Headers of requests",
     .help = "Which headers such pages may send besides those that are always allowed; "
             "\"Authorization\" has to be named, \"*\" are all others.",
     HEADER_NAMES,
     LIST(struct config_cors, headers, header_count)},
    {.name = "exposedHeaders",
     .type = OPTION_STRINGS,
     .title = "Headers of answers",
     .help = "Which headers of answers such pages may read besides those that are always allowed "
             "(Cache-Control, Content-Language, Content-Length, Content-Type, Expires, "
             "Last-Modified): \"ETag\", \"Content-Range\", or \"*\" for all.",
     HEADER_NAMES,
     LIST(struct config_cors, exposed_headers, exposed_header_count)},
    {.name = "credentials",
     .type = OPTION_BOOLEAN,
     .title = "With passwords",
     .help = "Whether browsers may send passwords, certificates and cookies along. Never with "
             "\"*\": then every page could read what its visitor may read.",
     .default_json = "false",
     FIELD(struct config_cors, credentials)},
    {.name = "maxAgeSeconds",
     .type = OPTION_INTEGER,
     .title = "Remember for",
     .help = "How long a browser that asked first need not ask again. Chromium takes two hours at "
             "most, Firefox a day. 0: it asks each time.",
     .unit = "seconds",
     .default_json = "600",
     .max = 86400,
     FIELD(struct config_cors, max_age_seconds)},
    {0},
};

const struct option config_download_members[] = {
    PATHS_ROW(config_download),
    {.name = "fileName",
     .type = OPTION_STRING,
     .title = "File name",
     .help =
         "The name to save under. Empty: the file's own. Letters beyond ASCII are sent in a way "
         "that all browsers read.",
     .default_json = "\"\"",
     .max = 255,
     .pattern = "^[^/" CONTROLS "]*$",
     .form = "a file name without \"/\", or empty",
     FIELD(struct config_download, file_name)},
    {.name = "inline",
     .type = OPTION_BOOLEAN,
     .title = "Show it",
     .help = "Whether a browser shows the file, and takes the name when the visitor saves it.",
     .default_json = "false",
     FIELD(struct config_download, is_inline)},
    {0},
};

/* The value of a link's parameter without its quotes; ptr is NULL: there is none. The pattern has passed,
 * so that each parameter follows a ";" and only a quoted value has one in it. */
static struct span link_parameter(const char *link, const char *name)
{
    size_t name_len = strlen(name);

    for (const char *at = link + strcspn(link, ">") + 1; *at != '\0';) {
        size_t len, value_len = 0;
        const char *value, *word = at + strspn(at, " ;");
        len = strcspn(word, " ;=");
        value = word + len + (word[len] == '=');
        if (value[0] == '"')
            value_len = strcspn(++value, "\"");
        else if (word[len] == '=')
            value_len = strcspn(value, " ;");
        at = value + value_len + (value[value_len] == '"');
        at += strspn(at, " ");
        if (len == name_len && strncasecmp(word, name, len) == 0)
            return (struct span){value, value_len};
    }
    return (struct span){0};
}

static bool is_word(struct span text, const char *const *words)
{
    while (*words && (strlen(*words) != text.len || strncasecmp(text.ptr, *words, text.len) != 0))
        words++;
    return *words != NULL;
}

/* What browsers do nothing with, or load and then throw away (HTML, "preload" and "early hints"). */
static const char *check_link(const char *link)
{
    static const char *const rels[] = {"preload", "modulepreload", "preconnect", NULL};
    static const char *const kinds[] = {"fetch", "font", "image", "script", "style", "track", NULL};
    static const char *const preload[] = {"preload", NULL}, *const font[] = {"font", NULL};
    struct span rel = link_parameter(link, "rel"), as = link_parameter(link, "as");

    if (!rel.ptr || !is_word(rel, rels))
        return "needs rel=preload, rel=modulepreload or rel=preconnect";
    if (!is_word(rel, preload))
        return NULL;
    if (!as.ptr || !is_word(as, kinds))
        return "needs \"as\" with fetch, font, image, script, style or track: browsers load "
               "nothing without it";
    if (is_word(as, font) && !link_parameter(link, "crossorigin").ptr)
        return "is a font without \"crossorigin\": browsers would load it twice";
    return NULL;
}

const struct option config_preload_members[] = {
    PATHS_ROW(config_preload),
    {.name = "links",
     .type = OPTION_STRINGS,
     .title = "Links",
     .help =
         "Values of Link, one each: \"</app.css>; rel=preload; as=style\", \"</app.js>; "
         "rel=modulepreload\", \"<https://cdn.example.org>; rel=preconnect\". A font also needs "
         "crossorigin.",
     .min = 3,
     .max = 512,
     .min_items = 1,
     .max_items = 16,
     .pattern = "^<[!#-;=?-~]+>( *; *" TOKEN "(=(" TOKEN "|\"[ !#-~]*\"))?)+$",
     .form =
         "one link, such as \"</app.css>; rel=preload; as=style\", with a value that has a \"/\" "
         "in quotes",
     .check = check_link,
     LIST(struct config_preload, links, link_count)},
    {0},
};

const struct option config_stored_coding_members[] = {
    PATHS_ROW(config_stored_coding),
    {.name = "coding",
     .type = OPTION_STRING,
     .title = "Coding",
     .help = "How the files are compressed: \"br\", \"zstd\" or \"gzip\".",
     .min = 1,
     .max = 16,
     .pattern = "^(br|zstd|gzip)$",
     .form = "\"br\", \"zstd\" or \"gzip\"",
     FIELD(struct config_stored_coding, coding)},
    {.name = "type",
     .type = OPTION_STRING,
     .title = "Media type",
     .help = "The type of what is inside. Empty: by the file's name without .br, .zst or .gz, so "
             "that game.wasm.br is application/wasm.",
     .default_json = "\"\"",
     .max = 255,
     .pattern = "^(" MEDIA_TYPE ")?$",
     .form = "a media type, such as \"application/wasm\", or empty",
     FIELD(struct config_stored_coding, type)},
    {.name = "refuse",
     .type = OPTION_BOOLEAN,
     .title = "Refuse who can't read it",
     .help = "Whether a client whose Accept-Encoding leaves the coding out gets 406. Otherwise it "
             "gets the file as well, as one that says nothing does.",
     .default_json = "false",
     FIELD(struct config_stored_coding, refuses)},
    {0},
};

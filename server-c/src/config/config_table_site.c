/* SPDX-License-Identifier: MIT */
/* config_table_site.c — the rows of one site. Those of its rules are in config_table_rules.c. */
#include "config/config_table_rows.h"

#include <arpa/inet.h>
#include <string.h>

#define SITE(field) FIELD(struct config_site, field)
#define SITE_LIST(field, counter) LIST(struct config_site, field, counter)
/* Letters, digits, '-' and '_', with single dots between them: what the variable of a place may
 * have. */
#define ACCOUNT "[0-9a-z_-]+(\\.[0-9a-z_-]+)*"

static const char *const symlinks[] = {[SYMLINKS_NEVER] = "never",
                                       [SYMLINKS_WITHIN_ROOT] = "within-root",
                                       [SYMLINKS_SAME_OWNER] = "same-owner",
                                       [SYMLINKS_ANY] = "any",
                                       NULL};

static const char *const etags[] = {[ETAG_BY_TIME] = "time", [ETAG_BY_CONTENT] = "content", NULL};

static const char *const encoded_slashes[] = {
    [URL_SLASH_REFUSE] = "refuse", [URL_SLASH_KEEP] = "keep", [URL_SLASH_DECODE] = "decode", NULL};

static const char *const trailing_slashes[] = {[SLASH_OF_FOLDERS] = "folders",
                                               [SLASH_ADD] = "add",
                                               [SLASH_REMOVE] = "remove",
                                               [SLASH_KEEP] = "keep",
                                               NULL};

static const char *const client_certificates[] = {[CLIENT_CERTIFICATES_OFF] = "off",
                                                  [CLIENT_CERTIFICATES_OPTIONAL] = "optional",
                                                  [CLIENT_CERTIFICATES_REQUIRED] = "required",
                                                  NULL};

const char *config_row_check_host(const char *text)
{
    unsigned char binary[sizeof(struct in6_addr)];
    char inner[64];
    size_t len = strlen(text);

    if (text[0] != '[')
        return NULL;
    if (len - 2 < sizeof(inner)) {
        memcpy(inner, text + 1, len - 2);
        inner[len - 2] = '\0';
        if (inet_pton(AF_INET6, inner, binary) == 1)
            return NULL;
    }
    return "is not an IPv6 address in brackets";
}

const char *config_row_check_segments(const char *path)
{
    while (*path != '\0') {
        size_t len = strcspn(path, "/");

        if ((len == 1 && path[0] == '.') || (len == 2 && path[0] == '.' && path[1] == '.'))
            return "has a segment \".\" or \"..\"";
        path += len + (path[len] == '/');
    }
    return NULL;
}

static const char *check_index_name(const char *text)
{
    if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return "names a folder";
    return NULL;
}

/* Names of a folder's own files, of which its listing shows the first that is there. */
#define NOTE_NAMES                                                                                 \
    .default_json = "[]", .min = 1, .max = 255, .max_items = 16, .pattern = "^[^/" CONTROLS "]+$", \
    .form = "a file name without \"/\"", .check = check_index_name

static const struct option listing_members[] = {
    {.name = "enabled",
     .type = OPTION_BOOLEAN,
     .title = "List folders",
     .help = "Whether a folder without an index file is answered with a list of what is in it; "
             "otherwise the answer is 404.",
     .lighttpd = "dir-listing.activate",
     .default_json = "false",
     SITE(listing.enabled)},
    {.name = "maxEntries",
     .type = OPTION_INTEGER,
     .title = "Longest list",
     .help = "Entries of a folder that are listed; the list of a larger one says that it was cut.",
     .default_json = "10000",
     .min = 1,
     .max = 200000,
     SITE(listing.max_entries)},
    {.name = "paths",
     .type = OPTION_STRINGS,
     .title = "Paths",
     .help =
         "Only folders with these paths are listed, such as \"/pub/**\"; others are answered with "
         "404. \"*\" is anything but \"/\", \"**\" anything. Empty: all are listed.",
     .default_json = "[]",
     .min = 1,
     .max = 512,
     .max_items = 64,
     .pattern = "^/([^" CONTROLS "]*[/*])?$",
     .form = "a pattern that begins with \"/\" and ends with \"/\" or \"*\", as folders' paths do",
     SITE_LIST(listing.paths, listing.path_count)},
    {.name = "exceptPaths",
     .type = OPTION_STRINGS,
     .title = "Paths left out",
     .help = "Folders with these paths are not listed, whatever `paths` says, such as "
             "\"/pub/private/**\".",
     .default_json = "[]",
     .min = 1,
     .max = 512,
     .max_items = 64,
     .pattern = "^/([^" CONTROLS "]*[/*])?$",
     .form = "a pattern that begins with \"/\" and ends with \"/\" or \"*\", as folders' paths do",
     SITE_LIST(listing.except_paths, listing.except_path_count)},
    {.name = "header",
     .type = OPTION_STRINGS,
     .title = "Files above the list",
     .help = "Names of which the first that is in the folder is shown above the list: as text, or "
             "where it ends in .html as a part of the page. Who may not have the file sees none.",
     .lighttpd = "dir-listing.show-header",
     NOTE_NAMES,
     SITE_LIST(listing.header, listing.header_count)},
    {.name = "readme",
     .type = OPTION_STRINGS,
     .title = "Files below the list",
     .help = "The same below the list, such as \"README.txt\".",
     .lighttpd = "dir-listing.show-readme",
     NOTE_NAMES,
     SITE_LIST(listing.readme, listing.readme_count)},
    {0},
};

/* Such a name is also that of a folder in the node's state folder. */
#define CONTROL_PLANE_NAME "[0-9a-z]([0-9a-z.-]*[0-9a-z])?"

static const struct option certificate_members[] = {
    {.name = "name",
     .type = OPTION_STRING,
     .title = "Name",
     .help = "The name of a certificate that the control plane keeps, delivers and renews. Empty: "
             "the certificate is in files on the node.",
     .default_json = "\"\"",
     .max = 64,
     .pattern = "^(" CONTROL_PLANE_NAME ")?$",
     .form = "a certificate's name: lower-case letters, digits, \"-\" and \".\", or empty",
     FIELD(struct config_certificate, name)},
    {.name = "chainFile",
     .type = OPTION_STRING,
     .title = "File with the chain",
     .help = "Absolute path of a PEM file with the certificate, followed by those of the "
             "authorities between it and a root. It is read again when it changes.",
     .lighttpd = "ssl.pemfile",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     FIELD(struct config_certificate, chain_file)},
    {.name = "keyFile",
     .type = OPTION_STRING,
     .title = "File with the key",
     .help = "Absolute path of a PEM file with the certificate's private key, not encrypted. May "
             "be the same file as the chain's.",
     .lighttpd = "ssl.privkey",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     FIELD(struct config_certificate, key_file)},
    {0},
};

static const struct option client_certificate_members[] = {
    {.name = "mode",
     .type = OPTION_ENUM,
     .title = "Ask for certificates",
     .help = "\"off\" asks clients for none. \"optional\" asks, and takes a client without one. "
             "\"required\" answers 403 to requests without one. A certificate of another "
             "authority never gets in. Browsers can't be asked in the middle of a connection, so a "
             "request for this site on a connection that was made for another one is answered "
             "with 421, and the client then makes a connection of its own.",
     .lighttpd = "ssl.verifyclient.activate",
     .default_json = "\"off\"",
     .words = client_certificates,
     SITE(client_certificates.mode)},
    {.name = "caFile",
     .type = OPTION_STRING,
     .title = "File with the authorities",
     .help = "Absolute path of a PEM file with the certificates of the authorities whose "
             "clients' certificates are taken.",
     .lighttpd = "ssl.verifyclient.ca-file",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     SITE(client_certificates.ca_file)},
    {0},
};

static const struct option hsts_members[] = {
    {.name = "maxAgeSeconds",
     .type = OPTION_INTEGER,
     .title = "Keep for",
     .help = "How long browsers ask for this site by HTTPS only, after each answer that they got "
             "that way. It can't be taken back sooner where it was seen: begin with a few "
             "minutes. 0: nothing is sent.",
     .lighttpd = "setenv.add-response-header",
     .unit = "seconds",
     .default_json = "0",
     .max = 63072000,
     SITE(hsts.max_age_seconds)},
    {.name = "includeSubDomains",
     .type = OPTION_BOOLEAN,
     .title = "Names below it, too",
     .help = "Whether this holds for all names that end in the site's, whoever serves them.",
     .default_json = "false",
     SITE(hsts.include_sub_domains)},
    {.name = "preload",
     .type = OPTION_BOOLEAN,
     .title = "Preload",
     .help = "Agrees that browsers' makers put the name on their built-in list, from which it "
             "takes months to get off. The list asks for a year or more and for names below.",
     .default_json = "false",
     SITE(hsts.preload)},
    {0},
};

static const struct option alias_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "Path",
     .help =
         "The beginning of the paths that are looked up in the folder, with \"/\" at both ends. "
         "Of several the longest counts.",
     .min = 1,
     .max = 1024,
     .pattern = "^(/[^/" CONTROLS "]+)+/$",
     .form = "a path that begins and ends with \"/\", such as \"/images/\"",
     .check = config_row_check_segments,
     FIELD(struct config_alias, path)},
    {.name = "folder",
     .type = OPTION_STRING,
     .title = "Folder",
     .help = "Absolute path of the folder that stands for the path.",
     .min = 1,
     .max = 1024,
     .pattern = "^" ABSOLUTE_PATH "$",
     .form = "an absolute path, which begins with \"/\"",
     FIELD(struct config_alias, folder)},
    {0},
};

static const struct option user_dirs_members[] = {
    {.name = "folder",
     .type = OPTION_STRING,
     .title = "Folder",
     .help = "The folder in a user's home that is served under \"/~user/\", such as "
             "\"public_html\". Empty: there are no user folders.",
     .lighttpd = "userdir.path",
     .default_json = "\"\"",
     .max = 255,
     .pattern = "^([^/{" CONTROLS "]+(/[^/{" CONTROLS "]+)*)?$",
     .form = "a folder beneath the home, without \"/\" at either end and without \"{\", or empty",
     .check = config_row_check_segments,
     SITE(user_dirs.folder)},
    {.name = "base",
     .type = OPTION_STRING,
     .title = "Homes",
     .help = "Absolute path of the folder that the users' homes are in, each under the user's "
             "name.",
     .lighttpd = "userdir.basepath",
     .default_json = "\"/home\"",
     .min = 1,
     .max = 1024,
     .pattern = "^/[^{" CONTROLS "]*$",
     .form = "an absolute path without \"{\"",
     SITE(user_dirs.base)},
    {.name = "users",
     .type = OPTION_STRINGS,
     .title = "Users",
     .help = "Only these users' folders are served. Empty: those of all but the excluded ones.",
     .lighttpd = "userdir.include-user",
     .default_json = "[]",
     .min = 1,
     .max = 64,
     .max_items = 1024,
     .pattern = "^" ACCOUNT "$",
     .form = "a user's name: lower-case letters, digits, \"-\", \"_\" and single dots",
     SITE_LIST(user_dirs.users, user_dirs.user_count)},
    {.name = "excluded",
     .type = OPTION_STRINGS,
     .title = "Users left out",
     .help = "These users' folders are never served.",
     .lighttpd = "userdir.exclude-user",
     .default_json = "[\"root\"]",
     .min = 1,
     .max = 64,
     .max_items = 1024,
     .pattern = "^" ACCOUNT "$",
     .form = "a user's name: lower-case letters, digits, \"-\", \"_\" and single dots",
     SITE_LIST(user_dirs.excluded, user_dirs.excluded_count)},
    {0},
};

static const struct option access_log_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "Where to",
     .help =
         "Where this site's lines go, as in the node's accessLog; several sites may name the same "
         "place. \"none\": its requests are not logged. Empty: they are in the node's log, as that "
         "says, and nothing else counts here. All sites together may have 64 places.",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(none|" LOG_TARGET ")?$",
     .form = LOG_TARGET_FORM ", \"none\", or empty",
     .check = config_row_check_log_target,
     SITE(access_log.path)},
    ACCESS_LOG_ROWS(struct config_site),
    {0},
};

const struct option config_site_members[] = {
    {.name = "hosts",
     .type = OPTION_STRINGS,
     .title = "Host names",
     .help = "The names under which clients ask for this site, without port. \"*.example.org\" "
             "answers for every name that ends in \".example.org\"; an exact name goes before "
             "it, and a longer ending before a shorter one. \"*\" answers for every name that "
             "no other site has.",
     .lighttpd = "$HTTP[\"host\"]",
     .min = 1,
     .max = 253,
     .min_items = 1,
     .max_items = 256,
     .pattern = "^(\\*|(\\*\\.)?" HOST_NAME ")$",
     .form = "a host name without port, \"*.\" and a name, an address, or \"*\"",
     .check = config_row_check_host,
     .hint = config_row_hint_host,
     SITE_LIST(hosts, host_count)},
    {.name = "root",
     .type = OPTION_STRING,
     .title = "Root folder",
     .help =
         "Absolute path of the folder that is served. It must be on every node that gets this "
         "config. \"{host}\" in it stands for the name that a client asked for, \"{host1}\" "
         "for its last label, \"{host2}\" for the one before, up to \"{host9}\". Empty: the site "
         "serves a release.",
     .lighttpd = "server.document-root",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, which begins with \"/\"",
     SITE(root)},
    {.name = "release",
     .type = OPTION_STRING,
     .title = "Release",
     .help =
         "The name of a release, whose files are served in place of those of a root. The control "
         "plane assigns which version, and the node gets it before it serves any of it. Its ETags "
         "are of contents. Empty: the files are those of the root.",
     .default_json = "\"\"",
     .max = 63,
     .pattern = "^(" CONTROL_PLANE_NAME ")?$",
     .form = "a release's name: lower-case letters, digits, \"-\" and \".\", or empty",
     SITE(release)},
    {.name = "releaseFallback",
     .type = OPTION_STRINGS,
     .title = "Files of other versions",
     .help =
         "For these paths, such as \"/assets/**\", a file that the assigned version does not have "
         "is served from another version that is on the node: those that were served before "
         "(releases.keep), the newest first, then those that are to come. A page that was opened "
         "before a rollout then finds its files. Only for names that change with their content. "
         "Empty: the assigned version alone is served.",
     .default_json = "[]",
     .min = 1,
     .max = 512,
     .max_items = 64,
     .pattern = "^(/[^" CONTROLS "]*|[^/" CONTROLS "]+)$",
     .form = "a pattern that begins with \"/\", or one of a file's name, without \"/\"",
     SITE_LIST(release_fallback, release_fallback_count)},
    {.name = "releaseDictionaries",
     .type = OPTION_STRINGS,
     .title = "Dictionaries",
     .help =
         "For each of these files, such as \"/assets/app-*.js\", a browser that has it from "
         "another "
         "version on the node gets what has changed since (the content coding dcz). \"*\" stands "
         "for the part of the name that changes with the content. Copies are made on demand, where "
         "compression.cacheFolder is given. Not for files behind rules of access. Empty: none.",
     .default_json = "[]",
     .min = 2,
     .max = 255,
     .max_items = 64,
     .pattern = "^/([A-Za-z0-9._~-]+/)*[A-Za-z0-9._~-]*[*][A-Za-z0-9._~-]*$",
     .form = "a path with one \"*\", in the name of the file",
     SITE_LIST(release_dictionaries, release_dictionary_count)},
    {.name = "index",
     .type = OPTION_STRINGS,
     .title = "Index files",
     .help = "Names tried in this order when a folder is asked for. With none of them there the "
             "answer is a list of the folder, or 404.",
     .lighttpd = "index-file.names",
     .default_json = "[\"index.html\"]",
     .min = 1,
     .max = 255,
     .max_items = 16,
     .pattern = "^[^/" CONTROLS "]+$",
     .form = "a file name without \"/\"",
     .check = check_index_name,
     SITE_LIST(index, index_count)},
    {.name = "hiddenFiles",
     .type = OPTION_BOOLEAN,
     .title = "Serve hidden files",
     .help = "Whether names that begin with a dot are served; otherwise they are not found (404).",
     .default_json = "false",
     SITE(hidden_files)},
    {.name = "encodedSlash",
     .type = OPTION_ENUM,
     .title = "Encoded slashes",
     .help =
         "What \"%2F\" in a path is: \"refuse\" answers 404; \"decode\" takes it for a slash, as "
         "registries of packages want it (/@scope%2Fname is the file /@scope/name); \"keep\" "
         "leaves it in the name (a file called @scope%2Fname).",
     .default_json = "\"refuse\"",
     .words = encoded_slashes,
     SITE(encoded_slash)},
    {.name = "symlinks",
     .type = OPTION_ENUM,
     .title = "Symbolic links",
     .help = "Which symbolic links are followed: \"never\" any, those that stay \"within-root\", "
             "those whose target has the \"same-owner\" as the link, or \"any\".",
     .lighttpd = "server.follow-symlink",
     .default_json = "\"within-root\"",
     .words = symlinks,
     SITE(symlinks)},
    {.name = "etag",
     .type = OPTION_ENUM,
     .title = "What an ETag is made of",
     .help =
         "\"time\": a file's modification time and size. \"content\": the SHA-256 of its bytes, "
         "which is made in the background; until it is known a file has no ETag, and there is no "
         "Last-Modified, as such times tell nothing. For files whose times differ from node to "
         "node, or are the same in every release.",
     .default_json = "\"time\"",
     .words = etags,
     SITE(etag)},
    {.name = "checksums",
     .type = OPTION_STRING,
     .title = "Lists of checksums",
     .help = "With etag \"content\": the name of files with lines of sha256sum, such as "
             "\"SHA256SUMS\", in a file's folder or one above, that are believed for files of 4 "
             "MiB and "
             "more, so that these need not be read. Put them there after the files. Empty: only "
             "NAME.sha256 beside a file.",
     .default_json = "\"\"",
     .max = 255,
     .pattern = "^[^/" CONTROLS "]*$",
     .form = "a file name without \"/\", or empty",
     .check = check_index_name,
     SITE(checksums)},
    {.name = "etagInode",
     .type = OPTION_BOOLEAN,
     .title = "File number in the ETag",
     .help = "Whether a file's number on its disk is a part of its ETag. Leave it off where "
             "several nodes serve copies of the same files: theirs differ. Not together with etag "
             "\"content\".",
     .lighttpd = "etag.use-inode",
     .default_json = "false",
     SITE(etag_inode)},
    {.name = "directoryListing",
     .type = OPTION_OBJECT,
     .title = "Folder lists",
     .help = "What is answered for a folder that has no index file.",
     .default_json = "{}",
     .members = listing_members},
    {.name = "precompressed",
     .type = OPTION_STRINGS,
     .title = "Compressed copies",
     .help = "Codings of which a compressed copy beside a file (page.html.br, .zst, .gz) is sent "
             "to clients that take it; of equally welcome ones the first. Empty: copies are not "
             "looked for.",
     .default_json = "[\"br\", \"zstd\", \"gzip\"]",
     .min = 1,
     .max = 16,
     .max_items = 3,
     .pattern = "^(br|zstd|gzip)$",
     .form = "\"br\", \"zstd\" or \"gzip\"",
     SITE_LIST(precompressed, precompressed_count)},
    {.name = "compress",
     .type = OPTION_STRINGS,
     .title = "Compress",
     .help = "Codings that this site's files are compressed to, where compression.cacheFolder is "
             "given; of equally welcome ones the first. Empty: none of its files are.",
     .lighttpd = "deflate.allowed-encodings",
     .default_json = "[\"br\", \"zstd\", \"gzip\"]",
     .min = 1,
     .max = 16,
     .max_items = 3,
     .pattern = "^(br|zstd|gzip)$",
     .form = "\"br\", \"zstd\" or \"gzip\"",
     SITE_LIST(compress, compress_count)},
    {.name = "certificates",
     .type = OPTION_OBJECTS,
     .title = "Certificates",
     .help = "The certificates for this site's names, where clients speak TLS. Of several that "
             "cover a name, the first that the client's algorithms allow is shown: an ECDSA one "
             "before an RSA one serves old clients, too.",
     .lighttpd = "ssl.pemfile",
     .default_json = "[]",
     .max_items = 256,
     .members = certificate_members,
     .item_size = sizeof(struct config_certificate),
     SITE_LIST(certificates, certificate_count)},
    {.name = "clientCertificates",
     .type = OPTION_OBJECT,
     .title = "Clients' certificates",
     .help = "Whether clients must show a certificate themselves.",
     .default_json = "{}",
     .members = client_certificate_members},
    {.name = "redirectToHttps",
     .type = OPTION_BOOLEAN,
     .title = "Redirect to HTTPS",
     .help = "Whether requests that come without TLS are sent to the same address with https "
             "(301). Those for /.well-known/acme-challenge/ are not, since certificates are "
             "ordered there.",
     .lighttpd = "url.redirect",
     .default_json = "false",
     SITE(redirect_to_https)},
    {.name = "hsts",
     .type = OPTION_OBJECT,
     .title = "HTTPS only, from then on",
     .help = "Strict-Transport-Security, which is sent with answers over TLS only.",
     .default_json = "{}",
     .members = hsts_members},
    {.name = "aliases",
     .type = OPTION_OBJECTS,
     .title = "Aliases",
     .help = "Folders outside the root, each standing for the paths that begin alike.",
     .lighttpd = "alias.url",
     .default_json = "[]",
     .max_items = 256,
     .members = alias_members,
     .item_size = sizeof(struct config_alias),
     SITE_LIST(aliases, alias_count)},
    {.name = "userDirs",
     .type = OPTION_OBJECT,
     .title = "User folders",
     .help = "Folders that users of the machine publish in their homes.",
     .default_json = "{}",
     .members = user_dirs_members},
    {.name = "tryFiles",
     .type = OPTION_OBJECTS,
     .title = "Where to look",
     .help =
         "What is looked for in place of the file at the path, such as one of the same name with "
         ".html, or a single-page app's one page. The first rule whose paths fit counts; "
         "where none fits it is the file or the folder at the path.",
     .default_json = "[]",
     .max_items = 64,
     .members = config_try_files_members,
     .item_size = sizeof(struct config_try_files),
     SITE_LIST(try_files, try_files_count)},
    {.name = "trailingSlash",
     .type = OPTION_ENUM,
     .title = "Slash at the end",
     .help =
         "At which of its two addresses a page is: a folder's page, or one that was found as "
         "\"{path}.html\". \"folders\": a folder's with the slash, others as they were asked for; "
         "\"add\": with it; \"remove\": without it; \"keep\": at both. From the other address "
         "clients are sent there (301).",
     .default_json = "\"folders\"",
     .words = trailing_slashes,
     SITE(trailing_slash)},
    {.name = "cleanUrls",
     .type = OPTION_BOOLEAN,
     .title = "Addresses without .html",
     .help =
         "Whether clients that ask for a page with its .html are sent to its address without it "
         "(301), and from a folder's index file to the folder. For paths of which "
         "\"{path}.html\" is a candidate in tryFiles.",
     .default_json = "false",
     SITE(clean_urls)},
    {.name = "redirects",
     .type = OPTION_OBJECTS,
     .title = "Redirects",
     .help = "Paths that are answered with another address to go to. The first that matches "
             "counts.",
     .lighttpd = "url.redirect",
     .default_json = "[]",
     .max_items = 256,
     .members = config_redirect_members,
     .item_size = sizeof(struct config_redirect),
     SITE_LIST(redirects, redirect_count)},
    {.name = "redirectFile",
     .type = OPTION_STRING,
     .title = "File of redirects",
     .help =
         "Absolute path of a text with up to 100,000 more redirects, one per line, such as "
         "\"/old /new 301\". They are tried after the others. A change of the file counts within "
         "seconds; the file itself is not served.",
     .lighttpd = "url.redirect",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     SITE(redirect_file)},
    {.name = "rewrites",
     .type = OPTION_OBJECTS,
     .title = "Rewrites",
     .help = "Paths that are answered as if another one had been asked for; the client does not "
             "see it. Tried in this order, after the redirects.",
     .lighttpd = "url.rewrite-once",
     .default_json = "[]",
     .max_items = 256,
     .members = config_rewrite_members,
     .item_size = sizeof(struct config_rewrite),
     SITE_LIST(rewrites, rewrite_count)},
    {.name = "headers",
     .type = OPTION_OBJECTS,
     .title = "Response headers",
     .help = "Headers to set, add or remove in this site's responses, applied in this order.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = config_header_members,
     .item_size = sizeof(struct config_header_rule),
     SITE_LIST(headers, header_count)},
    {.name = "securityHeaders",
     .type = OPTION_OBJECT,
     .title = "Security headers",
     .help =
         "Headers by which browsers protect a page's visitors, as a set. A header rule for one of "
         "them replaces or removes it.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "{}",
     .members = config_security_members},
    {.name = "downloads",
     .type = OPTION_OBJECTS,
     .title = "Downloads",
     .help = "Files that browsers save instead of showing them, and under which name "
             "(Content-Disposition). The first rule whose paths fit counts.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = config_download_members,
     .item_size = sizeof(struct config_download),
     SITE_LIST(downloads, download_count)},
    {.name = "preload",
     .type = OPTION_OBJECTS,
     .title = "Links sent ahead",
     .help = "What a page will want, said before the page (Link): with each answer that is an HTML "
             "page, and in a 103 (Early Hints) to a browser that has to wait for the disk. The "
             "first rule whose paths fit counts.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = config_preload_members,
     .item_size = sizeof(struct config_preload),
     SITE_LIST(preload, preload_count)},
    {.name = "storedCodings",
     .type = OPTION_OBJECTS,
     .title = "Files stored compressed",
     .help = "Files that are compressed on the disk and are sent as what is in them "
             "(Content-Encoding), such as Unity's .br and .gz and tiles of maps. The first rule "
             "whose paths fit counts.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = config_stored_coding_members,
     .item_size = sizeof(struct config_stored_coding),
     SITE_LIST(stored_codings, stored_coding_count)},
    {.name = "cors",
     .type = OPTION_OBJECTS,
     .title = "Pages of other origins",
     .help =
         "Which pages of other origins may read answers of this site (CORS). The first rule "
         "whose paths fit counts; where none fits nothing is said, and browsers keep such pages "
         "from reading.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = config_cors_members,
     .item_size = sizeof(struct config_cors),
     SITE_LIST(cors, cors_count)},
    {.name = "expires",
     .type = OPTION_OBJECTS,
     .title = "Caching by clients",
     .help = "How long clients may keep what they got (Cache-Control). The first rule that fits "
             "counts; a header rule goes before it.",
     .lighttpd = "expire.url",
     .default_json = "[]",
     .max_items = 64,
     .members = config_expires_members,
     .item_size = sizeof(struct config_expires),
     SITE_LIST(expires, expires_count)},
    {.name = "errorPages",
     ERROR_PAGES_FORM,
     .title = "Error pages",
     .help = "Files of this site that are sent with an error, by its status: \"404\", or \"5xx\" "
             "for all that have no page of their own.",
     .lighttpd = "server.errorfile-prefix",
     .default_json = "{}",
     SITE_LIST(error_pages, error_page_count)},
    {.name = "errorPageRules",
     .type = OPTION_OBJECTS,
     .title = "Error pages by path and language",
     .help = "Pages that go before those of errorPages for some paths, or for visitors who read "
             "some language. Of the rules that fit path and status the one whose language the "
             "visitor likes best counts, else the first without languages.",
     .default_json = "[]",
     .max_items = 64,
     .members = config_error_rule_members,
     .item_size = sizeof(struct config_error_rule),
     SITE_LIST(error_rules, error_rule_count)},
    {.name = "access",
     .type = OPTION_OBJECTS,
     .title = "Access",
     .help = "Who may have what. The first rule that fits path and client counts; where none "
             "fits, access is allowed.",
     .lighttpd = "url.access-deny",
     .default_json = "[]",
     .max_items = 256,
     .members = config_access_members,
     .item_size = sizeof(struct config_access),
     SITE_LIST(access, access_count)},
    {.name = "auth",
     .type = OPTION_OBJECTS,
     .title = "Passwords",
     .help = "Paths that need a user name and a password. The first rule that fits the path "
             "counts. Without TLS before the node a password can be read on the way.",
     .lighttpd = "auth.require",
     .default_json = "[]",
     .max_items = 64,
     .members = config_auth_members,
     .item_size = sizeof(struct config_auth),
     SITE_LIST(auth, auth_count)},
    {.name = "signedUrls",
     .type = OPTION_OBJECTS,
     .title = "Signed addresses",
     .help = "Paths that need a signature which is made with a secret and runs out.",
     .lighttpd = "secdownload.secret",
     .default_json = "[]",
     .max_items = 64,
     .members = config_signed_url_members,
     .item_size = sizeof(struct config_signed_url),
     SITE_LIST(signed_urls, signed_url_count)},
    {.name = "hotlink",
     .type = OPTION_OBJECTS,
     .title = "Links from elsewhere",
     .help = "Paths that are only sent to visitors of this site's own pages and of chosen others; "
             "for all others the answer is 403.",
     .default_json = "[]",
     .max_items = 64,
     .members = config_hotlink_members,
     .item_size = sizeof(struct config_hotlink),
     SITE_LIST(hotlink, hotlink_count)},
    {.name = "maintenance",
     .type = OPTION_OBJECTS,
     .title = "Maintenance",
     .help = "Paths, or the whole site, that are answered with 503 or 410 for now. The first rule "
             "whose paths fit counts, before all other rules.",
     .default_json = "[]",
     .max_items = 64,
     .members = config_maintenance_members,
     .item_size = sizeof(struct config_maintenance),
     SITE_LIST(maintenance, maintenance_count)},
    {.name = "requestLimits",
     .type = OPTION_OBJECTS,
     .title = "Requests of one address",
     .help = "How often one address may ask; beyond that it gets 429 with the time to wait. The "
             "first rule whose paths fit counts, and where none fits there is no limit. IPv6 is "
             "counted by networks of 64 bits.",
     .default_json = "[]",
     .max_items = 16,
     .members = config_request_limit_members,
     .item_size = sizeof(struct config_request_limit),
     SITE_LIST(request_limits, request_limit_count)},
    {.name = "accessLog",
     .type = OPTION_OBJECT,
     .title = "Access log",
     .help = "An access log of this site's own, in place of the node's.",
     .default_json = "{}",
     .members = access_log_members},
    {.name = "bytesPerSecond",
     .type = OPTION_INTEGER,
     .title = "Bandwidth of the site",
     .help = "What all connections of this site may send together. 0: no limit.",
     .lighttpd = "server.kbytes-per-second",
     .unit = "bytes per second",
     .default_json = "0",
     .max = 1024 * 1024 * MIB,
     SITE(bytes_per_second)},
    {.name = "connectionBytesPerSecond",
     .type = OPTION_INTEGER,
     .title = "Bandwidth of a connection",
     .help = "What one connection may send while it asks for this site. 0: no limit.",
     .lighttpd = "connection.kbytes-per-second",
     .unit = "bytes per second",
     .default_json = "0",
     .max = 1024 * 1024 * MIB,
     SITE(connection_bytes_per_second)},
    {0},
};

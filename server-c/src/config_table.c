/* SPDX-License-Identifier: MIT */
/* config_table.c — every option, once. Help is written for the one who sets it. */
#include "config_table.h"

#include "config.h"

#include <arpa/inet.h>
#include <string.h>

#define FIELD(type, field) .offset = offsetof(type, field), .size = sizeof(((type *)0)->field)
#define CONFIG(field) FIELD(struct config, field)
#define LIST(type, field, counter) FIELD(type, field), .count_offset = offsetof(type, counter)
#define KIB INT64_C(1024)
#define MIB (1024 * KIB)

/* Both engines take the control characters themselves: the schema has them as \u0001 and so on. */
#define ABSOLUTE_PATH "/[^\x01-\x1f\x7f]*"
#define TOKEN "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
#define HOST_LABEL "[0-9A-Za-z_]([0-9A-Za-z_-]*[0-9A-Za-z_])?"

static const char *const stat_cache_engines[] = {
    [STAT_CACHE_TTL] = "ttl", [STAT_CACHE_OFF] = "off", NULL};
static const char *const log_formats[] = {[LOG_FORMAT_COMMON] = "common",
                                          [LOG_FORMAT_COMBINED] = "combined",
                                          [LOG_FORMAT_JSON] = "json",
                                          NULL};
static const char *const log_levels[] = {[LOG_LEVEL_ERROR] = "error",
                                         [LOG_LEVEL_WARN] = "warn",
                                         [LOG_LEVEL_INFO] = "info",
                                         [LOG_LEVEL_DEBUG] = "debug",
                                         NULL};
static const char *const header_actions[] = {
    [HEADER_SET] = "set", [HEADER_ADD] = "add", [HEADER_REMOVE] = "remove", NULL};

static const char *check_address(const char *text)
{
    unsigned char binary[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, text, binary) == 1 || inet_pton(AF_INET6, text, binary) == 1)
        return NULL;
    return "is not a numeric IPv4 or IPv6 address";
}

static const char *check_optional_address(const char *text)
{
    return *text == '\0' ? NULL : check_address(text);
}

static const char *check_host(const char *text)
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

static const char *check_index_name(const char *text)
{
    if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return "names a folder";
    return NULL;
}

static const struct option listen_members[] = {
    {.name = "address",
     .type = OPTION_STRING,
     .title = "Address",
     .help = "The numeric IPv4 or IPv6 address to listen on. 0.0.0.0 means every IPv4 address, :: "
             "every IPv6 address of the machine.",
     .lighttpd = "server.bind",
     .default_json = "\"0.0.0.0\"",
     .min = 2,
     .max = 45,
     .pattern = "^[0-9A-Fa-f:.]+$",
     .form = "a numeric IPv4 or IPv6 address, such as 0.0.0.0 or ::1",
     .check = check_address,
     FIELD(struct config_listen, address)},
    {.name = "port",
     .type = OPTION_INTEGER,
     .title = "Port",
     .help = "The TCP port. 0 lets the system choose a free one, which is useful in tests.",
     .lighttpd = "server.port",
     .max = 65535,
     FIELD(struct config_listen, port)},
    {0},
};

static const struct option limits_members[] = {
    {.name = "connections",
     .type = OPTION_INTEGER,
     .title = "Open connections",
     .help =
         "Client connections open at the same time, all event loops together. When all are taken "
         "an idle one makes room, and with none idle the newcomer is answered with 503.",
     .lighttpd = "server.max-connections",
     .default_json = "8192",
     .min = 1,
     .max = 1000000,
     CONFIG(limits.connections)},
    {.name = "keepAliveRequests",
     .type = OPTION_INTEGER,
     .title = "Requests per connection",
     .help = "Requests answered on one connection before it is closed. 1 turns keep-alive off.",
     .lighttpd = "server.max-keep-alive-requests",
     .default_json = "4000",
     .min = 1,
     .max = 1000000,
     CONFIG(limits.keep_alive_requests)},
    {.name = "keepAliveIdleSeconds",
     .type = OPTION_INTEGER,
     .title = "Idle time of a kept connection",
     .help = "How long a connection may wait for its next request before it is closed.",
     .lighttpd = "server.max-keep-alive-idle",
     .unit = "seconds",
     .default_json = "30",
     .min = 1,
     .max = 3600,
     CONFIG(limits.keep_alive_idle_seconds)},
    {.name = "headerSeconds",
     .type = OPTION_INTEGER,
     .title = "Time to send a request",
     .help = "How long a client may take from the first byte of a request's head to its last.",
     .lighttpd = "server.max-read-idle",
     .unit = "seconds",
     .default_json = "10",
     .min = 1,
     .max = 600,
     CONFIG(limits.header_seconds)},
    {.name = "writeSeconds",
     .type = OPTION_INTEGER,
     .title = "Time without progress while sending",
     .help = "How long a client may take nothing of a response before its connection is closed.",
     .lighttpd = "server.max-write-idle",
     .unit = "seconds",
     .default_json = "60",
     .min = 1,
     .max = 3600,
     CONFIG(limits.write_seconds)},
    {.name = "headBytes",
     .type = OPTION_INTEGER,
     .title = "Size of a request's head",
     .help = "Longest request line and headers together; longer ones are answered with 431.",
     .lighttpd = "server.max-request-field-size",
     .unit = "bytes",
     .default_json = "16384",
     .min = 1024,
     .max = 256 * KIB,
     CONFIG(limits.head_bytes)},
    {.name = "targetBytes",
     .type = OPTION_INTEGER,
     .title = "Size of a request's target",
     .help = "Longest path and query of a request; longer ones are answered with 414.",
     .unit = "bytes",
     .default_json = "8192",
     .min = 256,
     .max = 64 * KIB,
     CONFIG(limits.target_bytes)},
    {0},
};

static const struct option stat_cache_members[] = {
    {.name = "engine",
     .type = OPTION_ENUM,
     .title = "Engine",
     .help = "\"ttl\" trusts what is known of a file for ttlMillis; \"off\" looks at the disk for "
             "every request.",
     .lighttpd = "server.stat-cache-engine",
     .default_json = "\"ttl\"",
     .words = stat_cache_engines,
     CONFIG(stat_cache.engine)},
    {.name = "ttlMillis",
     .type = OPTION_INTEGER,
     .title = "Trusted for",
     .help = "How long an entry is trusted: a change on the disk is seen after this time at the "
             "latest.",
     .unit = "milliseconds",
     .default_json = "1000",
     .min = 1,
     .max = 3600000,
     CONFIG(stat_cache.ttl_millis)},
    {.name = "maxEntries",
     .type = OPTION_INTEGER,
     .title = "Entries",
     .help = "Paths remembered, found or not, all event loops together; the least used give way.",
     .default_json = "100000",
     .min = 16,
     .max = 10000000,
     CONFIG(stat_cache.max_entries)},
    {0},
};

static const struct option file_cache_members[] = {
    {.name = "maxBytes",
     .type = OPTION_INTEGER,
     .title = "Memory for files",
     .help = "Memory for the contents of small files, all event loops together. 0 keeps none.",
     .unit = "bytes",
     .default_json = "268435456",
     .max = 1024 * 1024 * MIB,
     CONFIG(file_cache.max_bytes)},
    {.name = "maxFileBytes",
     .type = OPTION_INTEGER,
     .title = "Largest file kept in memory",
     .help = "Larger files are sent from their descriptor, out of the system's page cache.",
     .unit = "bytes",
     .default_json = "65536",
     .max = 16 * MIB,
     CONFIG(file_cache.max_file_bytes)},
    {.name = "maxOpenFiles",
     .type = OPTION_INTEGER,
     .title = "Open files",
     .help = "File descriptors kept open for files that were asked for, all event loops together.",
     .default_json = "8000",
     .min = 16,
     .max = 1000000,
     CONFIG(file_cache.max_open_files)},
    {0},
};

static const struct option io_members[] = {
    {.name = "readThreads",
     .type = OPTION_INTEGER,
     .title = "Read threads",
     .help = "Threads that read from the disk what is not in memory. \"auto\" is twice the number "
             "of disks under the roots.",
     .lighttpd = "server.max-read-threads",
     .default_json = "\"auto\"",
     .takes_auto = true,
     .min = 1,
     .max = 256,
     CONFIG(io.read_threads)},
    {.name = "statThreads",
     .type = OPTION_INTEGER,
     .title = "Look-up threads",
     .help = "Threads that look files up, apart from those that read, so that a slow disk's reads "
             "never hold up a look-up.",
     .lighttpd = "server.max-stat-threads",
     .default_json = "4",
     .min = 1,
     .max = 64,
     CONFIG(io.stat_threads)},
    {.name = "queueLength",
     .type = OPTION_INTEGER,
     .title = "Queue length",
     .help = "Jobs that may wait for the read threads, and as many for the look-up threads; what "
             "comes on top is answered with 503.",
     .default_json = "4096",
     .min = 16,
     .max = 1000000,
     CONFIG(io.queue_length)},
    {.name = "chunkBytes",
     .type = OPTION_INTEGER,
     .title = "Read size",
     .help = "How much of a large file one read takes from the disk.",
     .unit = "bytes",
     .default_json = "262144",
     .min = 4096,
     .max = 4 * MIB,
     CONFIG(io.chunk_bytes)},
    {0},
};

static const struct option access_log_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "File",
     .help = "Absolute path of the access log. Empty: no access log.",
     .lighttpd = "accesslog.filename",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     CONFIG(access_log.path)},
    {.name = "format",
     .type = OPTION_ENUM,
     .title = "Format",
     .help = "\"common\" and \"combined\" are the formats of that name that log readers know; "
             "\"json\" is one object per line.",
     .lighttpd = "accesslog.format",
     .default_json = "\"combined\"",
     .words = log_formats,
     CONFIG(access_log.format)},
    {0},
};

static const struct option error_log_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "File",
     .help = "Absolute path of the error log. Empty: standard error.",
     .lighttpd = "server.errorlog",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     CONFIG(error_log.path)},
    {.name = "level",
     .type = OPTION_ENUM,
     .title = "Level",
     .help = "The least important kind of message that is still written.",
     .default_json = "\"info\"",
     .words = log_levels,
     CONFIG(error_log.level)},
    {0},
};

static const struct option admin_members[] = {
    {.name = "address",
     .type = OPTION_STRING,
     .title = "Address",
     .help = "The numeric address where the node shows its own measurements. Empty: nowhere. "
             "There is no login there, so keep it on 127.0.0.1 or a private network.",
     .lighttpd = "status.status-url",
     .default_json = "\"\"",
     .max = 45,
     .pattern = "^[0-9A-Fa-f:.]*$",
     .form = "a numeric IPv4 or IPv6 address, or empty",
     .check = check_optional_address,
     CONFIG(admin.address)},
    {.name = "port",
     .type = OPTION_INTEGER,
     .title = "Port",
     .help = "The TCP port there. 0 lets the system choose a free one.",
     .default_json = "8081",
     .max = 65535,
     CONFIG(admin.port)},
    {0},
};

static const struct option header_members[] = {
    {.name = "action",
     .type = OPTION_ENUM,
     .title = "Action",
     .help = "\"set\" replaces the header, \"add\" sends one more, \"remove\" takes it away, the "
             "server's own among them.",
     .default_json = "\"set\"",
     .words = header_actions,
     FIELD(struct config_header_rule, action)},
    {.name = "name",
     .type = OPTION_STRING,
     .title = "Name",
     .help = "The header's name, in any case.",
     .min = 1,
     .max = 128,
     .pattern = "^" TOKEN "$",
     .form = "a header name: letters, digits and - without blanks",
     FIELD(struct config_header_rule, name)},
    {.name = "value",
     .type = OPTION_STRING,
     .title = "Value",
     .help = "The header's value. Leave it out to remove a header.",
     .default_json = "\"\"",
     .max = 4096,
     .pattern = "^([!-~]([ -~]*[!-~])?)?$",
     .form = "printable ASCII without a blank at either end",
     FIELD(struct config_header_rule, value)},
    {0},
};

static const struct option site_members[] = {
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
     .pattern = "^(\\*|(\\*\\.)?" HOST_LABEL "(\\." HOST_LABEL ")*|\\[[0-9A-Fa-f:.]+\\])$",
     .form = "a host name without port, \"*.\" and a name, an address, or \"*\"",
     .check = check_host,
     LIST(struct config_site, hosts, host_count)},
    {.name = "root",
     .type = OPTION_STRING,
     .title = "Root folder",
     .help = "Absolute path of the folder that is served. It must be on every node that gets this "
             "config.",
     .lighttpd = "server.document-root",
     .min = 1,
     .max = 1024,
     .pattern = "^" ABSOLUTE_PATH "$",
     .form = "an absolute path, which begins with \"/\"",
     FIELD(struct config_site, root)},
    {.name = "index",
     .type = OPTION_STRINGS,
     .title = "Index files",
     .help = "Names tried in this order when a folder is asked for. With none of them there the "
             "answer is 404.",
     .lighttpd = "index-file.names",
     .default_json = "[\"index.html\"]",
     .min = 1,
     .max = 255,
     .max_items = 16,
     .pattern = "^[^/\x01-\x1f\x7f]+$",
     .form = "a file name without \"/\"",
     .check = check_index_name,
     LIST(struct config_site, index, index_count)},
    {.name = "hiddenFiles",
     .type = OPTION_BOOLEAN,
     .title = "Serve hidden files",
     .help = "Whether names that begin with a dot are served; otherwise they are not found (404).",
     .default_json = "false",
     FIELD(struct config_site, hidden_files)},
    {.name = "headers",
     .type = OPTION_OBJECTS,
     .title = "Response headers",
     .help = "Headers to set, add or remove in this site's responses, applied in this order.",
     .lighttpd = "setenv.add-response-header",
     .default_json = "[]",
     .max_items = 64,
     .members = header_members,
     .item_size = sizeof(struct config_header_rule),
     LIST(struct config_site, headers, header_count)},
    {0},
};

const struct option config_table[] = {
    {.name = "listen",
     .type = OPTION_OBJECTS,
     .title = "Listening addresses",
     .help = "Where the server accepts connections.",
     .default_json = "[{\"address\": \"0.0.0.0\", \"port\": 8080}]",
     .min_items = 1,
     .max_items = 64,
     .members = listen_members,
     .item_size = sizeof(struct config_listen),
     LIST(struct config, listens, listen_count)},
    {.name = "workers",
     .type = OPTION_INTEGER,
     .title = "Event loops",
     .help = "Event loops, each a thread with its own connections. \"auto\" is one per core. "
             "Lowering it may reset connections that are being made at that moment.",
     .lighttpd = "server.max-worker",
     .default_json = "\"auto\"",
     .takes_auto = true,
     .min = 1,
     .max = 256,
     CONFIG(workers)},
    {.name = "limits",
     .type = OPTION_OBJECT,
     .title = "Limits",
     .help = "Bounds on what clients can use up.",
     .default_json = "{}",
     .members = limits_members},
    {.name = "statCache",
     .type = OPTION_OBJECT,
     .title = "Stat cache",
     .help = "What is remembered of files, so that most requests need no look at the disk.",
     .default_json = "{}",
     .members = stat_cache_members},
    {.name = "fileCache",
     .type = OPTION_OBJECT,
     .title = "File cache",
     .help = "Contents and open descriptors of files that are asked for often.",
     .default_json = "{}",
     .members = file_cache_members},
    {.name = "io",
     .type = OPTION_OBJECT,
     .title = "Disk threads",
     .help = "The threads that do what would make an event loop wait for a disk.",
     .default_json = "{}",
     .members = io_members},
    {.name = "accessLog",
     .type = OPTION_OBJECT,
     .title = "Access log",
     .help = "One line per answered request.",
     .default_json = "{}",
     .members = access_log_members},
    {.name = "errorLog",
     .type = OPTION_OBJECT,
     .title = "Error log",
     .help = "What the server has to say about itself.",
     .default_json = "{}",
     .members = error_log_members},
    {.name = "admin",
     .type = OPTION_OBJECT,
     .title = "Admin listener",
     .help = "The node's own measurements, as JSON and in Prometheus' text format.",
     .default_json = "{}",
     .members = admin_members},
    {.name = "mimeTypes",
     .type = OPTION_MAP,
     .title = "MIME types",
     .help =
         "Content types by file name suffix, added to the built-in ones and stronger than them. "
         "Of several suffixes the longest counts: \".tar.gz\" beats \".gz\".",
     .lighttpd = "mimetype.assign",
     .default_json = "{}",
     .min = 3,
     .max = 255,
     .max_items = 2000,
     .pattern = "^" TOKEN "/" TOKEN "( *; *" TOKEN "=(" TOKEN "|\"[ !#-~]*\"))*$",
     .form = "a media type, such as \"text/html; charset=utf-8\"",
     .key_pattern = "^\\.[0-9a-z_+-]([0-9a-z_.+-]{0,28}[0-9a-z_+-])?$",
     .key_form = "a suffix in lower case, such as \".html\"",
     LIST(struct config, mimes, mime_count)},
    {.name = "sites",
     .type = OPTION_OBJECTS,
     .title = "Sites",
     .help = "The sites served: which names, from which folder.",
     .min_items = 1,
     .max_items = 1000,
     .members = site_members,
     .item_size = sizeof(struct config_site),
     LIST(struct config, sites, site_count)},
    {0},
};

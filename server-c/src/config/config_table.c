/* SPDX-License-Identifier: MIT */
/* config_table.c — every option, described once: the top level. The rows of larger parts are in
 * config_table_limits.c, config_table_site.c and config_table_rules.c. Help texts are for the
 * person who sets the option. */
#include "config/config_table.h"

#include "config/config_table_rows.h"
#include "config/log_target.h"

#include <arpa/inet.h>

/* A name in the system's user database. */
#define ACCOUNT "[0-9A-Za-z_][0-9A-Za-z_.-]*"

static const char *const defer_accept_words[] = {[DEFER_ACCEPT_AUTO] = "auto",
                                                 [DEFER_ACCEPT_ALWAYS] = "always",
                                                 [DEFER_ACCEPT_NEVER] = "never",
                                                 NULL};
static const char *const proxy_fields[] = {
    [PROXY_FIELD_X_FORWARDED_FOR] = "X-Forwarded-For", [PROXY_FIELD_FORWARDED] = "Forwarded", NULL};
static const char *const tls_profiles[] = {
    [TLS_PROFILE_INTERMEDIATE] = "intermediate", [TLS_PROFILE_MODERN] = "modern", NULL};
static const char *const log_levels[] = {[LOG_LEVEL_ERROR] = "error",
                                         [LOG_LEVEL_WARN] = "warn",
                                         [LOG_LEVEL_INFO] = "info",
                                         [LOG_LEVEL_DEBUG] = "debug",
                                         NULL};

const char *config_row_check_address(const char *text)
{
    unsigned char binary[sizeof(struct in6_addr)];

    if (inet_pton(AF_INET, text, binary) == 1 || inet_pton(AF_INET6, text, binary) == 1)
        return NULL;
    return "is not a numeric IPv4 or IPv6 address";
}

static const char *check_optional_address(const char *text)
{
    return *text == '\0' ? NULL : config_row_check_address(text);
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
     .check = config_row_check_address,
     .hint = config_row_hint_address,
     FIELD(struct config_listen, address)},
    {.name = "port",
     .type = OPTION_INTEGER,
     .title = "Port",
     .help = "The TCP port. 0 lets the system choose a free one, which is useful in tests.",
     .lighttpd = "server.port",
     .default_json = "8080",
     .max = 65535,
     FIELD(struct config_listen, port)},
    {.name = "socket",
     .type = OPTION_STRING,
     .title = "Unix socket",
     .help = "Absolute path of a Unix socket to listen on, in place of an address and a port. "
             "Empty: none.",
     .lighttpd = "server.bind",
     .default_json = "\"\"",
     .max = 107,
     .pattern = "^(/[^" CONTROLS "]*[^/" CONTROLS "])?$",
     .form = "an absolute path that does not end with \"/\", or empty",
     FIELD(struct config_listen, socket)},
    {.name = "socketMode",
     .type = OPTION_STRING,
     .title = "Mode of the Unix socket",
     .help = "Who may connect to the Unix socket, as an octal file mode: \"0660\" is its owner and "
             "group, \"0666\" everybody on the machine.",
     .default_json = "\"0660\"",
     .min = 1,
     .max = 16,
     .pattern = "^0?[0-7][0-7][0-7]$",
     .form = "an octal file mode, such as \"0660\"",
     FIELD(struct config_listen, socket_mode)},
    {.name = "deferAccept",
     .type = OPTION_ENUM,
     .title = "Accept with the first bytes",
     .help = "When the node learns of a connection only with its first bytes (TCP_DEFER_ACCEPT), "
             "which is cheaper where many connections are made. One that says nothing is then in "
             "no limit, time-out or count for its first second, and is reset when a new config "
             "takes the address away. \"auto\" is while an event loop accepts some 256 connections "
             "a second or more and nearly all of them speak.",
     .lighttpd = "server.defer-accept",
     .default_json = "\"auto\"",
     .words = defer_accept_words,
     FIELD(struct config_listen, defer_accept)},
    {.name = "tls",
     .type = OPTION_BOOLEAN,
     .title = "HTTPS",
     .help = "Whether clients speak TLS here. The site that a client asks for shows its "
             "certificate; a client that names no site, or one without certificates, is shown "
             "that of the site \"*\", or of the first site that has any.",
     .lighttpd = "ssl.engine",
     .default_json = "false",
     FIELD(struct config_listen, tls)},
    {.name = "proxyProtocol",
     .type = OPTION_BOOLEAN,
     .title = "PROXY protocol",
     .help = "Whether each connection begins with a header of the PROXY protocol (version 1 or 2), "
             "in which a load balancer says for which client it is. It has to: a connection "
             "without one is closed, and so is one from an address that is not in trustedProxies. "
             "Access rules, limits for addresses and the access log go by that client, and by "
             "what trustedProxyField says if that client is a trusted proxy itself.",
     .lighttpd = "extforward.hap-PROXY",
     .default_json = "false",
     FIELD(struct config_listen, proxy_protocol)},
    {0},
};

static const struct option tls_members[] = {
    {.name = "profile",
     .type = OPTION_ENUM,
     .title = "Profile",
     .help = "Which clients can connect, by the names of Mozilla's guide: \"intermediate\" is TLS "
             "1.2 and 1.3, for all but very old clients; \"modern\" is TLS 1.3 alone.",
     .lighttpd = "ssl.openssl.ssl-conf-cmd",
     .default_json = "\"intermediate\"",
     .words = tls_profiles,
     CONFIG(tls.profile)},
    {0},
};

static const struct option releases_members[] = {
    {.name = "storeMaxBytes",
     .type = OPTION_INTEGER,
     .title = "Room for releases",
     .help = "What the contents of all versions that are kept may take on the disk, each once. A "
             "release that needs more is refused, and the node serves on what it has.",
     .unit = "bytes",
     .default_json = "21474836480",
     .min = 1024 * 1024,
     .max = INT64_C(109951162777600),
     CONFIG(releases.store_max_bytes)},
    {.name = "keep",
     .type = OPTION_INTEGER,
     .title = "Versions kept",
     .help = "How many versions of each release stay beside the one that is served, so that going "
             "back needs no transfer.",
     .default_json = "3",
     .max = 20,
     CONFIG(releases.keep)},
    {.name = "maxBytesPerSecond",
     .type = OPTION_INTEGER,
     .title = "Rate of fetching",
     .help = "How fast the node gets a release at most, so that visitors keep their share of its "
             "network. 0: no limit.",
     .unit = "bytes per second",
     .default_json = "0",
     .max = INT64_C(1099511627776),
     CONFIG(releases.max_bytes_per_second)},
    {.name = "scrubBytesPerSecond",
     .type = OPTION_INTEGER,
     .title = "Rate of comparing",
     .help = "How fast the node reads what lies on its disk of releases and compares it with its "
             "SHA-256, so that a byte that a disk has changed is found before a visitor finds it. "
             "0: not at all.",
     .unit = "bytes per second",
     .default_json = "4194304",
     .max = INT64_C(1099511627776),
     CONFIG(releases.scrub_bytes_per_second)},
    {.name = "scrubEverySeconds",
     .type = OPTION_INTEGER,
     .title = "Time between two rounds",
     .help = "How often all of it is compared. A round that takes longer is followed by the next.",
     .unit = "seconds",
     .default_json = "604800",
     .min = 1,
     .max = 31536000,
     CONFIG(releases.scrub_every_seconds)},
    {0},
};

static const struct option process_members[] = {
    {.name = "user",
     .type = OPTION_STRING,
     .title = "User",
     .help = "The user to become after the ports are opened, when the node is started as root. "
             "Empty: stay who it is.",
     .lighttpd = "server.username",
     .takes_effect_at_start = true,
     .default_json = "\"\"",
     .max = 64,
     .pattern = "^(" ACCOUNT ")?$",
     .form = "a user's name, or empty",
     CONFIG(process.user)},
    {.name = "group",
     .type = OPTION_STRING,
     .title = "Group",
     .help = "The group to take with it. Empty: the user's own group.",
     .lighttpd = "server.groupname",
     .takes_effect_at_start = true,
     .default_json = "\"\"",
     .max = 64,
     .pattern = "^(" ACCOUNT ")?$",
     .form = "a group's name, or empty",
     CONFIG(process.group)},
    {.name = "chroot",
     .type = OPTION_STRING,
     .title = "Root of the file system",
     .help =
         "Absolute path of a folder to lock the node into when it is started as root. All other "
         "paths of this config but that of the PID file are then named as seen from there. "
         "Empty: none. Not for nodes that a control plane manages.",
     .lighttpd = "server.chroot",
     .takes_effect_at_start = true,
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     CONFIG(process.chroot)},
    {.name = "pidFile",
     .type = OPTION_STRING,
     .title = "PID file",
     .help = "Absolute path of a file to write the process number to. Empty: none.",
     .lighttpd = "server.pid-file",
     .takes_effect_at_start = true,
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     CONFIG(process.pid_file)},
    {0},
};

const char *config_row_check_log_target(const char *text)
{
    struct log_target target;

    return log_target_parse(&target, text)
               ? NULL
               : "has no numeric address with a port, or too long a path";
}

static const struct option access_log_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "Where to",
     .help = "Absolute path of the access log; \"stdout\" or \"stderr\", for the journal or a "
             "container's log; or syslog (RFC 5424): \"syslog:/dev/log\" for a Unix socket, "
             "\"syslog:192.0.2.7:514\" by UDP. Empty: no access log.",
     .lighttpd = "accesslog.filename",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^" LOG_TARGET "?$",
     .form = LOG_TARGET_FORM ", or empty",
     .check = config_row_check_log_target,
     CONFIG(access_log.path)},
    ACCESS_LOG_ROWS(struct config),
    {0},
};

static const struct option error_log_members[] = {
    {.name = "path",
     .type = OPTION_STRING,
     .title = "Where to",
     .help =
         "Absolute path of the error log, \"stdout\", or syslog as for accessLog. Empty: standard "
         "error.",
     .lighttpd = "server.errorlog",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^" LOG_TARGET "?$",
     .form = LOG_TARGET_FORM ", or empty",
     .check = config_row_check_log_target,
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
     .hint = config_row_hint_address,
     CONFIG(admin.address)},
    {.name = "port",
     .type = OPTION_INTEGER,
     .title = "Port",
     .help = "The TCP port there. 0 lets the system choose a free one.",
     .default_json = "8081",
     .max = 65535,
     CONFIG(admin.port)},
    {.name = "hosts",
     .type = OPTION_STRINGS,
     .title = "Host names",
     .help =
         "Names by which it may be asked for besides IP addresses, localhost and the machine's own "
         "name, such as the service names that Prometheus uses in Kubernetes or Compose; "
         "\"*.farm.svc\" is every name that ends in \".farm.svc\". Others are refused, so that "
         "no web page can read this with a name that it has point here.",
     .default_json = "[]",
     .min = 1,
     .max = 253,
     .max_items = 64,
     .pattern = "^((\\*\\.)?" HOST_NAME ")$",
     .form = "a host name without port, \"*.\" and a name, or an address",
     .check = config_row_check_host,
     .hint = config_row_hint_host,
     LIST(struct config, admin.hosts, admin.host_count)},
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
     .help = "Event loops, each a thread with its own connections. \"auto\" is one per core, as "
             "far as a control group's quota of processor time (rounded up) and 16 MiB of memory "
             "for each allow. "
             "Lowering it may reset connections that are being made at that moment.",
     .lighttpd = "server.max-worker",
     .default_json = "\"auto\"",
     .takes_auto = true,
     .min = 1,
     .max = 256,
     CONFIG(workers)},
    {.name = "http2",
     .type = OPTION_BOOLEAN,
     .title = "HTTP/2",
     .help =
         "Whether HTTP/2 is spoken with clients that begin with it, beside HTTP/1.1 at the same "
         "addresses; otherwise they are answered with 505.",
     .lighttpd = "server.h2proto",
     .default_json = "true",
     CONFIG(http2)},
    {.name = "process",
     .type = OPTION_OBJECT,
     .title = "Process",
     .help = "As whom and where the node runs. Taken when it starts.",
     .default_json = "{}",
     .members = process_members},
    {.name = "limits",
     .type = OPTION_OBJECT,
     .title = "Limits",
     .help = "Bounds on what clients can use up.",
     .default_json = "{}",
     .members = config_limits_members},
    {.name = "tls",
     .type = OPTION_OBJECT,
     .title = "TLS",
     .help = "What holds for all addresses where clients speak TLS.",
     .default_json = "{}",
     .members = tls_members},
    {.name = "statCache",
     .type = OPTION_OBJECT,
     .title = "Stat cache",
     .help = "What is remembered of files, so that most requests need no look at the disk.",
     .default_json = "{}",
     .members = config_stat_cache_members},
    {.name = "fileCache",
     .type = OPTION_OBJECT,
     .title = "File cache",
     .help = "Contents and open descriptors of files that are asked for often.",
     .default_json = "{}",
     .members = config_file_cache_members},
    {.name = "compression",
     .type = OPTION_OBJECT,
     .title = "Compression",
     .help =
         "Files that are compressed when clients ask for them. Whoever asks first gets the file "
         "as it is; a compressed copy is then made and kept for those after. Copies that lie "
         "beside a file (precompressed) go before.",
     .default_json = "{}",
     .members = config_compression_members},
    {.name = "releases",
     .type = OPTION_OBJECT,
     .title = "Releases",
     .help = "How the node keeps the releases that its sites serve.",
     .default_json = "{}",
     .members = releases_members},
    {.name = "io",
     .type = OPTION_OBJECT,
     .title = "Disk threads",
     .help = "The threads that do what would make an event loop wait for a disk.",
     .default_json = "{}",
     .members = config_io_members},
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
    {.name = "samples",
     .type = OPTION_OBJECT,
     .title = "Sampled requests",
     .help = "Requests that are kept one by one, each with the time that every stage of it took. "
             "The admin listener shows them at /samples, where nothing says who asked or for what. "
             "The control plane is told the slowest, and some of all while somebody looks, with "
             "their path; never who asked.",
     .default_json = "{}",
     .members = config_samples_members},
    {.name = "trustedProxies",
     .type = OPTION_STRINGS,
     .title = "Trusted proxies",
     .help = "Addresses and blocks of the proxies in front of this node, such as 10.0.0.0/8, and "
             "\"unix\" for one that connects to a Unix socket. What one of them says in "
             "trustedProxyField of the client that it asks for is believed: access rules and the "
             "access log go by that client, and limits.connectionsPerAddress does not count the "
             "proxy's connections. From anybody else the field changes nothing.",
     .default_json = "[]",
     .min = 2,
     .max = 49,
     .max_items = 256,
     .pattern = "^([0-9A-Fa-f:.]+(/[0-9]+)?|unix)$",
     .form = "an address or a block of them, such as 192.0.2.7 or 2001:db8::/32, or \"unix\"",
     .check = config_row_check_proxy,
     LIST(struct config, trusted_proxies, trusted_proxy_count)},
    {.name = "trustedProxyField",
     .type = OPTION_ENUM,
     .title = "Field with the client's address",
     .help =
         "The request field in which trusted proxies say whom they ask for. They must set or add "
         "to it themselves: what they pass on unread from a client is a client's word. Of several "
         "addresses in it the last that is no trusted proxy's counts.",
     .default_json = "\"X-Forwarded-For\"",
     .words = proxy_fields,
     CONFIG(trusted_proxy_field)},
    {.name = "admin",
     .type = OPTION_OBJECT,
     .title = "Admin listener",
     .help = "The node's own measurements: a page for people, JSON, and Prometheus' formats.",
     .default_json = "{}",
     .members = admin_members},
    {.name = "defaultType",
     .type = OPTION_STRING,
     .title = "Default MIME type",
     .help = "The content type of a file whose suffix no list has.",
     .default_json = "\"application/octet-stream\"",
     .min = 3,
     .max = 255,
     .pattern = "^" MEDIA_TYPE "$",
     .form = "a media type, such as \"text/html; charset=utf-8\"",
     CONFIG(default_type)},
    {.name = "charset",
     .type = OPTION_STRING,
     .title = "Character set",
     .help = "The charset that is named with a text type which names none itself. Empty: none is "
             "named.",
     .default_json = "\"utf-8\"",
     .max = 40,
     .pattern = "^[0-9A-Za-z._+-]*$",
     .form = "a charset's name, such as \"utf-8\", or empty",
     CONFIG(charset)},
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
     .pattern = "^" MEDIA_TYPE "$",
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
     .members = config_site_members,
     .item_size = sizeof(struct config_site),
     LIST(struct config, sites, site_count)},
    {0},
};

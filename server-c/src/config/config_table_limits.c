/* SPDX-License-Identifier: MIT */
/* config_table_limits.c — the rows of `limits`, `statCache`, `fileCache`, `io` and `samples`. */
#include "config/config_table_rows.h"

static const char *const stat_cache_engines[] = {
    [STAT_CACHE_TTL] = "ttl", [STAT_CACHE_INOTIFY] = "inotify", [STAT_CACHE_OFF] = "off", NULL};

const struct option config_limits_members[] = {
    {.name = "connections",
     .type = OPTION_INTEGER,
     .title = "Open connections",
     .help =
         "Client connections open at the same time, all event loops together. When all are taken "
         "one makes room that has never said a word, else one that idles; with neither the "
         "newcomer is answered with 503. Left out, fewer where the process may have too few "
         "descriptors or too little memory for so many.",
     .lighttpd = "server.max-connections",
     .default_json = "8192",
     .fit = FIT_CONNECTIONS,
     .min = 1,
     .max = 1000000,
     CONFIG(limits.connections)},
    {.name = "connectionsPerAddress",
     .type = OPTION_INTEGER,
     .title = "Open connections of one address",
     .help =
         "Connections that one client address may have open at the same time (an IPv6 client is "
         "its /64 network); one more is answered with 503. \"auto\" is half of connections for "
         "each "
         "address: no limit while less than a quarter of them is open, then another quarter, at "
         "least 50, and no limit for clients on this host. 0: as many as there are, right behind "
         "a proxy on another host.",
     .lighttpd = "evasive.max-conns-per-ip",
     .default_json = "\"auto\"",
     .takes_auto = true,
     .auto_value = CONFIG_AUTO_PER_ADDRESS,
     .max = 1000000,
     CONFIG(limits.connections_per_address)},
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
    {.name = "minBytesPerSecond",
     .type = OPTION_INTEGER,
     .title = "Slowest client",
     .help =
         "A client that takes a response more slowly than this for the whole of writeSeconds is "
         "let go, so that nobody holds a connection by reading a byte now and then. 0: any rate "
         "will do.",
     .unit = "bytes per second",
     .default_json = "100",
     .max = MIB,
     CONFIG(limits.min_bytes_per_second)},
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
    {.name = "bodyBytes",
     .type = OPTION_INTEGER,
     .title = "Size of a request's body",
     .help = "Longest request body that is read, and thrown away, to keep the connection. After a "
             "longer one the connection is closed.",
     .lighttpd = "server.max-request-size",
     .unit = "bytes",
     .default_json = "65536",
     .max = 1024 * MIB,
     CONFIG(limits.body_bytes)},
    {.name = "http2Streams",
     .type = OPTION_INTEGER,
     .title = "Requests at the same time",
     .help = "Requests that may be under way at the same time on one connection of HTTP/2. Clients "
             "are told and keep to it; the connection of one that does not ends. Each takes about "
             "3 KB.",
     .default_json = "128",
     .min = 1,
     .max = 1000,
     CONFIG(limits.http2_streams)},
    {0},
};

const struct option config_stat_cache_members[] = {
    {.name = "engine",
     .type = OPTION_ENUM,
     .title = "Engine",
     .help = "\"ttl\" trusts what is known of a file for ttlMillis. \"inotify\" trusts it until "
             "the kernel reports a change, which is seen within 100 ms; what the kernel reports "
             "nothing of (links, mounts, network file systems, the root itself) is trusted for "
             "ttlMillis, and everything is looked up again after 60 s. \"off\" looks at the disk "
             "for every request.",
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
     .help = "Paths remembered, found or not, all event loops together; the least used give way. "
             "Left out, no more than take an eighth of the memory that the process may have.",
     .default_json = "100000",
     .fit = FIT_CACHE_ENTRIES,
     .min = 16,
     .max = 10000000,
     CONFIG(stat_cache.max_entries)},
    {.name = "maxWatches",
     .type = OPTION_INTEGER,
     .title = "Watched folders",
     .help =
         "Folders watched by the engine \"inotify\", all event loops together; each loop "
         "watches for itself. What lies in others is trusted for ttlMillis. A watch takes about "
         "1 KB of the kernel's memory.",
     .default_json = "65536",
     .min = 1,
     .max = 10000000,
     CONFIG(stat_cache.max_watches)},
    {0},
};

const struct option config_file_cache_members[] = {
    {.name = "maxBytes",
     .type = OPTION_INTEGER,
     .title = "Memory for files",
     .help =
         "Memory for the contents of small files, all event loops together. 0 keeps none. What a "
         "lower value frees, the process keeps for its next use; the machine has it back after "
         "a restart. Left out, at most a quarter of the memory that the process may have.",
     .unit = "bytes",
     .default_json = "268435456",
     .fit = FIT_CACHE_BYTES,
     .max = 1024 * 1024 * MIB,
     CONFIG(file_cache.max_bytes)},
    {.name = "maxFileBytes",
     .type = OPTION_INTEGER,
     .title = "Largest file kept in memory",
     .help = "Larger files are sent from their descriptor, out of the system's page cache. Files "
             "of more than 64 KiB are kept from the second request on.",
     .unit = "bytes",
     .default_json = "262144",
     .max = 16 * MIB,
     CONFIG(file_cache.max_file_bytes)},
    {.name = "maxOpenFiles",
     .type = OPTION_INTEGER,
     .title = "Open files",
     .help = "File descriptors kept open for files that were asked for, all event loops together. "
             "Left out, fewer where the process may have too few descriptors.",
     .default_json = "8000",
     .fit = FIT_OPEN_FILES,
     .min = 16,
     .max = 1000000,
     CONFIG(file_cache.max_open_files)},
    {0},
};

const struct option config_io_members[] = {
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
     .help = "Jobs that may wait for the read threads, and as many for the look-up threads; a "
             "request that comes on top is answered with 503. A response that was let in always "
             "gets its next read.",
     .default_json = "4096",
     .min = 16,
     .max = 1000000,
     CONFIG(io.queue_length)},
    {.name = "chunkBytes",
     .type = OPTION_INTEGER,
     .title = "Read size",
     .help = "How much of a large file the first read takes from the disk. Later ones of the same "
             "response take up to four times as much.",
     .unit = "bytes",
     .default_json = "262144",
     .min = 4096,
     .max = 4 * MIB,
     CONFIG(io.chunk_bytes)},
    {.name = "timeoutSeconds",
     .type = OPTION_INTEGER,
     .title = "Time to wait for a disk",
     .help = "How long a request may wait for a disk before it is given up: answered with 503, or "
             "cut off when its response has begun.",
     .unit = "seconds",
     .default_json = "30",
     .min = 1,
     .max = 600,
     CONFIG(io.timeout_seconds)},
    {0},
};

const struct option config_samples_members[] = {
    {.name = "everyRequests",
     .type = OPTION_INTEGER,
     .title = "One in so many requests",
     .help = "One request in so many is kept, on average: which one is left to chance. 1 keeps "
             "each. 0: none but the slow ones.",
     .default_json = "1000",
     .max = 1000000000,
     CONFIG(samples.every_requests)},
    {.name = "slowerThanMillis",
     .type = OPTION_INTEGER,
     .title = "Each slow request",
     .help = "Each request that takes this long from the last byte of its head to the last byte of "
             "its response is kept, also when its client gave up. 0: none for being slow.",
     .unit = "milliseconds",
     .default_json = "1000",
     .max = 3600000,
     CONFIG(samples.slower_than_millis)},
    {.name = "keep",
     .type = OPTION_INTEGER,
     .title = "Samples kept",
     .help = "How many samples are kept, all event loops together: as many slow ones, and as many "
             "of the others; the oldest give way. Each takes about 100 bytes.",
     .default_json = "1000",
     .min = 16,
     .max = 10000,
     CONFIG(samples.keep)},
    {.name = "maskPaths",
     .type = OPTION_STRINGS,
     .title = "Parts of paths that are hidden",
     .help =
         "Single requests are told to the control plane with their path, never with their query. "
         "Of a path that begins as one of these patterns do, the segments for which the pattern "
         "has a wildcard are replaced by \"***\": \"/users/*\" makes \"/users/ana/photos\" "
         "into \"/users/***/photos\". \"*\" is any bytes of a segment, \"?\" one, and "
         "\"**\" as a segment hides all that follows: \"/**\" hides every path.",
     .default_json = "[]",
     .min = 1,
     .max = 512,
     .max_items = 64,
     .pattern = "^/[^" CONTROLS "]*$",
     .form = "a pattern that begins with \"/\", such as \"/users/*\"",
     LIST(struct config, samples.mask_paths, samples.mask_path_count)},
    {0},
};

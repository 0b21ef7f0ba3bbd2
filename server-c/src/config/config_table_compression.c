/* SPDX-License-Identifier: MIT */
/* config_table_compression.c — the rows of `compression`. */
#include "config/config_table_rows.h"

static const struct option level_members[] = {
    {.name = "br",
     .type = OPTION_INTEGER,
     .title = "Brotli",
     .help = "How much time brotli takes for a smaller copy.",
     .default_json = "6",
     .min = 1,
     .max = 11,
     CONFIG(compression.levels.br)},
    {.name = "zstd",
     .type = OPTION_INTEGER,
     .title = "Zstandard",
     .help = "How much time Zstandard takes for a smaller copy.",
     .default_json = "12",
     .min = 1,
     .max = 19,
     CONFIG(compression.levels.zstd)},
    {.name = "gzip",
     .type = OPTION_INTEGER,
     .title = "GNU zip",
     .help = "How much time gzip takes for a smaller copy.",
     .lighttpd = "deflate.params",
     .default_json = "9",
     .min = 1,
     .max = 12,
     CONFIG(compression.levels.gzip)},
    {0},
};

const struct option config_compression_members[] = {
    {.name = "cacheFolder",
     .type = OPTION_STRING,
     .title = "Folder for copies",
     .help =
         "Absolute path of a folder for compressed copies of files that clients asked for. It is "
         "made if it is not there, must belong to the node's user alone and must not be served. "
         "Without a usable folder files are sent as they are. Empty: nothing is compressed.",
     .lighttpd = "deflate.cache-dir",
     .default_json = "\"\"",
     .max = 1024,
     .pattern = "^(" ABSOLUTE_PATH ")?$",
     .form = "an absolute path, or empty",
     CONFIG(compression.cache_folder)},
    {.name = "maxBytes",
     .type = OPTION_INTEGER,
     .title = "Room for copies",
     .help = "What the copies in the folder may take. When there is no more room, those go that "
             "were not sent for the longest time; copies sent within ten minutes stay.",
     .unit = "bytes",
     .default_json = "268435456",
     .min = 16 * MIB,
     .max = 1024 * 1024 * MIB,
     CONFIG(compression.max_bytes)},
    {.name = "types",
     .type = OPTION_STRINGS,
     .title = "Media types",
     .help = "Files of which types are compressed: \"text/css\", or \"text/*\" for a whole kind, "
             "without parameters. Those of pictures, films, music and archives are compressed "
             "already.",
     .lighttpd = "deflate.mimetypes",
     .default_json =
         "[\"text/*\", \"application/javascript\", \"application/json\", "
         "\"application/x-ndjson\", \"application/geo+json\", \"application/ld+json\", "
         "\"application/manifest+json\", \"application/xml\", \"application/xhtml+xml\", "
         "\"application/atom+xml\", \"application/rss+xml\", \"application/wasm\", "
         "\"application/vnd.ms-fontobject\", \"font/otf\", \"font/ttf\", \"image/svg+xml\", "
         "\"image/x-icon\", \"image/bmp\"]",
     .min = 3,
     .max = 127,
     .min_items = 1,
     .max_items = 256,
     .pattern = MEDIA_RANGE,
     .form = "a media type without parameters, such as \"text/css\" or \"text/*\"",
     LIST(struct config, compression.types, compression.type_count)},
    {.name = "minFileBytes",
     .type = OPTION_INTEGER,
     .title = "Smallest file",
     .help = "Smaller files are sent as they are.",
     .lighttpd = "deflate.min-compress-size",
     .unit = "bytes",
     .default_json = "1024",
     .min = 1,
     .max = 16 * MIB,
     CONFIG(compression.min_file_bytes)},
    {.name = "maxFileBytes",
     .type = OPTION_INTEGER,
     .title = "Largest file",
     .help = "Larger files are sent as they are: a file and its copy are in memory while it is "
             "compressed.",
     .lighttpd = "deflate.max-compress-size",
     .unit = "bytes",
     .default_json = "8388608",
     .min = 1,
     .max = 16 * MIB,
     CONFIG(compression.max_file_bytes)},
    {.name = "levels",
     .type = OPTION_OBJECT,
     .title = "Levels",
     .help = "Each state of a file is compressed once, so high levels cost less than they seem to.",
     .default_json = "{}",
     .members = level_members},
    {0},
};

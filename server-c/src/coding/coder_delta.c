/* SPDX-License-Identifier: MIT */
/* coder_delta.c — the dictionary is what zstd calls a prefix: bytes that seem to precede the input. */
#include "coding/coder_delta.h"

#include "base/mem.h"
#include "coding/coder_parts.h"

#include <string.h>

#define WINDOW_LEAST 10
#define WINDOW_MOST 23 /* 8 MiB: for each client, whatever the dictionary */

/* The least window that reaches from the end of the input to the beginning of the dictionary, as far as clients
 * have to go along (RFC 9842 section 5). */
static int window_of(size_t dictionary, size_t in)
{
    int window = WINDOW_LEAST;

    while ((size_t)1 << window < dictionary + in &&
           (window < WINDOW_MOST || (size_t)1 << (window + 1) <= dictionary + dictionary / 4))
        window++;
    return window;
}

/* Long matches are looked for by themselves: most of the input is one. A wrong dictionary of the same length would give
 * wrong bytes; with a checksum it gives none. */
static bool prepare(ZSTD_CCtx *context, int level, const struct coder_dictionary *dictionary,
                    struct span in)
{
    int window = window_of(dictionary->bytes.len, in.len);

    return !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)) &&
           !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, in.len)) &&
           !ZSTD_isError(
               ZSTD_CCtx_refPrefix(context, dictionary->bytes.ptr, dictionary->bytes.len));
}

enum coder_end coder_delta(int level, const struct coder_dictionary *dictionary, struct span in,
                           char *out, size_t cap, size_t *len, const atomic_bool *stop)
{
    /* A skippable frame of zstd, whose content is the hash: tools pass over it. */
    static const char magic[] = {0x5e, 0x2a, 0x4d, 0x18, 0x20, 0, 0, 0};
    ZSTD_CCtx *context;
    enum coder_end end = CODER_NO_MEMORY;

    CHECK(level >= 1 && level <= coder_max_level(CODING_DCZ) && in.len <= CODER_MAX_BYTES &&
          dictionary->bytes.len <= CODER_MAX_BYTES);
    if (cap <= CODER_DELTA_HEAD_BYTES)
        return CODER_NO_ROOM;
    context = ZSTD_createCCtx();
    if (!context)
        return CODER_NO_MEMORY;
    memcpy(out, magic, sizeof(magic));
    memcpy(out + sizeof(magic), dictionary->hash, CODER_DICTIONARY_HASH_BYTES);
    if (prepare(context, level, dictionary, in))
        end = coder_run_zstd(context, in, out + CODER_DELTA_HEAD_BYTES,
                             cap - CODER_DELTA_HEAD_BYTES, len, stop);
    ZSTD_freeCCtx(context);
    *len += CODER_DELTA_HEAD_BYTES;
    return end;
}

uint32_t coder_delta_mark(int level)
{
    char *sample = xmalloc(CODER_SAMPLE_BYTES), *made = xmalloc(CODER_SAMPLE_BYTES);
    struct span in = {sample, CODER_SAMPLE_BYTES};
    struct coder_dictionary dictionary = {.bytes = {sample, CODER_SAMPLE_BYTES / 2}};
    size_t len = 0;
    uint32_t mark;

    coder_write_sample(sample, CODER_SAMPLE_BYTES);
    if (coder_delta(level, &dictionary, in, made, CODER_SAMPLE_BYTES, &len, NULL) != CODER_DONE)
        len = 0;
    mark = coder_number_of(made, len);
    free(made);
    free(sample);
    return mark;
}

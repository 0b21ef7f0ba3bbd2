/* SPDX-License-Identifier: MIT */
/* coder.c — the three libraries behind one function. brotli and zstd get their input in pieces, so
 * that a process that ends need not wait for them; libdeflate takes all of it, and is fast. */
#include "coding/coder.h"

#include "base/mem.h"
#include "coding/coder_parts.h"

#include <brotli/encode.h>
#include <libdeflate.h>

#define PIECE_BYTES ((size_t)65536)
#define BROTLI_WINDOW 22
#define BROTLI_BLOCK 16 /* PIECE_BYTES as a power of two: brotli would collect four of them */

static const int max_levels[CODING_COUNT] = {
    [CODING_BR] = BROTLI_MAX_QUALITY,
    [CODING_ZSTD] = 19, /* beyond it windows are larger than 8 MiB */
    [CODING_DCZ] = 19,
    [CODING_GZIP] = 12,
};

int coder_max_level(enum http_coding coding)
{
    return max_levels[coding];
}

static bool is_stopped(const atomic_bool *stop)
{
    return stop && atomic_load_explicit(stop, memory_order_relaxed);
}

/* --- gzip ------------------------------------------------------------------------------------ */

static enum coder_end make_gzip(int level, struct span in, char *out, size_t cap, size_t *len)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);

    if (!compressor)
        return CODER_NO_MEMORY;
    *len = libdeflate_gzip_compress(compressor, in.ptr, in.len, out, cap);
    libdeflate_free_compressor(compressor);
    return *len > 0 ? CODER_DONE : CODER_NO_ROOM;
}

/* --- br -------------------------------------------------------------------------------------- */

static enum coder_end run_brotli(BrotliEncoderState *state, struct span in, char *out, size_t cap,
                                 size_t *len, const atomic_bool *stop)
{
    const uint8_t *next_in = (const uint8_t *)in.ptr;
    uint8_t *next_out = (uint8_t *)out;
    size_t left = in.len, room = cap;

    while (!BrotliEncoderIsFinished(state)) {
        size_t piece = left < PIECE_BYTES ? left : PIECE_BYTES, rest = left - piece;
        if (is_stopped(stop))
            return CODER_STOPPED;
        if (!BrotliEncoderCompressStream(
                state, rest == 0 ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS, &piece,
                &next_in, &room, &next_out, NULL))
            return CODER_NO_MEMORY;
        left = rest + piece;
        if (room == 0 && BrotliEncoderHasMoreOutput(state))
            return CODER_NO_ROOM;
    }
    *len = cap - room;
    return CODER_DONE;
}

static enum coder_end make_brotli(int level, struct span in, char *out, size_t cap, size_t *len,
                                  const atomic_bool *stop)
{
    BrotliEncoderState *state = BrotliEncoderCreateInstance(NULL, NULL, NULL);
    enum coder_end end;

    if (!state)
        return CODER_NO_MEMORY;
    BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, (uint32_t)level);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_LGWIN, BROTLI_WINDOW);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_LGBLOCK, BROTLI_BLOCK);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_MODE, BROTLI_MODE_TEXT);
    BrotliEncoderSetParameter(state, BROTLI_PARAM_SIZE_HINT, (uint32_t)in.len);
    end = run_brotli(state, in, out, cap, len, stop);
    BrotliEncoderDestroyInstance(state);
    return end;
}

/* --- zstd ------------------------------------------------------------------------------------ */

enum coder_end coder_run_zstd(ZSTD_CCtx *context, struct span in, char *out, size_t cap,
                              size_t *len, const atomic_bool *stop)
{
    ZSTD_outBuffer to = {out, cap, 0};
    size_t done = 0, left = 1;

    while (left > 0 || done < in.len) {
        size_t piece = in.len - done < PIECE_BYTES ? in.len - done : PIECE_BYTES;
        ZSTD_inBuffer from = {in.ptr + done, piece, 0};
        if (is_stopped(stop))
            return CODER_STOPPED;
        left = ZSTD_compressStream2(context, &to, &from,
                                    done + piece == in.len ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left))
            return CODER_NO_MEMORY;
        done += from.pos;
        if (to.pos == cap && (left > 0 || done < in.len))
            return CODER_NO_ROOM;
    }
    *len = to.pos;
    return CODER_DONE;
}

static enum coder_end make_zstd(int level, struct span in, char *out, size_t cap, size_t *len,
                                const atomic_bool *stop)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    enum coder_end end = CODER_NO_MEMORY;

    if (!context)
        return CODER_NO_MEMORY;
    if (!ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) &&
        !ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(context, in.len)))
        end = coder_run_zstd(context, in, out, cap, len, stop);
    ZSTD_freeCCtx(context);
    return end;
}

/* --- all ------------------------------------------------------------------------------------- */

enum coder_end coder_compress(enum http_coding coding, int level, struct span in, char *out,
                              size_t cap, size_t *len, const atomic_bool *stop)
{
    CHECK(level >= 1 && level <= max_levels[coding] && in.len <= CODER_MAX_BYTES);
    if (cap == 0)
        return CODER_NO_ROOM;
    if (is_stopped(stop))
        return CODER_STOPPED;
    switch (coding) {
    case CODING_BR:
        return make_brotli(level, in, out, cap, len, stop);
    case CODING_ZSTD:
        return make_zstd(level, in, out, cap, len, stop);
    case CODING_GZIP:
        return make_gzip(level, in, out, cap, len);
    case CODING_IDENTITY:
    case CODING_DCZ:
    case CODING_COUNT:
        break;
    }
    CHECK(false);
    return CODER_NO_MEMORY;
}

void coder_write_sample(char *out, size_t len)
{
    static const char *const words[] = {"<div class=\"",
                                        "\">",
                                        "</div>\n",
                                        "function",
                                        "(",
                                        ") {\n    return ",
                                        ";\n}\n",
                                        "const ",
                                        " = ",
                                        "the ",
                                        "of ",
                                        "and ",
                                        "a ",
                                        "0x",
                                        "padding: ",
                                        "0 1px;",
                                        "\"name\": ",
                                        ",\n"};
    uint32_t state = 1;
    size_t at = 0;

    while (at < len) {
        const char *word;
        size_t n;
        state = state * UINT32_C(1664525) + UINT32_C(1013904223);
        word = words[(state >> 16) % ARRAY_LEN(words)];
        n = strlen(word) < len - at ? strlen(word) : len - at;
        memcpy(out + at, word, n);
        at += n;
        if (at < len)
            out[at++] = (char)('a' + (state >> 24) % 26);
    }
}

uint32_t coder_number_of(const char *bytes, size_t len)
{
    uint32_t number = UINT32_C(2166136261); /* FNV-1a */

    for (size_t i = 0; i < len; i++)
        number = (number ^ (unsigned char)bytes[i]) * UINT32_C(16777619);
    return number;
}

uint32_t coder_mark(enum http_coding coding, int level)
{
    char *sample = xmalloc(CODER_SAMPLE_BYTES), *made = xmalloc(CODER_SAMPLE_BYTES);
    size_t len = 0;
    uint32_t mark;

    coder_write_sample(sample, CODER_SAMPLE_BYTES);
    if (coder_compress(coding, level, (struct span){sample, CODER_SAMPLE_BYTES}, made,
                       CODER_SAMPLE_BYTES, &len, NULL) != CODER_DONE)
        len = 0;
    mark = coder_number_of(made, len);
    free(made);
    free(sample);
    return mark;
}

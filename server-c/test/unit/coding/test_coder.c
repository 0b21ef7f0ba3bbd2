/* SPDX-License-Identifier: MIT */
/* What is compressed comes out again, by the decoders of the same libraries; what does not fit, or is
 * stopped, says so; and equal bytes stay equal. */
#include "coding/coder.c"

#include "check.h"

#include <brotli/decode.h>

static const enum http_coding all[] = {CODING_BR, CODING_ZSTD, CODING_GZIP};

static bool decode(enum http_coding coding, struct span in, char *out, size_t cap, size_t *len)
{
    struct libdeflate_decompressor *inflater;
    bool ok;

    *len = cap;
    if (coding == CODING_BR)
        return BrotliDecoderDecompress(in.len, (const uint8_t *)in.ptr, len, (uint8_t *)out) ==
               BROTLI_DECODER_RESULT_SUCCESS;
    if (coding == CODING_ZSTD) {
        *len = ZSTD_decompress(out, cap, in.ptr, in.len);
        return !ZSTD_isError(*len);
    }
    inflater = libdeflate_alloc_decompressor();
    ok = libdeflate_gzip_decompress(inflater, in.ptr, in.len, out, cap, len) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(inflater);
    return ok;
}

static void fill_random(char *out, size_t len)
{
    uint64_t state = 7;

    for (size_t i = 0; i < len; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        out[i] = (char)(state >> 56);
    }
}

static void round_trip(int line, enum http_coding coding, int level, struct span in)
{
    size_t cap = in.len + in.len / 8 + 1024, len = 0, back_len = 0;
    char *made = malloc(cap), *back = malloc(in.len + 1);
    enum coder_end end = coder_compress(coding, level, in, made, cap, &len, NULL);

    CHECK_INT(line, http_coding_name(coding), end, CODER_DONE);
    CHECK_TRUE(decode(coding, (struct span){made, len}, back, in.len + 1, &back_len) &&
                   back_len == in.len && memcmp(back, in.ptr, in.len) == 0,
               "row %d: %s at level %d of %zu bytes", line, http_coding_name(coding), level,
               in.len);
    free(made);
    free(back);
}

static void test_round_trips(void)
{
    static const size_t sizes[] = {0, 1, 100, 65535, 65536, 65537, 300000};
    char *text = malloc(300000), *noise = malloc(300000);

    coder_write_sample(text, 300000);
    fill_random(noise, 300000);
    for (size_t c = 0; c < ARRAY_LEN(all); c++)
        for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
            round_trip(__LINE__, all[c], 1, (struct span){text, sizes[s]});
            round_trip(__LINE__, all[c], 5, (struct span){text, sizes[s]});
            round_trip(__LINE__, all[c], 5, (struct span){noise, sizes[s]});
            if (sizes[s] <= 65536)
                round_trip(__LINE__, all[c], coder_max_level(all[c]),
                           (struct span){text, sizes[s]});
        }
    free(text);
    free(noise);
}

/* Whoever wants a copy that is shorter than the file gives it no more room than that. */
static void test_room(void)
{
    size_t size = 200000, len = 0, exact;
    char *bytes = malloc(size), *out = malloc(size);

    for (size_t c = 0; c < ARRAY_LEN(all); c++) {
        const char *name = http_coding_name(all[c]);
        struct span in = {bytes, size};
        fill_random(bytes, size);
        CHECK_INT(__LINE__, name, coder_compress(all[c], 5, in, out, size - 1, &len, NULL),
                  CODER_NO_ROOM);
        CHECK_INT(__LINE__, name, coder_compress(all[c], 5, in, out, 0, &len, NULL), CODER_NO_ROOM);
        coder_write_sample(bytes, size);
        CHECK_INT(__LINE__, name, coder_compress(all[c], 5, in, out, size, &exact, NULL),
                  CODER_DONE);
        CHECK_TRUE(exact < size / 2, "%s: %zu", name, exact);
        CHECK_INT(__LINE__, name, coder_compress(all[c], 5, in, out, exact - 1, &len, NULL),
                  CODER_NO_ROOM);
    }
    free(bytes);
    free(out);
}

static void test_stop(void)
{
    size_t size = 1000000, len = 0;
    char *bytes = malloc(size), *out = malloc(size);
    atomic_bool stop;

    coder_write_sample(bytes, size);
    for (size_t c = 0; c < ARRAY_LEN(all); c++) {
        atomic_init(&stop, false);
        CHECK_INT(__LINE__, http_coding_name(all[c]),
                  coder_compress(all[c], 1, (struct span){bytes, size}, out, size, &len, &stop),
                  CODER_DONE);
        atomic_store(&stop, true);
        CHECK_INT(__LINE__, http_coding_name(all[c]),
                  coder_compress(all[c], 1, (struct span){bytes, size}, out, size, &len, &stop),
                  CODER_STOPPED);
    }
    free(bytes);
    free(out);
}

/* An ETag says that the bytes are the same, so they must be. */
static void test_same_again(void)
{
    size_t size = 300000, len = 0, again_len = 0;
    char *bytes = malloc(size), *out = malloc(size), *again = malloc(size);

    coder_write_sample(bytes, size);
    for (size_t c = 0; c < ARRAY_LEN(all); c++) {
        const char *name = http_coding_name(all[c]);
        coder_compress(all[c], 5, (struct span){bytes, size}, out, size, &len, NULL);
        coder_compress(all[c], 5, (struct span){bytes, size}, again, size, &again_len, NULL);
        CHECK_TRUE(len == again_len && memcmp(out, again, len) == 0, "%s", name);
        CHECK_TRUE(coder_mark(all[c], 5) == coder_mark(all[c], 5), "%s", name);
        CHECK_TRUE(coder_mark(all[c], 5) != coder_mark(all[c], 1), "%s", name);
    }
    CHECK_TRUE(coder_mark(CODING_BR, 5) != coder_mark(CODING_GZIP, 5), "codings differ");
    free(bytes);
    free(out);
    free(again);
}

/* RFC 9659: a decoder need not take a window of more than 8 MiB. */
static void test_window(void)
{
    size_t size = 20 * 1024 * 1024, len = 0, back_len;
    char *bytes = calloc(1, size), *out = malloc(size), *back = malloc(size);
    ZSTD_DCtx *context = ZSTD_createDCtx();

    CHECK_INT(__LINE__, "zstd",
              coder_compress(CODING_ZSTD, coder_max_level(CODING_ZSTD), (struct span){bytes, size},
                             out, size, &len, NULL),
              CODER_DONE);
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, 23);
    back_len = ZSTD_decompressDCtx(context, back, size, out, len);
    CHECK_TRUE(!ZSTD_isError(back_len) && back_len == size, "%zu", back_len);
    /* Whoever isn't told the size declares the level's whole window for a small file, too. */
    coder_compress(CODING_ZSTD, coder_max_level(CODING_ZSTD), (struct span){bytes, 91000}, out,
                   size, &len, NULL);
    CHECK_INT(__LINE__, "size", ZSTD_getFrameContentSize(out, len), 91000);
    ZSTD_freeDCtx(context);
    free(bytes);
    free(out);
    free(back);
}

int main(void)
{
    test_round_trips();
    test_room();
    test_stop();
    test_same_again();
    test_window();
    return check_end("coder");
}

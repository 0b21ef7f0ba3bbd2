/* SPDX-License-Identifier: MIT */
/* What is compressed with a dictionary comes out again for who has it, in the window that all clients have. */
#include "coding/coder_delta.c"

#include "check.h"

#define MIB ((size_t)1 << 20)

static char *noise_of(size_t len, uint64_t seed)
{
    char *out = xmalloc(len);

    for (size_t i = 0; i < len; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        out[i] = (char)(seed >> 56);
    }
    return out;
}

/* As browsers do (RFC 9842 section 5). */
static bool decode(struct span made, struct span dictionary, char *out, size_t cap, size_t *len)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    int window = 23;

    while ((size_t)1 << (window + 1) <= dictionary.len + dictionary.len / 4)
        window++;
    ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, window);
    ZSTD_DCtx_refPrefix(context, dictionary.ptr, dictionary.len);
    ZSTD_outBuffer to = {out, cap, 0};
    ZSTD_inBuffer from = {made.ptr + CODER_DELTA_HEAD_BYTES, made.len - CODER_DELTA_HEAD_BYTES, 0};
    size_t left = 1;
    while (left > 0 && !ZSTD_isError(left) && from.pos < from.size)
        left = ZSTD_decompressStream(context, &to, &from);
    ZSTD_freeDCtx(context);
    *len = to.pos;
    return left == 0;
}

static void round_trip(int line, int level, size_t dictionary_len, size_t len, size_t most)
{
    char *old = noise_of(dictionary_len, 1), *new = noise_of(len + 8, 2),
         *made = xmalloc(len + len / 8 + 1024), *back = xmalloc(len + 1);
    struct coder_dictionary dictionary = {.bytes = {old, dictionary_len}, .hash = "hash"};
    struct span in = {new, len};
    size_t made_len = 0, back_len = 0;

    memcpy(new, old, len < dictionary_len ? len : dictionary_len);
    if (len > 100)
        memcpy(new + len / 2, "changed", 7);
    CHECK_INT(line, "end",
              coder_delta(level, &dictionary, in, made, len + len / 8 + 1024, &made_len, NULL),
              CODER_DONE);
    CHECK_TRUE(made_len <= most, "row %d: %zu of at most %zu", line, made_len, most);
    CHECK_TRUE(memcmp(made, "\x5e\x2a\x4d\x18\x20\0\0\0hash", 12) == 0, "row %d: its head", line);
    CHECK_TRUE(decode((struct span){made, made_len}, dictionary.bytes, back, len + 1, &back_len) &&
                   back_len == len && memcmp(back, new, len) == 0,
               "row %d: %zu bytes of %zu", line, back_len, len);
    old[dictionary_len > len ? len / 4
                             : dictionary_len / 4]++; /* who has another one hears of it */
    CHECK_TRUE(len < 1000 || !decode((struct span){made, made_len}, dictionary.bytes, back, len + 1,
                                     &back_len),
               "row %d: with other bytes", line);
    free(old);
    free(new);
    free(made);
    free(back);
}

static void test_round_trips(void)
{
    round_trip(__LINE__, 12, 100, 0, 60);
    round_trip(__LINE__, 12, 1, 1, 60);
    round_trip(__LINE__, 1, 100000, 100000, 400);
    round_trip(__LINE__, 12, 100000, 100000, 400);
    round_trip(__LINE__, 19, 100000, 120000, 21000);
    round_trip(__LINE__, 12, 65536, 1000, 200);
    round_trip(__LINE__, 3, 5 * MIB, 5 * MIB, 5 * MIB + 5000); /* farther apart than 8 MiB */
    round_trip(__LINE__, 3, 14 * MIB, 14 * MIB, 14 * MIB + 5000);
}

static void test_window(void)
{
    static const struct {
        int line;
        size_t dictionary, in;
        int want;
    } rows[] = {
        {__LINE__, 1, 1, 10},
        {__LINE__, 1000, 1000, 11},
        {__LINE__, 4 * MIB, 4 * MIB, 23},
        {__LINE__, 4 * MIB, 4 * MIB + 1, 23},
        {__LINE__, 12 * MIB, 4 * MIB, 23},
        {__LINE__, 13 * MIB, 4 * MIB, 24},
        {__LINE__, 64 * MIB, 64 * MIB, 26},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        CHECK_INT(rows[i].line, "window", window_of(rows[i].dictionary, rows[i].in), rows[i].want);
}

static void test_ends(void)
{
    char *text = noise_of(100000, 3), *out = xmalloc(200000);
    struct coder_dictionary dictionary = {.bytes = {text, 50000}};
    struct span in = {text, 100000};
    size_t len = 0, exact = 0;
    atomic_bool stop;

    CHECK_INT(__LINE__, "room", coder_delta(3, &dictionary, in, out, 200000, &exact, NULL),
              CODER_DONE);
    CHECK_INT(__LINE__, "exact", coder_delta(3, &dictionary, in, out, exact, &len, NULL),
              CODER_DONE);
    CHECK_INT(__LINE__, "less", coder_delta(3, &dictionary, in, out, exact - 1, &len, NULL),
              CODER_NO_ROOM);
    for (size_t cap = 0; cap <= CODER_DELTA_HEAD_BYTES + 1; cap++)
        CHECK_INT(__LINE__, "none", coder_delta(3, &dictionary, in, out, cap, &len, NULL),
                  CODER_NO_ROOM);
    atomic_init(&stop, true);
    CHECK_INT(__LINE__, "stopped", coder_delta(3, &dictionary, in, out, 200000, &len, &stop),
              CODER_STOPPED);
    CHECK_TRUE(coder_delta_mark(3) == coder_delta_mark(3), "equal bytes");
    CHECK_TRUE(coder_delta_mark(3) != coder_delta_mark(12), "another level");
    free(text);
    free(out);
}

int main(void)
{
    test_round_trips();
    test_window();
    test_ends();
    return check_end("coder_delta");
}

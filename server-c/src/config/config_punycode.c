/* SPDX-License-Identifier: MIT */
/* config_punycode.c — the encoder of RFC 3492 section 6.3, with the names used there, for the
 * letters that most names have. Letters that IDNA maps to others (wide forms, combining accents,
 * ligatures) are left out, because a wrong hint would be worse than none. */
#include "config/config_punycode.h"

#include "base/utf8.h"
#include "base/util.h"

#include <string.h>

#define LABEL_MAX 63
#define BASE 36
#define T_MIN 1
#define T_MAX 26
#define SKEW 38
#define DAMP 700
#define INITIAL_BIAS 72
#define INITIAL_N 128

/* --- letters --------------------------------------------------------------------------------- */

/* Letters that IDNA leaves as they are: those in lower case, and those without case. */
static const struct {
    uint32_t first, last;
} letters[] = {
    {0xdf, 0xf6},                                         /* Latin-1 */
    {0xf8, 0xff},     {0x3ac, 0x3ce},                     /* Greek */
    {0x430, 0x44f},                                       /* Cyrillic */
    {0x450, 0x45f},   {0x5d0, 0x5ea},                     /* Hebrew */
    {0x621, 0x63a},                                       /* Arabic */
    {0x641, 0x64a},   {0x3041, 0x3096},                   /* kana */
    {0x30a1, 0x30fa}, {0x30fc, 0x30fc}, {0x4e00, 0x9fff}, /* Han */
    {0xac00, 0xd7a3},                                     /* Hangul */
};

/* Blocks of capitals, and the distance to their small letters. */
static const struct {
    uint32_t first, last, distance;
} capitals[] = {{0xc0, 0xd6, 32}, {0xd8, 0xde, 32}, {0x410, 0x42f, 32}, {0x400, 0x40f, 80}};

/* In Latin Extended-A capital and small letters alternate; capitals are even in one part and odd in
 * another. 0: not a letter of that block. */
static uint32_t extended_latin(uint32_t c)
{
    static const uint32_t odd_ones[] = {0x130, 0x131, 0x132, 0x133, 0x138,
                                        0x13f, 0x140, 0x149, 0x178, 0x17f};
    bool capitals_are_odd = (c >= 0x139 && c <= 0x148) || c >= 0x179;

    if (c < 0x100 || c > 0x17f)
        return 0;
    for (size_t i = 0; i < ARRAY_LEN(odd_ones); i++)
        if (c == odd_ones[i])
            return 0;
    return c % 2 == capitals_are_odd ? c + 1 : c;
}

static uint32_t small_ascii(uint32_t c)
{
    if (c >= 'A' && c <= 'Z')
        return c + 32;
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '*' ? c
                                                                                                : 0;
}

/* Returns the letter in the form that names have; 0: it is not known here. */
static uint32_t fold(uint32_t c)
{
    if (c < INITIAL_N)
        return small_ascii(c);
    for (size_t i = 0; i < ARRAY_LEN(capitals); i++)
        if (c >= capitals[i].first && c <= capitals[i].last)
            return c + capitals[i].distance;
    for (size_t i = 0; i < ARRAY_LEN(letters); i++)
        if (c >= letters[i].first && c <= letters[i].last)
            return c;
    return extended_latin(c);
}

/* --- the encoder ------------------------------------------------------------------------------ */

static uint32_t adapt(uint32_t delta, uint32_t points, bool is_first)
{
    uint32_t k = 0;

    delta = is_first ? delta / DAMP : delta / 2;
    delta += delta / points;
    for (; delta > ((BASE - T_MIN) * T_MAX) / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static void append_digit(struct buf *out, uint32_t digit)
{
    buf_append_char(out, (char)(digit < 26 ? 'a' + digit : '0' + digit - 26));
}

static void append_delta(struct buf *out, uint32_t delta, uint32_t bias)
{
    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;

        if (delta < t)
            break;
        append_digit(out, t + (delta - t) % (BASE - t));
        delta = (delta - t) / (BASE - t);
    }
    append_digit(out, delta);
}

static uint32_t least_from(const uint32_t *label, size_t len, uint32_t n)
{
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < len; i++)
        if (label[i] >= n && label[i] < least)
            least = label[i];
    return least;
}

/* A label has at most LABEL_MAX code points below 2^16, so nothing here can overflow. */
static void append_encoded(struct buf *out, const uint32_t *label, size_t len)
{
    uint32_t n = INITIAL_N, delta = 0, bias = INITIAL_BIAS, basic = 0, done;

    for (size_t i = 0; i < len; i++)
        if (label[i] < INITIAL_N) {
            buf_append_char(out, (char)label[i]);
            basic++;
        }
    if (basic > 0)
        buf_append_char(out, '-');
    for (done = basic; done < len; delta++, n++) {
        uint32_t next = least_from(label, len, n);

        delta += (next - n) * (done + 1);
        n = next;
        for (size_t i = 0; i < len; i++) {
            delta += label[i] < n;
            if (label[i] != n)
                continue;
            append_delta(out, delta, bias);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
    }
}

/* --- the name --------------------------------------------------------------------------------- */

static bool append_label(struct buf *out, const char *text, size_t len)
{
    uint32_t label[LABEL_MAX];
    bool is_ascii = true;
    size_t count = 0;

    for (size_t i = 0, step; i < len; i += step) {
        step = utf8_sequence_len(text + i, len - i);
        if (step == 0 || count == LABEL_MAX)
            return false;
        label[count] = fold(utf8_decode(text + i, step));
        if (label[count] == 0)
            return false;
        is_ascii = is_ascii && label[count] < INITIAL_N;
        count++;
    }
    if (!is_ascii) {
        buf_append_str(out, "xn--");
        append_encoded(out, label, count);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        buf_append_char(out, (char)label[i]);
    return count > 0;
}

bool config_punycode_host(struct buf *out, const char *host)
{
    size_t start = out->len;

    for (;;) {
        size_t len = strcspn(host, "."), before = out->len;

        if (!append_label(out, host, len) || out->len - before > LABEL_MAX) {
            buf_truncate(out, start);
            return false;
        }
        if (host[len] == '\0')
            return true;
        buf_append_char(out, '.');
        host += len + 1;
    }
}

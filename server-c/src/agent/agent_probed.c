/* SPDX-License-Identifier: MIT */
/* agent_probed.c — the answers of probes: read, and said. */
#include "agent/agent_probed.h"

#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agent_probe_reading_begin(struct agent_probe_reading *reading, bool wants_digest)
{
    reading->bytes = 0;
    reading->digest = wants_digest ? EVP_MD_CTX_new() : NULL;
    if (reading->digest && EVP_DigestInit_ex(reading->digest, EVP_sha256(), NULL) != 1) {
        EVP_MD_CTX_free(reading->digest);
        reading->digest = NULL;
    }
}

void agent_probe_reading_add(struct agent_probe_reading *reading, const char *bytes, size_t len)
{
    reading->bytes += len;
    if (reading->digest)
        EVP_DigestUpdate(reading->digest, bytes, len);
}

static void read_digest(struct agent_probe_reading *reading, char out[AGENT_PROBED_SHA256_LEN + 1])
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned int len = 0;

    out[0] = '\0';
    if (reading->digest && EVP_DigestFinal_ex(reading->digest, bytes, &len) == 1 &&
        len * 2 == AGENT_PROBED_SHA256_LEN)
        digest_hex(out, bytes, len);
}

void agent_probe_reading_end(struct agent_probe_reading *reading, long status, bool is_whole,
                             const char *type, struct agent_probe_answer *out)
{
    memset(out, 0, sizeof(*out));
    out->status = (uint16_t)(status >= 100 && status <= 599 ? status : 0);
    out->bytes = reading->bytes;
    if (out->status && is_whole)
        read_digest(reading, out->sha256);
    if (out->status && type && strlen(type) <= AGENT_PROBED_TYPE_LEN)
        snprintf(out->type, sizeof(out->type), "%s", type);
    EVP_MD_CTX_free(reading->digest);
    reading->digest = NULL;
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? agent_text_json(text, AGENT_PROBED_TYPE_LEN) : json_null();
}

static json_t *answer_json(const struct agent_probe_answer *answer)
{
    json_t *object = json_pack("{s:o, s:I, s:o, s:o}", "status",
                               answer->status ? json_integer(answer->status) : json_null(), "bytes",
                               (json_int_t)answer->bytes, "sha256", text_or_null(answer->sha256),
                               "mediaType", text_or_null(answer->type));
    if (!object)
        abort();
    return object;
}

json_t *agent_probed_json(const struct agent_probed *probed)
{
    json_t *answers = json_array();
    for (size_t i = 0; i < probed->count; i++)
        if (json_array_append_new(answers, answer_json(&probed->answers[i])) != 0)
            abort();
    json_t *object = json_pack("{s:s, s:o}", "id", probed->id, "answers", answers);
    if (!object)
        abort();
    return object;
}

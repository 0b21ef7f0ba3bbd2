/* SPDX-License-Identifier: MIT */
/* site_copies.c — what `compression` says, made ready for requests. */
#include "site/site_copies.h"

#include "base/mem.h"
#include "coding/coder_delta.h"
#include "match/glob.h"
#include "response/mime.h"
#include "site/site_place.h"

#include <inttypes.h>

static void init_coder(struct site_coder *coder, enum http_coding coding, uint32_t level)
{
    coder->level = (int)level;
    if (coding == CODING_DCZ) {
        coder->mark = coder_delta_mark(coder->level);
        return;
    }
    coder->mark = coder_mark(coding, coder->level);
    snprintf(coder->label, sizeof(coder->label), "%s%d-%08" PRIx32, http_coding_name(coding),
             coder->level, coder->mark);
}

static bool are_wanted(const struct config *cfg)
{
    size_t codings = 0;

    for (size_t i = 0; i < cfg->site_count; i++)
        codings += cfg->sites[i].compress_count + cfg->sites[i].release_dictionary_count;
    return cfg->compression.cache_folder && cfg->compression.cache_folder[0] && codings > 0;
}

struct site_copies *site_copies_new(const struct config *cfg)
{
    struct site_copies *copies;

    if (!are_wanted(cfg))
        return NULL;
    copies = xcalloc(1, sizeof(*copies));
    copies->cfg = cfg;
    copies->rules.symlinks = SYMLINKS_NEVER;
    site_place_init_own(&copies->place, &copies->rules, cfg->compression.cache_folder);
    init_coder(&copies->coders[CODING_BR], CODING_BR, cfg->compression.levels.br);
    init_coder(&copies->coders[CODING_ZSTD], CODING_ZSTD, cfg->compression.levels.zstd);
    init_coder(&copies->coders[CODING_DCZ], CODING_DCZ, cfg->compression.levels.zstd);
    init_coder(&copies->coders[CODING_GZIP], CODING_GZIP, cfg->compression.levels.gzip);
    return copies;
}

void site_copies_label_delta(char out[SITE_COPIES_LABEL], const struct site_coder *coder,
                             const unsigned char hash[CODER_DICTIONARY_HASH_BYTES])
{
    uint64_t number = (uint64_t)coder->mark << 32 | (uint32_t)coder->level;

    for (size_t i = 0; i < sizeof(number); i++)
        number ^= (uint64_t)hash[i] << (8 * i);
    snprintf(out, SITE_COPIES_LABEL, "dcz-%016" PRIx64, number);
}

void site_copies_free(struct site_copies *copies)
{
    free(copies);
}

bool site_copies_fit(const struct site_copies *copies, struct span path, const char *type,
                     uint64_t size)
{
    const struct config *cfg = copies->cfg;

    return size >= cfg->compression.min_file_bytes && size <= cfg->compression.max_file_bytes &&
           !mime_is_coded(path) &&
           glob_type_in(cfg->compression.types, cfg->compression.type_count, type);
}

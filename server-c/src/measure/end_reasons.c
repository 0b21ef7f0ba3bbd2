/* SPDX-License-Identifier: MIT */
/* end_reasons.c — names and sentences of the table. */
#include "measure/end_reasons.h"

const char *end_reason_name(enum end_reason reason)
{
    static const char *const names[] = {
        "",
#define X(name, wire, sentence) wire,
#include "measure/end_reasons.def"
#undef X
    };
    return names[reason];
}

const char *end_reason_sentence(enum end_reason reason)
{
    static const char *const sentences[] = {
        "",
#define X(name, wire, sentence) sentence,
#include "measure/end_reasons.def"
#undef X
    };
    return sentences[reason];
}

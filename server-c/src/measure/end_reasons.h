/* SPDX-License-Identifier: MIT */
/* end_reasons.h — why connections ended, as metrics, samples and the access log name it. */
#ifndef FARMSTEAD_END_REASONS_H
#define FARMSTEAD_END_REASONS_H

enum end_reason {
    END_NONE, /* it goes on */
#define X(name, wire, sentence) END_##name,
#include "measure/end_reasons.def"
#undef X
    END_REASON_COUNT
};

/* As on the wire, and in words; static. Not for END_NONE. */
const char *end_reason_name(enum end_reason reason);
const char *end_reason_sentence(enum end_reason reason);

#endif

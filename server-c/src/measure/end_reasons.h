/* SPDX-License-Identifier: MIT */
/* end_reasons.h — why connections have ended, with the names used in metrics, samples and the
 * access log. */
#ifndef FARMSTEAD_END_REASONS_H
#define FARMSTEAD_END_REASONS_H

enum end_reason {
    END_NONE, /* it has not ended */
#define X(name, wire, sentence) END_##name,
#include "measure/end_reasons.def"
#undef X
    END_REASON_COUNT
};

/* The name on the wire, and the reason in words; static. Not for END_NONE. */
const char *end_reason_name(enum end_reason reason);
const char *end_reason_sentence(enum end_reason reason);

#endif

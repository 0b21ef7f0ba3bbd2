/* SPDX-License-Identifier: MIT */
/* coder_parts.h — what the two coders share; nobody else includes this. */
#ifndef FARMSTEAD_CODER_PARTS_H
#define FARMSTEAD_CODER_PARTS_H

#include "coding/coder.h"

#include <zstd.h>

/* Compresses all of `in`, as `context` was told to. */
enum coder_end coder_run_zstd(ZSTD_CCtx *context, struct span in, char *out, size_t cap,
                              size_t *len, const atomic_bool *stop);

#define CODER_SAMPLE_BYTES 32768
/* Text in which words come again at distances of all kinds, the same in each process. */
void coder_write_sample(char *out, size_t len);
/* A number for these bytes. */
uint32_t coder_number_of(const char *bytes, size_t len);

#endif

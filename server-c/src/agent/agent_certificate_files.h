/* SPDX-License-Identifier: MIT */
/* agent_certificate_files.h — certificates in the state folder:
 *
 *   certificates/.versions/NAME/VERSION/  chain.pem and key.pem; written beside and renamed
 *   certificates/NAME                     a symbolic link to the version in use
 *
 * So chain and key change in one step, and a crash leaves a version whole or not at all. `dir_fd` is
 * the state folder. One thread at a time. */
#ifndef FARMSTEAD_AGENT_CERTIFICATE_FILES_H
#define FARMSTEAD_AGENT_CERTIFICATE_FILES_H

#include "agent/agent_certificates.h"

#include <stdbool.h>
#include <stddef.h>

/* Is it on the disk and of use? */
bool agent_certificate_files_has(int dir_fd, const struct agent_certificate *certificate);

/* Do chain and key fit, and is it the certificate that was named? 0, or -1 with a sentence, in which
 * nothing of the texts is. */
int agent_certificate_judge(const struct agent_certificate *certificate,
                            const struct agent_certificate_text *text, char *why, size_t why_len);

/* 0, or -1 with a sentence and the disk as before. */
int agent_certificate_files_write(int dir_fd, const struct agent_certificate *certificate,
                                  const struct agent_certificate_text *text, char *why,
                                  size_t why_len);

/* Puts these versions in use. What is in use already is not touched, so nothing needs to be written
 * then. 0, or -1 with a sentence; some may be in use then, and others not. */
int agent_certificate_files_use(int dir_fd, const struct agent_certificates *list, char *why,
                                size_t why_len);

/* Deletes all other versions and links, as far as that is possible. */
void agent_certificate_files_keep(int dir_fd, const struct agent_certificates *list);

#endif

/* SPDX-License-Identifier: MIT */
/* tls_pem.h — certificates and keys out of PEM text, with the lines where they are. Only this
 * folder includes it. */
#ifndef FARMSTEAD_TLS_PEM_H
#define FARMSTEAD_TLS_PEM_H

#include "tls/tls_certificate.h"

#include <openssl/x509.h>

#define TLS_CHAIN_MAX 16

struct tls_chain {
    X509 *items[TLS_CHAIN_MAX]; /* in the order of the text */
    uint32_t lines[TLS_CHAIN_MAX];
    int count;
};

/* Reads all certificates. TLS_FAULT_NONE; or a fault, and *line is where. `most`: how many at
 * most. The chain must be freed either way. `library` NULL: the process's own. */
enum tls_fault tls_pem_chain(struct tls_chain *chain, OSSL_LIB_CTX *library, struct span pem,
                             uint32_t *line);
void tls_chain_fini(struct tls_chain *chain);

/* Reads the first private key. The caller frees *key. */
enum tls_fault tls_pem_key(EVP_PKEY **key, OSSL_LIB_CTX *library, struct span pem, uint32_t *line);

/* Calls `take` with each certificate of a text of any length, which then owns it, until it returns
 * false. */
enum tls_fault tls_pem_each(OSSL_LIB_CTX *library, struct span pem, uint32_t *line,
                            bool (*take)(void *arg, X509 *certificate, uint32_t line), void *arg);

#endif

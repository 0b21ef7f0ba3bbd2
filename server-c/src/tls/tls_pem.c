/* SPDX-License-Identifier: MIT */
/* tls_pem.c — walks through PEM text block by block (RFC 7468). Text around the blocks, and blocks
 * of other kinds, are passed over: a file may hold a chain and its key. */
#include "tls/tls_pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>

struct reader {
    BIO *text;
    struct span pem;
    size_t seen;   /* bytes whose line ends are counted in `line` */
    uint32_t line; /* of the byte at `seen`, from 1 */
};

struct block {
    char *label, *header;
    unsigned char *bytes;
    long len;
    uint32_t line;
};

static bool reader_init(struct reader *reader, struct span pem)
{
    *reader = (struct reader){.pem = pem, .line = 1};
    if (pem.len > INT32_MAX)
        return false;
    reader->text = BIO_new_mem_buf(pem.len > 0 ? pem.ptr : "", (int)pem.len);
    return reader->text != NULL;
}

static void reader_fini(struct reader *reader)
{
    BIO_free(reader->text);
    ERR_clear_error();
}

/* Moves to where the next block begins, or to the end of the text. */
static void find_begin(struct reader *reader)
{
    size_t read = reader->pem.len - BIO_ctrl_pending(reader->text);
    const char *begin = NULL;

    if (read < reader->pem.len)
        begin = memmem(reader->pem.ptr + read, reader->pem.len - read, "-----BEGIN", 10);
    for (const char *end = begin ? begin : reader->pem.ptr + read;
         reader->pem.ptr + reader->seen < end; reader->seen++)
        reader->line += reader->pem.ptr[reader->seen] == '\n';
}

/* False at the end of the text, or if the block is broken: then *is_broken. */
static bool next_block(struct reader *reader, struct block *block, bool *is_broken)
{
    *block = (struct block){0};
    find_begin(reader);
    block->line = reader->line;
    ERR_clear_error();
    if (PEM_read_bio(reader->text, &block->label, &block->header, &block->bytes, &block->len) == 1)
        return true;
    *is_broken = ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE;
    return false;
}

static void block_fini(struct block *block)
{
    OPENSSL_free(block->label);
    OPENSSL_free(block->header);
    OPENSSL_clear_free(block->bytes, (size_t)block->len);
}

static bool is_certificate(const struct block *block)
{
    return strcmp(block->label, PEM_STRING_X509) == 0 ||
           strcmp(block->label, PEM_STRING_X509_OLD) == 0;
}

/* All of the block must be the certificate. */
static X509 *decode(OSSL_LIB_CTX *library, const struct block *block)
{
    const unsigned char *at = block->bytes;
    X509 *certificate = X509_new_ex(library, NULL);

    if (certificate &&
        (!d2i_X509(&certificate, &at, block->len) || at != block->bytes + block->len)) {
        X509_free(certificate);
        certificate = NULL;
    }
    return certificate;
}

enum tls_fault tls_pem_each(OSSL_LIB_CTX *library, struct span pem, uint32_t *line,
                            bool (*take)(void *arg, X509 *certificate, uint32_t line), void *arg)
{
    enum tls_fault fault = TLS_FAULT_NONE;
    bool is_broken = false, has_any = false;
    struct reader reader;
    struct block block;

    if (!reader_init(&reader, pem))
        return TLS_FAULT_BAD_CERTIFICATE;
    while (fault == TLS_FAULT_NONE && next_block(&reader, &block, &is_broken)) {
        *line = block.line;
        if (is_certificate(&block)) {
            X509 *certificate = decode(library, &block);
            if (!certificate)
                fault = TLS_FAULT_BAD_CERTIFICATE;
            else if (!take(arg, certificate, block.line))
                fault = TLS_FAULT_TOO_MANY;
            has_any = true;
        }
        block_fini(&block);
    }
    if (fault == TLS_FAULT_NONE && is_broken) {
        *line = reader.line;
        fault = TLS_FAULT_BAD_CERTIFICATE;
    }
    if (fault == TLS_FAULT_NONE && !has_any) {
        *line = 0;
        fault = TLS_FAULT_NO_CERTIFICATE;
    }
    reader_fini(&reader);
    return fault;
}

static bool keep(void *arg, X509 *certificate, uint32_t line)
{
    struct tls_chain *chain = arg;

    if (chain->count == TLS_CHAIN_MAX) {
        X509_free(certificate);
        return false;
    }
    chain->items[chain->count] = certificate;
    chain->lines[chain->count++] = line;
    return true;
}

enum tls_fault tls_pem_chain(struct tls_chain *chain, OSSL_LIB_CTX *library, struct span pem,
                             uint32_t *line)
{
    *chain = (struct tls_chain){0};
    return tls_pem_each(library, pem, line, keep, chain);
}

void tls_chain_fini(struct tls_chain *chain)
{
    for (int i = 0; i < chain->count; i++)
        X509_free(chain->items[i]);
    chain->count = 0;
}

static bool is_key(const struct block *block)
{
    size_t len = strlen(block->label), end = strlen("PRIVATE KEY");

    return len >= end && strcmp(block->label + len - end, "PRIVATE KEY") == 0;
}

/* Keys of PKCS #8 say so in their label, older ones in a header (RFC 1421). */
static bool is_encrypted(const struct block *block)
{
    return strcmp(block->label, PEM_STRING_PKCS8) == 0 || strstr(block->header, "ENCRYPTED");
}

enum tls_fault tls_pem_key(EVP_PKEY **key, OSSL_LIB_CTX *library, struct span pem, uint32_t *line)
{
    enum tls_fault fault = TLS_FAULT_NO_KEY;
    bool is_broken = false;
    struct reader reader;
    struct block block;

    *key = NULL;
    *line = 0;
    if (!reader_init(&reader, pem))
        return TLS_FAULT_BAD_KEY;
    while (fault == TLS_FAULT_NO_KEY && next_block(&reader, &block, &is_broken)) {
        if (is_key(&block)) {
            const unsigned char *at = block.bytes;
            *line = block.line;
            if (is_encrypted(&block))
                fault = TLS_FAULT_ENCRYPTED_KEY;
            else if ((*key = d2i_AutoPrivateKey_ex(NULL, &at, block.len, library, NULL)) != NULL)
                fault = TLS_FAULT_NONE;
            else
                fault = TLS_FAULT_BAD_KEY;
        }
        block_fini(&block);
    }
    if (fault == TLS_FAULT_NO_KEY && is_broken) {
        *line = reader.line;
        fault = TLS_FAULT_BAD_KEY;
    }
    reader_fini(&reader);
    return fault;
}

/* SPDX-License-Identifier: MIT */
/* tls_engine.c — lets the library read from and write to an engine's io. */
#include "base/mem.h"
#include "tls/tls_state.h"

#include <string.h>

#define OUT_MIN 4096

static int read_in(BIO *bio, char *room, int cap)
{
    struct tls_io *io = BIO_get_data(bio);
    size_t n = smaller_of(io->in_len, (uint64_t)cap);

    BIO_clear_retry_flags(bio);
    if (n == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    memcpy(room, io->in, n);
    io->in += n;
    io->in_len -= n;
    return (int)n;
}

static bool reserve(struct tls_io *io, size_t extra)
{
    size_t cap = io->out_cap < OUT_MIN ? OUT_MIN : io->out_cap;
    char *grown;

    if (io->out_cap - io->out_len >= extra)
        return true;
    while (cap - io->out_len < extra)
        cap *= 2;
    grown = realloc(io->out, cap);
    if (!grown)
        return false;
    io->out = grown;
    io->out_cap = cap;
    return true;
}

bool tls_io_append(struct tls_io *io, const void *bytes, size_t len)
{
    if (!reserve(io, len))
        return false;
    memcpy(io->out + io->out_len, bytes, len);
    io->out_len += len;
    return true;
}

static int write_out(BIO *bio, const char *bytes, int len)
{
    struct tls_io *io = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    return len > 0 && tls_io_append(io, bytes, (size_t)len) ? len : -1;
}

static long control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

BIO *tls_bio_new(const struct tls_engine *engine, struct tls_io *io)
{
    BIO *bio = BIO_new(engine->method);

    if (!bio)
        return NULL;
    BIO_set_data(bio, io);
    BIO_set_init(bio, 1);
    return bio;
}

struct tls_engine *tls_engine_new(struct tls_io *io, struct tls_tickets *tickets)
{
    struct tls_engine *engine = calloc(1, sizeof(*engine));

    if (!engine)
        return NULL;
    engine->tickets = tickets;
    engine->library = OSSL_LIB_CTX_new();
    engine->method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "memory of a loop");
    engine->aes = EVP_CIPHER_fetch(engine->library, "AES-256-CBC", NULL);
    if (!engine->library || !engine->aes || !engine->method ||
        BIO_meth_set_read(engine->method, read_in) != 1 ||
        BIO_meth_set_write(engine->method, write_out) != 1 ||
        BIO_meth_set_ctrl(engine->method, control) != 1)
        goto fail;
    engine->io = io;
    engine->bio = tls_bio_new(engine, io);
    if (!engine->bio)
        goto fail;
    return engine;

fail:
    tls_engine_free(engine);
    return NULL;
}

void tls_engine_free(struct tls_engine *engine)
{
    if (!engine)
        return;
    BIO_free(engine->bio);
    BIO_meth_free(engine->method);
    EVP_CIPHER_free(engine->aes);
    OSSL_LIB_CTX_free(engine->library);
    free(engine);
}

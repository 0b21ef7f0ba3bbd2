/* SPDX-License-Identifier: MIT */
/* load_link.c — see the header. Sessions are not resumed: each connection is a visitor's first. */
#include "load/load_link.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <unistd.h>

static void say_fault(char *why, size_t size, const char *fallback)
{
    unsigned long error = ERR_peek_last_error();
    const char *reason = error ? ERR_reason_error_string(error) : NULL;

    snprintf(why, size, "%s", reason ? reason : fallback);
}

SSL_CTX *load_tls_new(const struct load_plan *plan, struct buf *why)
{
    static const unsigned char http1[] = "\x08http/1.1";
    SSL_CTX *tls = SSL_CTX_new(TLS_client_method());
    char reason[160];

    if (!tls || SSL_CTX_set_alpn_protos(tls, http1, sizeof(http1) - 1) != 0)
        goto fail;
    SSL_CTX_set_verify(tls, plan->insecure ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    if (plan->ca_file ? SSL_CTX_load_verify_file(tls, plan->ca_file) == 1
                      : SSL_CTX_set_default_verify_paths(tls) == 1)
        return tls;
fail:
    say_fault(reason, sizeof(reason), "OpenSSL gave no context");
    buf_printf(why, "TLS: %s%s%s", plan->ca_file ? plan->ca_file : "", plan->ca_file ? ": " : "",
               reason);
    SSL_CTX_free(tls);
    return NULL;
}

static enum load_fault fault_of(int error)
{
    return error == 0 ? FAULT_NONE : error == ECONNREFUSED ? FAULT_REFUSED : FAULT_CONNECT;
}

enum load_fault load_link_open(struct load_link *link, const struct load_target *target,
                               int receive_buffer)
{
    int on = 1, error;

    link->ssl = NULL;
    link->fd =
        socket(target->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_TCP);
    if (link->fd < 0)
        return FAULT_CONNECT;
    (void)setsockopt(link->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (receive_buffer)
        (void)setsockopt(link->fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
    if (connect(link->fd, (const struct sockaddr *)&target->address, target->address_len) == 0 ||
        errno == EINPROGRESS)
        return FAULT_NONE;
    error = errno;
    load_link_close(link);
    return fault_of(error);
}

enum load_fault load_link_connected(const struct load_link *link)
{
    int error = 0;
    socklen_t len = sizeof(error);

    if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
        return FAULT_CONNECT;
    return fault_of(error);
}

static bool is_address(const char *name)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

void load_link_begin_tls(struct load_link *link, SSL_CTX *tls, const struct load_target *target)
{
    link->ssl = SSL_new(tls);
    CHECK(link->ssl && SSL_set_fd(link->ssl, link->fd) == 1);
    if (is_address(target->name)) {
        (void)X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(link->ssl), target->name);
    } else {
        (void)SSL_set1_host(link->ssl, target->name);
        (void)SSL_set_tlsext_host_name(link->ssl, target->name);
    }
    SSL_set_connect_state(link->ssl);
}

int load_link_shake(struct load_link *link, char *why, size_t size)
{
    int done, error;
    long verified;

    ERR_clear_error();
    done = SSL_do_handshake(link->ssl);
    if (done == 1)
        return 1;
    error = SSL_get_error(link->ssl, done);
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return LINK_AGAIN;
    verified = SSL_get_verify_result(link->ssl);
    if (verified != X509_V_OK && !ERR_peek_error())
        snprintf(why, size, "%s", X509_verify_cert_error_string(verified));
    else if (verified != X509_V_OK)
        snprintf(why, size, "the certificate is not believed: %s",
                 X509_verify_cert_error_string(verified));
    else
        say_fault(why, size, "the connection ended within the handshake");
    return LINK_RESET;
}

static ssize_t tls_answer(const struct load_link *link, int n)
{
    switch (SSL_get_error(link->ssl, n)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return LINK_AGAIN;
    case SSL_ERROR_ZERO_RETURN:
        return LINK_ENDED;
    default:
        return LINK_RESET;
    }
}

static ssize_t socket_answer(ssize_t n)
{
    if (n >= 0)
        return n;
    return errno == EAGAIN || errno == EINTR ? LINK_AGAIN : LINK_RESET;
}

ssize_t load_link_read(struct load_link *link, char *bytes, size_t len)
{
    int n;

    if (!link->ssl)
        return socket_answer(recv(link->fd, bytes, len, 0));
    ERR_clear_error();
    n = SSL_read(link->ssl, bytes, (int)smaller_of(len, INT32_MAX));
    return n > 0 ? n : tls_answer(link, n);
}

ssize_t load_link_write(struct load_link *link, const char *bytes, size_t len)
{
    int n;

    if (!link->ssl)
        return socket_answer(send(link->fd, bytes, len, MSG_NOSIGNAL));
    ERR_clear_error();
    n = SSL_write(link->ssl, bytes, (int)smaller_of(len, INT32_MAX));
    return n > 0 ? n : tls_answer(link, n);
}

void load_link_close(struct load_link *link)
{
    SSL_free(link->ssl);
    link->ssl = NULL;
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
}

void load_link_abort(struct load_link *link)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};

    if (link->fd >= 0)
        (void)setsockopt(link->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    load_link_close(link);
}

/* SPDX-License-Identifier: MIT */
/* The node's key and certificate request, and which certificates are accepted for what. */
#include "agent/agent_keys.c"

#include "agent_pki.h"
#include "check.h"

static char why[256];

static void a_key_is_new_each_time_and_asks_for_itself(void)
{
    char *key = agent_key_new(), *other = agent_key_new();
    CHECK_TRUE(key && other && strcmp(key, other) != 0, "two keys");
    char *csr = agent_key_request(key);
    CHECK_TRUE(csr && strstr(csr, "BEGIN CERTIFICATE REQUEST"), "%s", csr);
    BIO *bio = BIO_new_mem_buf(csr, -1);
    X509_REQ *request = PEM_read_bio_X509_REQ(bio, NULL, NULL, NULL);
    EVP_PKEY *public_key = X509_REQ_get0_pubkey(request);
    char group[32] = "";
    EVP_PKEY_get_group_name(public_key, group, sizeof(group), NULL);
    CHECK_STR(__LINE__, "P-256", group, "prime256v1");
    CHECK_INT(__LINE__, "signed by that key", X509_REQ_verify(request, public_key), 1);
    CHECK_TRUE(agent_key_request("no key") == NULL, "no key, no request");
    X509_REQ_free(request);
    BIO_free(bio);
    free(csr);
    agent_secret_free(other);
    agent_secret_free(key);
    agent_secret_free(NULL);
}

static void a_certificate_is_for_one_key(void)
{
    char *key = agent_key_new(), *other = agent_key_new(), *certificate = pki_certificate(key);
    CHECK_INT(__LINE__, "its own", agent_certificate_check(certificate, key, why, sizeof(why)), 0);
    CHECK_INT(__LINE__, "another", agent_certificate_check(certificate, other, why, sizeof(why)),
              -1);
    CHECK_TRUE(strstr(why, "another key"), "%s", why);
    CHECK_INT(__LINE__, "none", agent_certificate_check("", key, why, sizeof(why)), -1);
    CHECK_TRUE(strstr(why, "no certificate"), "%s", why);
    CHECK_INT(__LINE__, "a key", agent_certificate_check(key, key, why, sizeof(why)), -1);
    CHECK_INT(__LINE__, "no key", agent_certificate_check(certificate, "", why, sizeof(why)), -1);
    CHECK_INT(__LINE__, "no error is left behind", ERR_peek_error(), 0);
    free(certificate);
    agent_secret_free(other);
    agent_secret_free(key);
}

static void a_list_of_authorities_is_whole(void)
{
    char *one = pki_any_certificate(), *two = pki_any_certificate(), both[8192];
    CHECK_INT(__LINE__, "one", agent_ca_check(one, why, sizeof(why)), 0);
    snprintf(both, sizeof(both), "# newest\n%s\nthe old one:\n%s", one, two);
    CHECK_INT(__LINE__, "two, with words between", agent_ca_check(both, why, sizeof(why)), 0);
    CHECK_INT(__LINE__, "none", agent_ca_check("", why, sizeof(why)), -1);
    CHECK_INT(__LINE__, "words", agent_ca_check("trust me", why, sizeof(why)), -1);
    CHECK_TRUE(strstr(why, "caCertificates"), "%s", why);
    both[strlen(both) - 40] = '\0';
    CHECK_INT(__LINE__, "the second is torn", agent_ca_check(both, why, sizeof(why)), -1);
    char *key = agent_key_new();
    CHECK_INT(__LINE__, "a key", agent_ca_check(key, why, sizeof(why)), -1);
    agent_secret_free(key);
    snprintf(both, sizeof(both), "%s", one);
    both[60] = '*';
    CHECK_INT(__LINE__, "damaged", agent_ca_check(both, why, sizeof(why)), -1);
    free(one);
    free(two);
}

/* openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256 -binary */
static const char known[] = "-----BEGIN CERTIFICATE-----\n"
                            "MIIBjDCCATOgAwIBAgIUK47MrHH73O8+TqJcqXbov+B+s7MwCgYIKoZIzj0EAwIw\n"
                            "HDEaMBgGA1UEAwwRRmFybXN0ZWFkIHRlc3QgQ0EwHhcNMjYxMTIyMDUzNzMxWhcN\n"
                            "MzYxMTE5MDUzNzMxWjAcMRowGAYDVQQDDBFGYXJtc3RlYWQgdGVzdCBDQTBZMBMG\n"
                            "ByqGSM49AgEGCCqGSM49AwEHA0IABD/s7A0ZIzDITAjFruRJfVV9jp4j6Q03IY7b\n"
                            "vGSr+o8pc6FDFsZBkvemMfyDv9zaneyLcBLmGNEuInxcDpD8OOejUzBRMB0GA1Ud\n"
                            "DgQWBBRkyeH22pfDAJauNz6ZuBmiVK9p/TAfBgNVHSMEGDAWgBRkyeH22pfDAJau\n"
                            "Nz6ZuBmiVK9p/TAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIGeg\n"
                            "yOeKUjZqOBD0SphM4wyMe9i6+S+6sRMIuDPG4ROsAiAt6+GD7QMIZP5CAOlfmYd6\n"
                            "32bisKXWekazRUtElWjWKw==\n"
                            "-----END CERTIFICATE-----\n";
#define KNOWN_FINGERPRINT "WlXnC0k2qauvOM8KTPvsHAlJLsJHH8zPS_QPUhPu3zo"

static void only_what_has_the_fingerprint_is_picked(void)
{
    char *other = pki_any_certificate(), both[8192];
    snprintf(both, sizeof(both), "%s%s", other, known);
    char *picked = agent_ca_pick(both, KNOWN_FINGERPRINT);
    CHECK_TRUE(picked && strcmp(picked, known) == 0, "%s", picked ? picked : "nothing");
    free(picked);
    CHECK_TRUE(agent_ca_pick(other, KNOWN_FINGERPRINT) == NULL, "not there");
    CHECK_TRUE(agent_ca_pick("", KNOWN_FINGERPRINT) == NULL, "nothing");
    both[strlen(both) - 40] = '\0';
    CHECK_TRUE(agent_ca_pick(both, KNOWN_FINGERPRINT) == NULL, "torn");
    free(other);
    CHECK_TRUE(agent_fingerprint_is_one(KNOWN_FINGERPRINT), "is one");
    CHECK_TRUE(!agent_fingerprint_is_one(KNOWN_FINGERPRINT "="), "too long");
    CHECK_TRUE(!agent_fingerprint_is_one(""), "empty");
    CHECK_TRUE(!agent_fingerprint_is_one("+/CDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq"), "base64");
}

int main(void)
{
    a_key_is_new_each_time_and_asks_for_itself();
    a_certificate_is_for_one_key();
    a_list_of_authorities_is_whole();
    only_what_has_the_fingerprint_is_picked();
    return check_end("agent_keys");
}

/* SPDX-License-Identifier: MIT */
/* metrics_family.c — turns our camel-case names into Prometheus' names, which end with the unit. */
#include "measure/metrics_family.h"

#include "base/util.h"

#include <string.h>

#define PREFIX "farmstead_"

/* "bytesSent" → "farmstead_bytes_sent". */
static void make_name(char out[FAMILY_NAME_LEN], const char *camel)
{
    char *end = out + FAMILY_NAME_LEN - 1;

    memcpy(out, PREFIX, sizeof(PREFIX));
    for (out += sizeof(PREFIX) - 1; *camel; camel++) {
        CHECK(out + 2 <= end);
        if (*camel >= 'A' && *camel <= 'Z') {
            *out++ = '_';
            *out++ = (char)(*camel - 'A' + 'a');
        } else {
            *out++ = *camel;
        }
    }
    *out = '\0';
}

/* OpenMetrics requires names to end with their unit. */
static const char *unit_of(const char *name)
{
    static const char *const units[] = {"bytes", "seconds"};
    const char *last = strrchr(name, '_');

    for (size_t i = 0; last && i < ARRAY_LEN(units); i++)
        if (strcmp(last + 1, units[i]) == 0)
            return units[i];
    return NULL;
}

static struct metrics_family make(const char *camel, const char *help)
{
    struct metrics_family family = {.help = help};

    make_name(family.name, camel);
    family.unit = unit_of(family.name);
    return family;
}

struct metrics_family metrics_family_of_gauge(enum gauge gauge)
{
    return make(gauge_name(gauge), gauge_help(gauge));
}

/* The families of handshakes with labels of their own have the plain names. */
struct metrics_family metrics_family_of_counter(enum counter counter)
{
    const char *name = counter_name(counter);

    if (counter == COUNTER_TLS_HANDSHAKES)
        name = "tlsHandshakesByGeneration";
    else if (counter == COUNTER_TLS_HANDSHAKE_FAILURES)
        name = "tlsHandshakeFailuresByGeneration";
    return make(name, counter_help(counter));
}

struct metrics_family metrics_family_of_labelled(enum labelled labelled)
{
    switch (labelled) {
    case LABELLED_HANDSHAKES:
        return make("tlsHandshakes", "handshakes of TLS completed");
    case LABELLED_HANDSHAKE_FAILURES:
        return make("tlsHandshakeFailures", "handshakes of TLS that failed, by alert or reason");
    case LABELLED_ENDS:
    case LABELLED_COUNT:
        break;
    }
    return make("connectionEnds", "connections ended, by why");
}

struct metrics_family metrics_family_of_certificates(void)
{
    return make("certificateExpiryTimestampSeconds",
                "when a certificate that is shown ends, in seconds since 1970");
}

struct metrics_family metrics_family_of_stages(void)
{
    return make("stageSeconds", "time of each stage of a request");
}

/* --- counters with labels -------------------------------------------------------------------- */

struct taker {
    void (*take)(void *arg, const struct metrics_label *labels, uint64_t value);
    void *arg;
};

static void each_end(const struct server_metrics *metrics, const struct taker *taker)
{
    for (int i = END_NONE + 1; i < END_REASON_COUNT; i++) {
        const struct metrics_label labels[] = {{"reason", end_reason_name((enum end_reason)i)},
                                               {NULL, NULL}};
        taker->take(taker->arg, labels, metrics->ends[i]);
    }
}

static void each_handshake(const struct tls_counts *counts, const struct taker *taker)
{
    for (int i = 0; i < TLS_CIPHER_COUNT; i++)
        for (int resumed = 0; resumed < 2; resumed++) {
            enum tls_cipher cipher = (enum tls_cipher)i;
            const struct metrics_label labels[] = {
                {"protocol", tls_protocol_name(tls_cipher_protocol(cipher))},
                {"cipher", tls_cipher_name(cipher)},
                {"resumed", resumed ? "true" : "false"},
                {NULL, NULL}};
            taker->take(taker->arg, labels, counts->handshakes[i][resumed]);
        }
}

/* Of the alerts only those that there were: there are many. */
static void each_failure(const struct tls_counts *counts, const struct taker *taker)
{
    for (int i = 0; i < TLS_FAILURE_COUNT; i++) {
        const struct metrics_label labels[] = {
            {"reason", tls_failure_name((enum tls_failure)i)}, {"from", "client"}, {NULL, NULL}};
        taker->take(taker->arg, labels, counts->failures[i]);
    }
    for (int from_client = 0; from_client < 2; from_client++)
        for (int i = 0; i < 256; i++) {
            const struct metrics_label labels[] = {{"reason", tls_alert_name((uint8_t)i)},
                                                   {"from", from_client ? "client" : "node"},
                                                   {NULL, NULL}};
            if (counts->alerts[from_client][i] > 0)
                taker->take(taker->arg, labels, counts->alerts[from_client][i]);
        }
}

void metrics_each_labelled(const struct server_metrics *metrics, enum labelled labelled,
                           void (*take)(void *arg, const struct metrics_label *labels,
                                        uint64_t value),
                           void *arg)
{
    const struct taker taker = {take, arg};

    if (labelled == LABELLED_ENDS)
        each_end(metrics, &taker);
    else if (labelled == LABELLED_HANDSHAKES)
        each_handshake(&metrics->tls, &taker);
    else
        each_failure(&metrics->tls, &taker);
}

/* --- histograms ------------------------------------------------------------------------------ */

void metrics_classic_counts(uint64_t cumulative[CLASSIC_BUCKETS], const struct histogram *h)
{
    uint64_t seen = h->zero_count;
    int slot = 0;

    for (int i = 0; i < CLASSIC_BUCKETS; i++) {
        int bound = (CLASSIC_FIRST_POWER + i) * (1 << HISTOGRAM_SCALE);
        for (; slot + HISTOGRAM_MIN_INDEX + 1 <= bound; slot++)
            seen += h->buckets[slot];
        cumulative[i] = seen;
    }
}

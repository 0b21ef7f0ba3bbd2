/* SPDX-License-Identifier: MIT */
/* What is to be fetched: read from the protocol's example, refused with the name of the member,
 * spread over time, and where the node can be reached. */
#include "agent/agent_probe_order.c"

#include "agent_example.h"
#include "check.h"

#define ID "probe_01jd4q6v2m8w3x5y7z9abcdefp"

static char why[256];

/* Takes over `document`. */
static bool read_order(json_t *document, struct agent_probe_order *out)
{
    struct agent_reader reader = {document, why, sizeof(why), false};
    why[0] = '\0';
    agent_probe_order_read(&reader, out);
    json_decref(document);
    return !reader.failed;
}

static void the_example_is_read(void)
{
    struct agent_probe_order order;
    CHECK_TRUE(read_order(example_load("desired.response.probes"), &order), "%s", why);
    CHECK_STR(__LINE__, "id", order.id, ID);
    CHECK_INT(__LINE__, "rate", order.per_second, 25);
    CHECK_INT(__LINE__, "count", order.count, 500);
    CHECK_INT(__LINE__, "paths", order.path_count, 2);
    CHECK_STR(__LINE__, "host", order.paths[0].host, "www.example.org");
    CHECK_TRUE(order.paths[1].host == NULL, "no host was said");
    CHECK_STR(__LINE__, "path", order.paths[1].path, "/img/logo.png?v=2");
    agent_probe_order_fini(&order);
    CHECK_INT(__LINE__, "empty", order.path_count, 0);
    CHECK_TRUE(read_order(example_load("desired.response.nothing"), &order), "%s", why);
    CHECK_STR(__LINE__, "none", order.id, "");
}

/* The example's order with `member` changed, or removed if `value` is NULL. */
static void order_row(int line, const char *member, json_t *value, const char *want_why)
{
    struct agent_probe_order order;
    json_t *document = example_load("desired.response.probes");
    json_t *probes = json_object_get(document, "probes");
    if (value)
        json_object_set_new(probes, member, value);
    else
        json_object_del(probes, member);
    bool ok = read_order(document, &order);
    CHECK_INT(line, member, ok, want_why == NULL);
    if (want_why)
        CHECK_TRUE(strstr(why, want_why), "row %d: \"%s\", want \"%s\"", line, why, want_why);
    CHECK_TRUE(ok || (order.path_count == 0 && !order.id[0]), "row %d: nothing is left", line);
    agent_probe_order_fini(&order);
}

static void path_row(int line, const char *host, const char *path, const char *want_why)
{
    json_t *item = json_object();
    if (host)
        json_object_set_new(item, "host", json_string(host));
    if (path)
        json_object_set_new(item, "path", json_string(path));
    order_row(line, "paths", json_pack("[o]", item), want_why);
}

static json_t *many_paths(size_t count)
{
    json_t *paths = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(paths, json_pack("{ss}", "path", "/"));
    return paths;
}

static void what_is_beyond_the_limits_is_refused(void)
{
    char long_path[AGENT_PROBE_PATH_LEN + 2];
    memset(long_path, 'a', sizeof(long_path) - 1);
    long_path[0] = '/';
    long_path[sizeof(long_path) - 1] = '\0';

    order_row(__LINE__, "id", json_string("request_01jd4q6v2m8w3x5y7z9abcdefm"), "\"id\" must be");
    order_row(__LINE__, "perSecond", json_integer(50), NULL);
    order_row(__LINE__, "perSecond", json_integer(51), "\"perSecond\" must be");
    order_row(__LINE__, "perSecond", json_integer(0), "\"perSecond\" must be");
    order_row(__LINE__, "count", json_integer(2000), NULL);
    order_row(__LINE__, "count", json_integer(2001), "\"count\" must be");
    order_row(__LINE__, "count", NULL, "\"count\" is missing");
    order_row(__LINE__, "paths", many_paths(20), NULL);
    order_row(__LINE__, "paths", many_paths(21), "\"paths\" must be");
    order_row(__LINE__, "paths", many_paths(0), "\"paths\" must be");
    order_row(__LINE__, "paths", json_pack("[s]", "/"), "\"paths\" must be");
    path_row(__LINE__, NULL, "/?a=b&c=%20", NULL);
    path_row(__LINE__, "a-1.example", "/", NULL);
    path_row(__LINE__, NULL, NULL, "\"path\" is missing");
    path_row(__LINE__, NULL, "index.html", "must begin with /");
    path_row(__LINE__, NULL, "/a b", "\"path\" must hold");
    path_row(__LINE__, NULL, "/ HTTP/1.1\r\nX: y", "\"path\" must hold");
    path_row(__LINE__, NULL, "/a#b", "\"path\" must hold");
    path_row(__LINE__, NULL, "/\xc3\xa9", "\"path\" must hold");
    path_row(__LINE__, NULL, long_path, "\"path\" must be");
    path_row(__LINE__, "", "/", "\"host\" must be");
    path_row(__LINE__, "a\r\nX: y", "/", "\"host\" must be a name");
}

static void requests_are_spread_over_time(void)
{
    struct agent_probe_order order = {.per_second = 50, .count = 3, .path_count = 1};
    struct agent_probe_pace pace;
    uint64_t now = 5 * NS_PER_SECOND;
    agent_probe_pace_begin(&pace, &order, now);
    CHECK_INT(__LINE__, "the first at once", pace.due_ns, now);
    agent_probe_pace_step(&pace, now + 1 * NS_PER_MS);
    CHECK_INT(__LINE__, "the next in a fiftieth", pace.due_ns, now + 20 * NS_PER_MS);
    agent_probe_pace_step(&pace, now + 100 * NS_PER_MS);
    CHECK_INT(__LINE__, "not two at once", pace.due_ns, now + 100 * NS_PER_MS);
    CHECK_TRUE(!agent_probe_pace_is_over(&pace, pace.due_ns), "one is left");
    agent_probe_pace_step(&pace, now + 101 * NS_PER_MS);
    CHECK_INT(__LINE__, "none sooner for it", pace.due_ns, now + 120 * NS_PER_MS);
    CHECK_TRUE(agent_probe_pace_is_over(&pace, now), "all were asked");
}

static void an_order_ends_by_itself(void)
{
    struct agent_probe_order order = {.per_second = 1, .count = 2000, .path_count = 1}, none = {0};
    struct agent_probe_pace pace;
    agent_probe_pace_begin(&pace, &order, NS_PER_SECOND);
    CHECK_TRUE(!agent_probe_pace_is_over(&pace, 61 * NS_PER_SECOND - 1), "for a minute");
    CHECK_TRUE(agent_probe_pace_is_over(&pace, 61 * NS_PER_SECOND), "not longer");
    agent_probe_pace_begin(&pace, &none, 0);
    CHECK_TRUE(agent_probe_pace_is_over(&pace, 0), "of nothing, nothing");
}

static bool redirects; /* to HTTPS */

static void target_row(int line, const char *listens, const char *url, const char *socket)
{
    char text[768];
    struct agent_probe_target target;
    struct config_errors errors = {0};
    snprintf(text, sizeof(text),
             "{\"trustedProxies\":[\"192.0.2.1\"],\"listen\":[%s],\"sites\":[{\"hosts\":[\"*\"],"
             "\"certificates\":[{\"name\":\"a\"}],\"redirectToHttps\":%s,\"root\":\"/\"}]}",
             listens, redirects ? "true" : "false");
    struct config *cfg = config_parse(text, strlen(text), &errors);
    CHECK_TRUE(cfg != NULL, "row %d: %s", line, errors.count ? errors.items[0].message : "");
    CHECK_INT(line, listens, agent_probe_target_of(cfg, &target), url != NULL);
    if (url)
        CHECK_STR(line, listens, target.url, url);
    CHECK_STR(line, listens, target.socket ? target.socket : "", socket);
    config_put(cfg);
    config_errors_fini(&errors);
}

static void the_first_address_is_taken(void)
{
    struct agent_probe_target target;
    target_row(__LINE__, "{\"address\":\"0.0.0.0\",\"port\":80}", "http://127.0.0.1:80", "");
    target_row(__LINE__, "{\"address\":\"::\",\"port\":8080}", "http://[::1]:8080", "");
    target_row(__LINE__, "{\"address\":\"192.0.2.7\",\"port\":81},{\"address\":\"::1\",\"port\":1}",
               "http://192.0.2.7:81", "");
    target_row(__LINE__, "{\"socket\":\"/run/a\"},{\"address\":\"2001:db8::1\",\"port\":80}",
               "http://[2001:db8::1]:80", "");
    target_row(__LINE__, "{\"socket\":\"/run/a\"},{\"socket\":\"/run/b\"}", "http://localhost",
               "/run/a");
    target_row(__LINE__, "{\"address\":\"127.0.0.1\",\"port\":0}", NULL, "");
    target_row(__LINE__,
               "{\"port\":80,\"proxyProtocol\":true},{\"address\":\"127.0.0.1\",\"port\":81}",
               "http://127.0.0.1:81", "");
    target_row(__LINE__, "{\"port\":80,\"proxyProtocol\":true}", "http://127.0.0.1:80", "");
    target_row(__LINE__, "{\"port\":443,\"tls\":true},{\"port\":80}", "http://127.0.0.1:80", "");
    target_row(__LINE__, "{\"port\":443,\"tls\":true}", "https://127.0.0.1:443", "");
    redirects = true;
    target_row(__LINE__, "{\"port\":80},{\"address\":\"::\",\"port\":443,\"tls\":true}",
               "https://[::1]:443", "");
    redirects = false;
    CHECK_TRUE(!agent_probe_target_of(NULL, &target), "without a config");
}

int main(void)
{
    the_example_is_read();
    what_is_beyond_the_limits_is_refused();
    requests_are_spread_over_time();
    an_order_ends_by_itself();
    the_first_address_is_taken();
    return check_end("agent_probe_order");
}

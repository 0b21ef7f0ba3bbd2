/* SPDX-License-Identifier: MIT */
/* load_plan_urls.c — whom a run may ask, what for, and the lines of a replay.
 *
 * The second lock of the refusal in farmctl: an address that is not of this machine is taken only
 * with "confirmed": true beside it, which farmctl writes for a name that was typed. */
#include "load/load_plan_parts.h"

#include "base/mem.h"

#include <arpa/inet.h>

/* --- targets --------------------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)address;
        return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *v6 = (const void *)address;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static bool read_address(struct load_target *target, const char *text, json_int_t port)
{
    struct sockaddr_in *v4 = (void *)&target->address;
    struct sockaddr_in6 *v6 = (void *)&target->address;

    if (!text || port < 1 || port > 65535)
        return false;
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        target->address_len = sizeof(*v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) != 1)
        return false;
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons((uint16_t)port);
    target->address_len = sizeof(*v6);
    return true;
}

/* Nothing that would end a word of a request's first line or its Host. */
static bool is_word(const char *text)
{
    if (!text || !*text)
        return false;
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return true;
}

int load_read_targets(struct load_plan *plan, const json_t *root, struct buf *why)
{
    const json_t *list = json_object_get(root, "targets");
    size_t count = json_array_size(list);

    if (count < 1 || count > LOAD_TARGETS_MAX)
        return load_refuse(why, "\"targets\" must be a list of 1 to %d", LOAD_TARGETS_MAX);
    plan->targets = xcalloc(count, sizeof(*plan->targets));
    for (size_t i = 0; i < count; i++) {
        const json_t *item = json_array_get(list, i);
        struct load_target *target = &plan->targets[i];
        const char *name = json_string_value(json_object_get(item, "name"));
        const char *address = json_string_value(json_object_get(item, "address"));
        if (!is_word(name) ||
            !read_address(target, address, json_integer_value(json_object_get(item, "port"))))
            return load_refuse(why, "target %zu must have a name, an address and a port", i);
        if (!is_loopback(&target->address) && !json_is_true(json_object_get(item, "confirmed")))
            return load_refuse(
                why, "%s (%s) is not this machine: a load on it must be confirmed by name", name,
                address);
        target->name = xstrdup(name);
        target->tls = json_is_true(json_object_get(item, "tls"));
        plan->target_count++;
    }
    return 0;
}

/* --- URLs ------------------------------------------------------------------------------------ */

static bool read_digest(struct load_url *url, const char *hex)
{
    if (strlen(hex) != 2 * LOAD_DIGEST_BYTES)
        return false;
    for (size_t i = 0; i < LOAD_DIGEST_BYTES; i++) {
        int high = hex_digit(hex[2 * i]), low = hex_digit(hex[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        url->digest[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

/* Each line a field that ends properly: no empty one, which would end the head, and no line feed
 * alone, which many servers take for an end, too. */
static bool are_fields(const char *fields)
{
    if (strlen(fields) > LOAD_FIELDS_MAX)
        return false;
    while (*fields) {
        size_t len = strcspn(fields, "\r\n");
        if (!memchr(fields, ':', len) || fields[len] != '\r' || fields[len + 1] != '\n')
            return false;
        fields += len + 2;
    }
    return true;
}

static void write_request(struct load_plan *plan, struct load_url *url, const char *path,
                          const char *host)
{
    struct buf text;

    buf_init(&text);
    buf_printf(&text, "%s %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: " LOAD_USER_AGENT "\r\n%s%s\r\n",
               url->is_head ? "HEAD" : "GET", path, host, plan->fields,
               plan->keep_alive ? "" : "Connection: close\r\n");
    url->request_len = text.len;
    url->request = buf_take(&text);
    url->path = (struct span){strchr(url->request, ' ') + 1, strlen(path)};
    url->host =
        (struct span){url->path.ptr + url->path.len + strlen(" HTTP/1.1\r\nHost: "), strlen(host)};
}

static int read_url(struct load_plan *plan, const json_t *item, struct buf *why)
{
    size_t i = plan->url_count;
    struct load_url *url = &plan->urls[i];
    const char *path = json_string_value(json_object_get(item, "path"));
    const char *host = json_string_value(json_object_get(item, "host"));
    const char *digest = json_string_value(json_object_get(item, "sha256"));
    const json_t *bytes = json_object_get(item, "bytes");
    const json_t *weight = json_object_get(item, "weight");
    json_int_t target = json_integer_value(json_object_get(item, "target"));

    if (!is_word(path) || path[0] != '/' || strlen(path) > LOAD_PATH_MAX)
        return load_refuse(why, "URL %zu must have a path of at most %d bytes", i, LOAD_PATH_MAX);
    if (target < 0 || (uint64_t)target >= plan->target_count)
        return load_refuse(why, "URL %zu is of a target that there is not", i);
    if (host && !is_word(host))
        return load_refuse(why, "URL %zu has no host", i);
    url->target = (uint32_t)target;
    url->weight = weight ? json_number_value(weight) : 1;
    if (!(url->weight > 0 && url->weight <= 1e9))
        return load_refuse(why, "URL %zu: its weight must be above 0, at most 1e9", i);
    url->is_head = json_is_true(json_object_get(item, "head"));
    url->knows_bytes = json_is_integer(bytes) && json_integer_value(bytes) >= 0;
    url->bytes = url->knows_bytes ? (uint64_t)json_integer_value(bytes) : 0;
    url->knows_digest = digest != NULL;
    if (digest && !read_digest(url, digest))
        return load_refuse(why, "URL %zu: \"sha256\" is 64 hexadecimal digits", i);
    write_request(plan, url, path, host ? host : plan->targets[target].name);
    plan->url_count++;
    return 0;
}

int load_read_urls(struct load_plan *plan, const json_t *root, struct buf *why)
{
    const json_t *list = json_object_get(root, "urls");
    const char *fields = json_string_value(json_object_get(root, "fields"));
    size_t count = json_array_size(list);

    if (count < 1 || count > LOAD_URLS_MAX)
        return load_refuse(why, "\"urls\" must be a list of 1 to %d", LOAD_URLS_MAX);
    if (fields && !are_fields(fields))
        return load_refuse(why, "\"fields\" must be whole lines, at most %d bytes of them",
                           LOAD_FIELDS_MAX);
    if (plan->streams && plan->target_count > 1)
        return load_refuse(why, "over HTTP/2 one run asks one server");
    plan->fields = xstrdup(fields ? fields : "");
    plan->urls = xcalloc(count, sizeof(*plan->urls));
    for (size_t i = 0; i < count; i++)
        if (read_url(plan, json_array_get(list, i), why))
            return -1;
    return 0;
}

/* --- a replay -------------------------------------------------------------------------------- */

/* Takes a number off the front of *p, and the blanks before it. */
static bool take_number(const char **p, const char *end, uint64_t most, uint64_t *number)
{
    const char *begin;

    while (*p < end && **p == ' ')
        (*p)++;
    begin = *p;
    for (*number = 0; *p < end && **p >= '0' && **p <= '9' && *number <= most; (*p)++)
        *number = *number * 10 + (uint64_t)(**p - '0');
    return *p > begin && *number <= most;
}

static int read_due(struct load_plan *plan, const char *line, const char *end, struct buf *why)
{
    uint64_t due_us, url, last = plan->replay_count;

    if (!take_number(&line, end, UINT64_C(86400000000), &due_us) ||
        !take_number(&line, end, plan->url_count - 1, &url) || line < end)
        return load_refuse(why, "replay line %zu must be \"DUE_US URL\"", plan->replay_count + 1);
    if (last > 0 && plan->replay[last - 1].due_ns > due_us * 1000)
        return load_refuse(why, "replay line %zu is due before the one above it",
                           plan->replay_count + 1);
    plan->replay[plan->replay_count++] = (struct load_due){due_us * 1000, (uint32_t)url};
    return 0;
}

int load_read_replay(struct load_plan *plan, struct span lines, struct buf *why)
{
    const char *p = lines.ptr, *end = lines.ptr + lines.len;
    size_t cap = 0;

    while (p < end) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        if (!line_end)
            line_end = end;
        if (line_end > p) {
            if (plan->replay_count == LOAD_REPLAY_MAX)
                return load_refuse(why, "a replay is of at most %d requests", LOAD_REPLAY_MAX);
            if (plan->replay_count == cap) {
                cap = cap ? cap * 2 : 1024;
                plan->replay = xreallocarray(plan->replay, cap, sizeof(*plan->replay));
            }
            if (read_due(plan, p, line_end, why))
                return -1;
        }
        p = line_end + 1;
    }
    return plan->replay_count ? 0 : load_refuse(why, "a replay without requests");
}

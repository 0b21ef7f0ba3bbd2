/* SPDX-License-Identifier: MIT */
/* agent_facts.c — reading the kernel's text is separate from parsing it. */
#include "agent/agent_facts.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TEXT_BYTES 4096 /* of a file in /proc: what is needed is at its beginning */
/* Counting many descriptors takes long on kernels before 6.2, which have no quick way. */
#define MANY_DESCRIPTORS 4096
#define MANY_EVERY 12

/* Reads the beginning of a file; "" if that is not possible. */
static void read_text(const char *path, char text[TEXT_BYTES])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd >= 0 ? read(fd, text, TEXT_BYTES - 1) : -1;
    text[len > 0 ? len : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

/* proc(5): "cpu  user nice system idle iowait irq softirq steal …" in ticks. */
static double parse_cpu_busy(const char *text, long ticks_per_second)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    double busy = 0;
    if (strncmp(text, "cpu ", 4) != 0 || ticks_per_second <= 0)
        return -1;
    text += 4;
    for (int i = 0; i < FIELDS; i++) {
        char *end;
        unsigned long long ticks = strtoull(text, &end, 10);
        if (end == text)
            return -1;
        if (i != IDLE && i != IOWAIT)
            busy += (double)ticks;
        text = end;
    }
    return busy / (double)ticks_per_second;
}

/* "MemTotal:  16384 kB" */
static uint64_t parse_memory(const char *text, const char *name)
{
    const char *found = strstr(text, name);
    char *end;
    if (!found)
        return AGENT_FACT_UNKNOWN;
    unsigned long long kibibytes = strtoull(found + strlen(name), &end, 10);
    return strncmp(end, " kB", 3) == 0 ? (uint64_t)kibibytes * 1024 : AGENT_FACT_UNKNOWN;
}

static double parse_load(const char *text)
{
    char *end;
    double load = strtod(text, &end);
    return end != text && *end == ' ' ? load : -1;
}

/* proc(5): statm has the size and then what is resident, in pages. */
static uint64_t parse_resident(const char *text, long page_bytes)
{
    char *end;
    strtoull(text, &end, 10);
    const char *second = end;
    unsigned long long pages = strtoull(second, &end, 10);
    return end != second && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes
                                           : AGENT_FACT_UNKNOWN;
}

static uint64_t count_entries(const char *path)
{
    DIR *dir = opendir(path);
    uint64_t count = 0;
    if (!dir)
        return AGENT_FACT_UNKNOWN;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count > 0 ? count - 1 : 0; /* without the descriptor that reads the folder */
}

static void read_descriptors(struct agent_facts *facts)
{
    struct rlimit limit;
    struct stat st;
    bool has_limit = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    facts->descriptor_limit = has_limit ? limit.rlim_cur : AGENT_FACT_UNKNOWN;
    if (stat("/proc/self/fd", &st) == 0 && st.st_size > 0) {
        facts->open_descriptors = (uint64_t)st.st_size;
        return;
    }
    if (facts->reads > 0) {
        facts->reads--;
        return;
    }
    facts->open_descriptors = count_entries("/proc/self/fd");
    if (facts->open_descriptors > MANY_DESCRIPTORS)
        facts->reads = MANY_EVERY;
}

static int64_t unix_time_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void agent_facts_read(struct agent_facts *facts)
{
    char text[TEXT_BYTES];
    if (facts->cpu_count == 0) {
        long count = sysconf(_SC_NPROCESSORS_ONLN);
        facts->cpu_count = count > 0 ? (uint64_t)count : AGENT_FACT_UNKNOWN;
    }
    read_text("/proc/loadavg", text);
    facts->load_average_1m = parse_load(text);
    read_text("/proc/stat", text);
    facts->cpu_busy_seconds = parse_cpu_busy(text, sysconf(_SC_CLK_TCK));
    read_text("/proc/meminfo", text);
    facts->memory_total_bytes = parse_memory(text, "MemTotal:");
    facts->memory_available_bytes = parse_memory(text, "MemAvailable:");
    read_text("/proc/self/statm", text);
    facts->resident_bytes = parse_resident(text, sysconf(_SC_PAGESIZE));
    read_descriptors(facts);
    facts->unix_time_ms = unix_time_ms();
}

/* --- the message --- */

static json_t *integer_or_null(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

static json_t *real_or_null(double value)
{
    return value >= 0 ? json_real(value) : json_null();
}

static json_t *root_json(const struct agent_root *root)
{
    json_t *device = root->device[0] ? json_string(root->device) : json_null();
    return json_pack("{ss so so so so so so}", "path", root->path, "device", device, "totalBytes",
                     integer_or_null(root->total_bytes), "freeBytes",
                     integer_or_null(root->free_bytes), "readBytesTotal",
                     integer_or_null(root->read_bytes), "readsTotal", integer_or_null(root->reads),
                     "readMilliseconds", integer_or_null(root->read_millis));
}

json_t *agent_facts_json(const struct agent_facts *facts)
{
    json_t *roots = json_array();
    for (size_t i = 0; i < facts->roots.count; i++) {
        json_t *root = root_json(&facts->roots.items[i]);
        /* A path that is not UTF-8 can't be written in JSON. */
        if (root)
            json_array_append_new(roots, root);
    }
    return json_pack("{so so so so so so so so so sI so}", "cpuCount",
                     integer_or_null(facts->cpu_count), "loadAverage1m",
                     real_or_null(facts->load_average_1m), "cpuBusySeconds",
                     real_or_null(facts->cpu_busy_seconds), "memoryTotalBytes",
                     integer_or_null(facts->memory_total_bytes), "memoryAvailableBytes",
                     integer_or_null(facts->memory_available_bytes), "residentBytes",
                     integer_or_null(facts->resident_bytes), "openDescriptors",
                     integer_or_null(facts->open_descriptors), "descriptorLimit",
                     integer_or_null(facts->descriptor_limit), "openConnections",
                     integer_or_null(facts->open_connections), "unixTimeMs",
                     (json_int_t)facts->unix_time_ms, "roots", roots);
}

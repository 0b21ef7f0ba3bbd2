/* SPDX-License-Identifier: MIT */
/* Which folders are asked about, what the kernel's counters mean, and that nobody waits for a
 * disk. */
#include "agent/agent_disks.c"

#include "check.h"

static void row(int line, const char *root, const char *want)
{
    char got[256];
    snprintf(got, sizeof(got), "%.*s", (int)fixed_len(root), root);
    CHECK_STR(line, root, got, want);
}

static void a_root_s_fixed_part_is_a_folder(void)
{
    row(__LINE__, "/srv/www", "/srv/www");
    row(__LINE__, "/srv/www/", "/srv/www");
    row(__LINE__, "/", "/");
    row(__LINE__, "/srv/{host}/www", "/srv");
    row(__LINE__, "/srv/site-{host1}", "/srv");
    row(__LINE__, "/{host}", "/");
}

static void each_root_is_asked_about_once(void)
{
    struct config_site sites[80] = {0};
    struct config cfg = {.sites = sites, .site_count = 80};
    struct agent_roots roots = {0};
    char paths[80][16], same[] = "/srv/3/";
    for (size_t i = 0; i < 80; i++) {
        snprintf(paths[i], sizeof(paths[i]), "/srv/%zu", i);
        sites[i].root = paths[i];
    }
    sites[5].root = same;
    list_roots(&roots, &cfg);
    CHECK_INT(__LINE__, "at most", roots.count, AGENT_ROOTS_MAX);
    CHECK_STR(__LINE__, "not twice", roots.items[5].path, "/srv/6");
    agent_roots_fini(&roots);
    list_roots(&roots, NULL);
    CHECK_INT(__LINE__, "no config", roots.count, 0);
    agent_roots_fini(&roots);
}

static void counters_are_the_kernel_s(void)
{
    struct agent_root root;
    forget_facts(&root);
    CHECK_TRUE(parse_counters("  72851     1966 15510836 10314598     8618 52730", &root), "read");
    CHECK_INT(__LINE__, "reads", root.reads, 72851);
    CHECK_INT(__LINE__, "bytes", root.read_bytes, INT64_C(15510836) * 512);
    CHECK_INT(__LINE__, "milliseconds", root.read_millis, 10314598);
    CHECK_TRUE(!parse_counters("1 2 3", &root) && !parse_counters("", &root), "cut off");
}

/* A tree like that of sysfs: a name that leads to a folder with a file "stat". */
static void a_device_has_a_name_and_counters(void)
{
    char dir[] = "/tmp/farmstead-disks-XXXXXX", path[128], link[128];
    struct agent_root root;
    CHECK_TRUE(mkdtemp(dir) != NULL, "mkdtemp");
    snprintf(path, sizeof(path), "%s/sdx1", dir);
    snprintf(link, sizeof(link), "%s/8:17", dir);
    CHECK_INT(__LINE__, "folder", mkdir(path, 0700), 0);
    CHECK_INT(__LINE__, "link", symlink("../x/../sdx1", link), 0);
    forget_facts(&root);
    read_counters(dir, makedev(8, 17), &root);
    CHECK_STR(__LINE__, "no counters, no device", root.device, "");
    unlink(link);
    CHECK_INT(__LINE__, "link", symlink("sdx1", link), 0);
    snprintf(path, sizeof(path), "%s/sdx1/stat", dir);
    FILE *file = fopen(path, "w");
    fprintf(file, "1 2 3 4 5\n");
    fclose(file);
    read_counters(dir, makedev(8, 17), &root);
    CHECK_STR(__LINE__, "name", root.device, "sdx1");
    CHECK_INT(__LINE__, "bytes", root.read_bytes, 1536);
    forget_facts(&root);
    read_counters(dir, makedev(8, 18), &root);
    CHECK_STR(__LINE__, "another", root.device, "");
    unlink(path);
    snprintf(path, sizeof(path), "%s/sdx1", dir);
    rmdir(path);
    unlink(link);
    CHECK_INT(__LINE__, "rmdir", rmdir(dir), 0);
}

static void an_answer_comes_with_the_next_question(void)
{
    char root[] = "/proc", gone[] = "/nonexistent";
    struct config_site sites[2] = {{.root = root}, {.root = gone}};
    struct config cfg = {.sites = sites, .site_count = 2};
    struct agent_roots roots = {0};
    struct agent_disks *disks = agent_disks_start();
    agent_disks_ask(disks, &cfg, &roots);
    CHECK_INT(__LINE__, "not yet", roots.count, 0);
    pthread_mutex_lock(&disks->lock);
    while (disks->is_asked || disks->is_busy)
        pthread_cond_wait(&disks->changed, &disks->lock);
    disks->is_busy = true; /* as when a disk never answers */
    pthread_mutex_unlock(&disks->lock);
    agent_disks_ask(disks, &cfg, &roots);
    CHECK_INT(__LINE__, "the paths", roots.count, 2);
    CHECK_TRUE(roots.items[0].total_bytes == AGENT_FACT_UNKNOWN, "and no more");
    pthread_mutex_lock(&disks->lock);
    disks->is_busy = false;
    pthread_mutex_unlock(&disks->lock);
    agent_disks_ask(disks, &cfg, &roots);
    CHECK_STR(__LINE__, "answered", roots.items[0].path, "/proc");
    CHECK_TRUE(roots.items[0].total_bytes != AGENT_FACT_UNKNOWN, "by a file system");
    CHECK_STR(__LINE__, "on no disk", roots.items[0].device, "");
    CHECK_TRUE(roots.items[1].total_bytes == AGENT_FACT_UNKNOWN, "not there");
    agent_roots_fini(&roots);
    agent_disks_stop(disks);
    agent_disks_stop(NULL);
}

int main(void)
{
    a_root_s_fixed_part_is_a_folder();
    each_root_is_asked_about_once();
    counters_are_the_kernel_s();
    a_device_has_a_name_and_counters();
    an_answer_comes_with_the_next_question();
    return check_end("agent_disks");
}

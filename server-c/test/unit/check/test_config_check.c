/* SPDX-License-Identifier: MIT */
#include "check/config_check.c"
#include "check/config_check_listen.c"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

/* A folder of the test's own, removed at the end. */
static char folder[] = "/tmp/farmstead-check-XXXXXX";

/* Returns a TCP port of 127.0.0.1 on which `fd` listens. */
static uint16_t listen_somewhere(int *fd)
{
    struct sockaddr_in addr = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(addr);

    int on = 1;

    *fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(*fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on)); /* as the node's listeners do */
    CHECK_INT(__LINE__, "bind", bind(*fd, (void *)&addr, len), 0);
    CHECK_INT(__LINE__, "listen", listen(*fd, 1), 0);
    CHECK_INT(__LINE__, "name", getsockname(*fd, (void *)&addr, &len), 0);
    return ntohs(addr.sin_port);
}

/* A config of `rest`, a site, and a listener on a port that is sure to be free. */
static struct config *config_with(const char *root, const char *rest)
{
    struct config_errors errors = {0};
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    buf_printf(&text, "{\"sites\": [{\"hosts\": [\"*\"], \"root\": \"%s\"}], %s}", root, rest);
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", text.data, errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    buf_fini(&text);
    return cfg;
}

/* The config in `pattern`, in which "$" stands for the test's folder. */
static struct config *config_of(const char *pattern)
{
    struct config_errors errors = {0};
    struct config *cfg;
    struct buf text;

    buf_init(&text);
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '$')
            buf_append_str(&text, folder);
        else
            buf_append_char(&text, *pattern);
    }
    cfg = config_parse(text.data, text.len, &errors);
    CHECK_TRUE(cfg != NULL, "%s: %s", text.data, errors.count ? errors.items[0].message : "");
    config_errors_fini(&errors);
    buf_fini(&text);
    return cfg;
}

static void write_file(const char *name, const char *bytes, mode_t mode)
{
    char path[96];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK_TRUE(file != NULL, "%s", path);
    if (file == NULL)
        return;
    fputs(bytes, file);
    fclose(file);
    chmod(path, mode);
}

static void make_folder(const char *name)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    CHECK_INT(__LINE__, name, mkdir(path, 0755), 0);
}

static void remove_file(const char *name)
{
    char path[96];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    CHECK_INT(__LINE__, name, remove(path), 0);
}

/* `want` is "pointer code" of the one finding, or "" for none. */
static void check_machine(int line, const char *name, struct config *cfg,
                          const struct config *running, const char *want)
{
    struct config_errors errors = {0};
    char got[256] = "";
    int err = config_check_machine(cfg, running, &errors);

    CHECK_INT(line, name, err, *want == '\0' ? 0 : -1);
    CHECK_TRUE(errors.count <= 1, "row %d: %zu findings", line, errors.count);
    if (errors.count > 0)
        snprintf(got, sizeof(got), "%s %s", errors.items[0].pointer, errors.items[0].code);
    CHECK_STR(line, name, got, want);
    config_put(cfg);
    config_errors_fini(&errors);
}

static void test_roots_and_logs(void)
{
    char file[64], rest[160];

    snprintf(file, sizeof(file), "%s/file", folder);
    close(open(file, O_CREAT | O_WRONLY, 0644));
    check_machine(__LINE__, "all there", config_with(folder, "\"listen\": [{\"port\": 0}]"), NULL,
                  "");
    check_machine(__LINE__, "no root",
                  config_with("/nowhere/at/all", "\"listen\": [{\"port\": 0}]"), NULL,
                  "/sites/0/root missing_file");
    check_machine(__LINE__, "a file as root", config_with(file, "\"listen\": [{\"port\": 0}]"),
                  NULL, "/sites/0/root missing_file");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/new.log\"}", folder);
    check_machine(__LINE__, "a log to be", config_with(folder, rest), NULL, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": 0}], \"errorLog\": {\"path\": \"%s\"}",
             file);
    check_machine(__LINE__, "a log that is", config_with(folder, rest), NULL, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": 0}], \"errorLog\": {\"path\": \"%s\"}",
             folder);
    check_machine(__LINE__, "a folder as log", config_with(folder, rest), NULL,
                  "/errorLog/path unusable_file");
    check_machine(__LINE__, "a log's folder is missing",
                  config_with(folder, "\"listen\": [{\"port\": 0}], "
                                      "\"accessLog\": {\"path\": \"/nowhere/x.log\"}"),
                  NULL, "/accessLog/path missing_file");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/x.log\"}", file);
    check_machine(__LINE__, "a log under a file", config_with(folder, rest), NULL,
                  "/accessLog/path missing_file");
    unlink(file);
}

static void test_ports(void)
{
    char rest[160];
    int fd;
    unsigned port = listen_somewhere(&fd);
    struct config *running;

    snprintf(rest, sizeof(rest), "\"listen\": [{\"address\": \"127.0.0.1\", \"port\": %u}]", port);
    check_machine(__LINE__, "taken", config_with(folder, rest), NULL, "/listen/0/port port_in_use");
    running = config_with(folder, rest);
    check_machine(__LINE__, "taken by ourselves", config_with(folder, rest), running, "");
    snprintf(rest, sizeof(rest), "\"listen\": [{\"port\": %u}]", port);
    check_machine(__LINE__, "by ourselves, as every address", config_with(folder, rest), running,
                  "");
    snprintf(rest, sizeof(rest), "\"admin\": {\"address\": \"127.0.0.1\", \"port\": %u}, %s", port,
             "\"listen\": [{\"port\": 0}]");
    check_machine(__LINE__, "admin's is taken", config_with(folder, rest), NULL,
                  "/admin/port port_in_use");
    config_put(running);
    close(fd);
    snprintf(rest, sizeof(rest), "\"listen\": [{\"address\": \"127.0.0.1\", \"port\": %u}]", port);
    check_machine(__LINE__, "free again", config_with(folder, rest), NULL, "");
    check_machine(__LINE__, "not ours (TEST-NET-1)",
                  config_with(folder, "\"listen\": [{\"address\": \"192.0.2.1\", \"port\": 8080}]"),
                  NULL, "/listen/0/port address_unavailable");
}

/* A port that nobody has at any address of this machine: what the kernel gives at one of them may be taken at another. */
static uint16_t free_port(int family)
{
    union address address;
    socklen_t len = sizeof(address);
    int on = 1, fd = socket(family, SOCK_STREAM, 0);

    CHECK_TRUE(make_address(&address, family == AF_INET6 ? "::" : "0.0.0.0", 0), "every address");
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    CHECK_INT(__LINE__, "bind", bind(fd, &address.any, sizeof(address)), 0);
    CHECK_INT(__LINE__, "name", getsockname(fd, &address.any, &len), 0);
    close(fd);
    return ntohs(address.v4.sin_port);
}

/* Recognises listeners of the running config, however their addresses are written. */
static void test_ports_of_ours(void)
{
    static const struct {
        int line;
        const char *name, *running, *wanted, *want;
    } rows[] = {
        {__LINE__, "from every address to one", "\"0.0.0.0\"", "\"127.0.0.1\"", ""},
        {__LINE__, "from one to every address", "\"127.0.0.1\"", "\"0.0.0.0\"", ""},
        {__LINE__, "another spelling", "\"::1\"", "\"0:0:0:0:0:0:0:1\"", ""},
        {__LINE__, "from every v6 address to one", "\"::0\"", "\"::1\"", ""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[256];
        struct config *running;
        union address address;
        socklen_t len = sizeof(address);
        char held[64];
        int on = 1, fd;

        snprintf(held, sizeof(held), "%.*s", (int)strlen(rows[i].running) - 2, rows[i].running + 1);
        CHECK_TRUE(make_address(&address, held, 0), "%s", held);
        fd = socket(address.any.sa_family, SOCK_STREAM, 0);
        if (fd < 0)
            continue; /* this machine has no IPv6 */
        setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof(on));
        if (address.any.sa_family == AF_INET6)
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
        address.v4.sin_port = htons(free_port(address.any.sa_family));
        CHECK_INT(rows[i].line, "bind", bind(fd, &address.any, sizeof(address)), 0);
        CHECK_INT(rows[i].line, "listen", listen(fd, 1), 0);
        CHECK_INT(rows[i].line, "name", getsockname(fd, &address.any, &len), 0);
        snprintf(text, sizeof(text), "\"listen\": [{\"address\": %s, \"port\": %u}]",
                 rows[i].running, ntohs(address.v4.sin_port));
        running = config_with(folder, text);
        snprintf(text, sizeof(text), "\"listen\": [{\"address\": %s, \"port\": %u}]",
                 rows[i].wanted, ntohs(address.v4.sin_port));
        check_machine(rows[i].line, rows[i].name, config_with(folder, text), running, rows[i].want);
        check_machine(rows[i].line, "and to nobody else", config_with(folder, text), NULL,
                      "/listen/0/port port_in_use");
        snprintf(text, sizeof(text),
                 "\"listen\": [{\"port\": 0}], \"admin\": {\"address\": %s, \"port\": %u}",
                 rows[i].wanted, ntohs(address.v4.sin_port));
        check_machine(rows[i].line, "as the admin's", config_with(folder, text), running, "");
        config_put(running);
        close(fd);
    }
}

/* The IPv4 wildcard is not an IPv6 address, so [::]:port of another program is not ours. */
static void test_port_of_the_other_family(void)
{
    union address address;
    socklen_t len = sizeof(address);
    struct config *running;
    char text[256];
    int on = 1, fd = socket(AF_INET6, SOCK_STREAM, 0);

    if (fd < 0)
        return;
    make_address(&address, "::1", 0);
    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, &address.any, sizeof(address.v6)) == 0 && listen(fd, 1) == 0 &&
        getsockname(fd, &address.any, &len) == 0) {
        snprintf(text, sizeof(text), "\"listen\": [{\"port\": %u}]", ntohs(address.v6.sin6_port));
        running = config_with(folder, text);
        snprintf(text, sizeof(text), "\"listen\": [{\"address\": \"::\", \"port\": %u}]",
                 ntohs(address.v6.sin6_port));
        check_machine(__LINE__, "v6 is another port", config_with(folder, text), running,
                      "/listen/0/port port_in_use");
        config_put(running);
    }
    close(fd);
}

static int listen_on(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s/%s", folder, name);
    CHECK_INT(__LINE__, name, bind(fd, (void *)&address, sizeof(address)), 0);
    CHECK_INT(__LINE__, name, listen(fd, 1), 0);
    return fd;
}

#define SITE "\"sites\": [{\"hosts\": [\"*\"], \"root\": \"$\"}]"

static void test_sockets(void)
{
    static const char text[] = "{\"listen\": [{\"socket\": \"$/s\"}], " SITE "}";
    struct config *running;
    int fd;

    check_machine(__LINE__, "to be made", config_of(text), NULL, "");
    check_machine(__LINE__, "its folder is missing",
                  config_of("{\"listen\": [{\"socket\": \"$/x/s\"}], " SITE "}"), NULL,
                  "/listen/0/socket missing_file");
    write_file("s", "", 0644);
    check_machine(__LINE__, "a file is there", config_of(text), NULL,
                  "/listen/0/socket port_in_use");
    remove_file("s");
    fd = listen_on("s");
    check_machine(__LINE__, "another program's", config_of(text), NULL,
                  "/listen/0/socket port_in_use");
    running = config_of(text);
    check_machine(__LINE__, "our own", config_of(text), running, "");
    config_put(running);
    close(fd);
    check_machine(__LINE__, "left behind", config_of(text), NULL, "");
    remove_file("s");
}

static void test_process(void)
{
    static const struct {
        int line;
        const char *name, *process, *want;
    } rows[] = {
        {__LINE__, "who they are", "\"user\": \"nobody\"", ""},
        {__LINE__, "no such user", "\"user\": \"no-such-user\"", "/process/user unknown_account"},
        {__LINE__, "no such group", "\"group\": \"no-such-group\"",
         "/process/group unknown_account"},
        {__LINE__, "a pid file to be", "\"pidFile\": \"$/pid\"", ""},
        {__LINE__, "a pid file's folder is missing", "\"pidFile\": \"$/x/pid\"",
         "/process/pidFile missing_file"},
        {__LINE__, "a folder as pid file", "\"pidFile\": \"$\"", "/process/pidFile protected_file"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct config *running = config_of("{\"listen\": [{\"port\": 0}], " SITE "}");
        char text[256];

        snprintf(text, sizeof(text), "{\"listen\": [{\"port\": 0}], \"process\": {%s}, " SITE "}",
                 rows[i].process);
        check_machine(rows[i].line, rows[i].name, config_of(text), NULL, rows[i].want);
        if (strstr(rows[i].name, "pid") != NULL)
            check_machine(rows[i].line, "a pid file is the start's", config_of(text), running, "");
        config_put(running);
    }
}

/* Roots, logs and sockets are looked for below the folder that will be the root folder. */
static void test_chroot(void)
{
    static const char within[] =
        "{\"listen\": [{\"socket\": \"/www/s\"}], \"process\": {\"chroot\": \"$\"}, "
        "\"errorLog\": {\"path\": \"/www/log\"}, "
        "\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/www\"}]}";
    static const char nowhere[] =
        "{\"listen\": [{\"port\": 0}], \"process\": {\"chroot\": \"/nowhere\"}, "
        "\"sites\": [{\"hosts\": [\"*\"], \"root\": \"/w\"}]}";
    char path[96];

    snprintf(path, sizeof(path), "%s/www", folder);
    check_machine(__LINE__, "no such folder", config_of(nowhere), NULL,
                  "/process/chroot missing_file");
    mkdir(path, 0755);
    check_machine(__LINE__, "beneath", config_of(within), NULL, "");
    remove_file("www");
}

/* Can't be undone: no test about users or folders may follow. */
static void test_jail(void)
{
    config_check_set_jailed();
    check_machine(__LINE__, "paths are what they seem",
                  config_of("{\"listen\": [{\"port\": 0}], \"process\": {\"chroot\": \"/nowhere\", "
                            "\"user\": \"no-such-user\"}, " SITE "}"),
                  NULL, "");
}

static void check_site_rows(void)
{
    static const struct {
        int line;
        const char *name, *site, *want;
    } rows[] = {
        {__LINE__, "an alias", "\"aliases\": [{\"path\": \"/a/\", \"folder\": \"$\"}]", ""},
        {__LINE__, "no alias", "\"aliases\": [{\"path\": \"/a/\", \"folder\": \"$/x\"}]",
         "/sites/0/aliases/0/folder missing_file"},
        {__LINE__, "a file as alias", "\"aliases\": [{\"path\": \"/a/\", \"folder\": \"$/key\"}]",
         "/sites/0/aliases/0/folder missing_file"},
        {__LINE__, "homes that nobody asked for", "\"userDirs\": {\"base\": \"$/x\"}", ""},
        {__LINE__, "homes", "\"userDirs\": {\"folder\": \"www\", \"base\": \"$\"}", ""},
        {__LINE__, "no homes", "\"userDirs\": {\"folder\": \"www\", \"base\": \"$/x\"}",
         "/sites/0/userDirs/base missing_file"},
        {__LINE__, "users", "\"auth\": [{\"realm\": \"r\", \"file\": \"$/users\"}]", ""},
        {__LINE__, "no users", "\"auth\": [{\"realm\": \"r\", \"file\": \"$/x\"}]",
         "/sites/0/auth/0/file missing_file"},
        {__LINE__, "no users, for two paths",
         "\"auth\": [{\"realm\": \"r\", \"file\": \"$/x\"}, {\"realm\": \"s\", \"file\": \"$/x\"}]",
         "/sites/0/auth/0/file missing_file"},
        {__LINE__, "no lines of users", "\"auth\": [{\"realm\": \"r\", \"file\": \"$/key\"}]",
         "/sites/0/auth/0/file unusable_file"},
        {__LINE__, "a folder of users", "\"auth\": [{\"realm\": \"r\", \"file\": \"$\"}]",
         "/sites/0/auth/0/file unusable_file"},
        {__LINE__, "a secret", "\"signedUrls\": [{\"secretFile\": \"$/key\"}]", ""},
        {__LINE__, "no secret", "\"signedUrls\": [{\"secretFile\": \"$/x\"}]",
         "/sites/0/signedUrls/0/secretFile missing_file"},
        {__LINE__, "a short secret", "\"signedUrls\": [{\"secretFile\": \"$/short\"}]",
         "/sites/0/signedUrls/0/secretFile unusable_file"},
        {__LINE__, "a secret without end", "\"signedUrls\": [{\"secretFile\": \"/dev/zero\"}]",
         "/sites/0/signedUrls/0/secretFile unusable_file"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[512];

        snprintf(text, sizeof(text),
                 "{\"listen\": [{\"port\": 0}], \"sites\": [{\"hosts\": [\"*\"], \"root\": "
                 "\"$/served\", "
                 "%s}]}",
                 rows[i].site);
        check_machine(rows[i].line, rows[i].name, config_of(text), NULL, rows[i].want);
    }
}

static void test_sites(void)
{
    make_folder("served");
    write_file("key", "0123456789abcdef\n", 0644);
    write_file("short", "0123456789abcde\n", 0644);
    write_file("users", "anna:$2y$05$8U3i4RQK1sS2dHHDaWbtoeEuVEHYMEqzDNbNPCJUoIQ2dVsqp5FNm\n",
               0644);
    check_site_rows();
    remove_file("key");
    remove_file("short");
    remove_file("users");
    remove_file("served");
}

/* The part before the variable must exist. */
static void test_templates(void)
{
    static const struct {
        int line;
        const char *root, *want;
    } rows[] = {
        {__LINE__, "$/{host}/www", ""},
        {__LINE__, "$/www-{host1}", ""},
        {__LINE__, "/{host}", ""},
        {__LINE__, "$/x/{host}", "/sites/0/root missing_file"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char text[256];

        snprintf(text, sizeof(text),
                 "{\"listen\": [{\"port\": 0}], \"sites\": [{\"hosts\": [\"*\"], \"root\": "
                 "\"%s\"}]}",
                 rows[i].root);
        check_machine(rows[i].line, rows[i].root, config_of(text), NULL, rows[i].want);
    }
}

/* Root can read everything; what the node will be able to read after its start is another
 * matter. */
static void test_user_of_the_node(void)
{
    static const char text[] =
        "{\"listen\": [{\"port\": 0}], \"process\": {\"user\": \"nobody\"}, \"sites\": "
        "[{\"hosts\": "
        "[\"*\"], \"root\": \"$/served\", \"signedUrls\": [{\"secretFile\": \"$/key\"}]}]}";

    if (geteuid() != 0 || getpwnam("nobody") == NULL)
        return;
    make_folder("served");
    write_file("key", "0123456789abcdef\n", 0600);
    check_machine(__LINE__, "root's alone", config_of(text), NULL,
                  "/sites/0/signedUrls/0/secretFile permission");
    write_file("key", "0123456789abcdef\n", 0644);
    check_machine(__LINE__, "everybody's", config_of(text), NULL, "");
    remove_file("key");
    write_file("key", "root is root again", 0600);
    CHECK_INT(__LINE__, "rights are back", access("/etc/shadow", R_OK), 0);
    remove_file("key");
    remove_file("served");
}

/* To list a folder takes more rights than to pass through it. */
static void test_listed_folder(void)
{
    static const char text[] =
        "{\"listen\": [{\"port\": 0}], \"process\": {\"user\": \"nobody\"}, \"sites\": "
        "[{\"hosts\": "
        "[\"*\"], \"root\": \"$\", \"directoryListing\": {\"enabled\": true}}]}";

    if (geteuid() != 0 || getpwnam("nobody") == NULL)
        return;
    check_machine(__LINE__, "may be read", config_of(text), NULL, "");
    chmod(folder, 0711);
    check_machine(__LINE__, "may not be read", config_of(text), NULL, "/sites/0/root permission");
    chmod(folder, 0755);
}

static void test_descriptors(void)
{
    struct rlimit before, low;

    getrlimit(RLIMIT_NOFILE, &before);
    low = before;
    low.rlim_cur = low.rlim_max = 1000;
    setrlimit(RLIMIT_NOFILE, &low);
    check_machine(__LINE__, "what was written gives way",
                  config_with(folder, "\"listen\": [{\"port\": 0}], \"workers\": 1, \"limits\": "
                                      "{\"connections\": 500}, \"fileCache\": "
                                      "{\"maxOpenFiles\": 64}"),
                  NULL, "");
    check_machine(__LINE__, "not even one loop and its threads",
                  config_with(folder, "\"listen\": [{\"port\": 0}], \"workers\": 90"), NULL,
                  "/limits/connections resource_limit");
    check_machine(__LINE__, "what was left out gives way",
                  config_with(folder, "\"listen\": [{\"port\": 0}]"), NULL, "");
}

static void test_memory(void)
{
    check_machine(__LINE__, "more than there is",
                  config_with(folder, "\"listen\": [{\"port\": 0}], \"fileCache\": "
                                      "{\"maxBytes\": 1099511627776}"),
                  NULL, "/fileCache/maxBytes resource_limit");
}

/* Root may do everything, so this test changes to the user nobody; it runs last. */
static void test_permissions(void)
{
    char locked[64], rest[160];

    snprintf(locked, sizeof(locked), "%s/locked", folder);
    mkdir(locked, 0700);
    if (geteuid() == 0)
        CHECK_INT(__LINE__, "nobody", seteuid(65534), 0);
    else
        chmod(locked, 0);
    check_machine(__LINE__, "root can't be entered",
                  config_with(locked, "\"listen\": [{\"port\": 0}]"), NULL,
                  "/sites/0/root permission");
    snprintf(rest, sizeof(rest),
             "\"listen\": [{\"port\": 0}], \"accessLog\": {\"path\": \"%s/x.log\"}", locked);
    check_machine(__LINE__, "log can't be created", config_with("/", rest), NULL,
                  "/accessLog/path permission");
    if (getuid() == 0)
        CHECK_INT(__LINE__, "root again", seteuid(0), 0);
    chmod(locked, 0700);
    rmdir(locked);
}

int main(void)
{
    CHECK_TRUE(mkdtemp(folder) != NULL, "%s", folder);
    chmod(folder, 0755);
    test_roots_and_logs();
    test_ports();
    test_ports_of_ours();
    test_port_of_the_other_family();
    test_sockets();
    test_process();
    test_chroot();
    test_sites();
    test_templates();
    test_user_of_the_node();
    test_listed_folder();
    test_permissions();
    test_jail();
    test_memory();
    test_descriptors();
    rmdir(folder);
    return check_end("config_check");
}

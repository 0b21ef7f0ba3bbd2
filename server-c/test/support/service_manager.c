/* SPDX-License-Identifier: MIT */
/* service_manager.c — plays systemd in a test: listens on the socket in its argument, and prints
 * what it receives, one line per datagram, with "; " in place of line ends. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char message[1024];
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    if (argc != 2 || strlen(argv[1]) >= sizeof(address.sun_path))
        return 2;
    strcpy(address.sun_path, argv[1]);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        perror(argv[1]);
        return 1;
    }
    puts("listening");
    fflush(stdout);
    for (;;) {
        ssize_t len = recv(fd, message, sizeof(message) - 1, 0);
        if (len < 0)
            return 1;
        message[len] = '\0';
        for (char *newline = strchr(message, '\n'); newline; newline = strchr(newline, '\n'))
            *newline = ';';
        puts(message);
        fflush(stdout);
    }
}

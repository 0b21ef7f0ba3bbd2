/* SPDX-License-Identifier: MIT */
/* bounds.c — gets paths from the kernel by descriptor (/proc/self/fd), so that neither a link, nor
 * a rename between a check and an open, can mislead us. Without /proc, as in a chroot, only the
 * check of the config beforehand protects. */
#include "owner/bounds.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    struct owner_policy *policy;
    char *policy_path, *policy_real, *state_dir; /* "" if there is none */
    char **real[OWNER_LIST_COUNT];               /* the policy's folders resolved at the start */
} the_bounds;

/* Returns the kernel's form of a path; the path itself if it does not exist. The caller frees
 * it. */
static char *real_of(const char *path)
{
    char *real = *path != '\0' ? realpath(path, NULL) : NULL;

    return real != NULL ? real : xstrdup(path);
}

void bounds_set(struct owner_policy *policy, const char *policy_path, const char *state_dir)
{
    bounds_clear();
    the_bounds.policy = policy;
    the_bounds.policy_path = xstrdup(policy_path);
    the_bounds.policy_real = real_of(policy_path);
    the_bounds.state_dir = real_of(state_dir != NULL ? state_dir : "");
    for (enum owner_list list = 0; policy != NULL && list <= OWNER_RUNTIME; list++) {
        the_bounds.real[list] = xcalloc(policy->lists[list].count + 1, sizeof(char *));
        for (size_t i = 0; i < policy->lists[list].count; i++)
            the_bounds.real[list][i] = real_of(policy->lists[list].items[i]);
    }
}

void bounds_clear(void)
{
    for (enum owner_list list = 0; list < OWNER_LIST_COUNT; list++) {
        for (size_t i = 0; the_bounds.real[list] != NULL && the_bounds.real[list][i] != NULL; i++)
            free(the_bounds.real[list][i]);
        free(the_bounds.real[list]);
        the_bounds.real[list] = NULL;
    }
    owner_policy_free(the_bounds.policy);
    free(the_bounds.policy_path);
    free(the_bounds.policy_real);
    free(the_bounds.state_dir);
    the_bounds.policy = NULL;
    the_bounds.policy_path = the_bounds.policy_real = the_bounds.state_dir = NULL;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

const struct owner_policy *bounds_policy(void)
{
    return the_bounds.policy;
}

const char *bounds_policy_path(void)
{
    return text_or_empty(the_bounds.policy_path);
}

const char *bounds_state_dir(void)
{
    return text_or_empty(the_bounds.state_dir);
}

const char *bounds_user(const char *user)
{
    const struct owner_policy *policy = the_bounds.policy;

    if (*user != '\0' || geteuid() != 0 || policy == NULL || policy->lists[OWNER_USERS].count == 0)
        return user;
    return policy->lists[OWNER_USERS].items[0];
}

bool bounds_is_own(const char *path)
{
    const char *state_dir = bounds_state_dir();
    const char *policy_file = text_or_empty(the_bounds.policy_real);

    return (*state_dir != '\0' && owner_path_is_in(path, state_dir)) ||
           (*policy_file != '\0' && strcmp(path, policy_file) == 0);
}

static bool is_in_list(const char *path, enum owner_list list)
{
    for (char **folder = the_bounds.real[list]; *folder != NULL; folder++)
        if (owner_path_is_in(path, *folder))
            return true;
    return false;
}

bool bounds_are_set(void)
{
    return the_bounds.policy != NULL || *bounds_state_dir() != '\0';
}

bool bounds_find_path(int fd, char path[PATH_MAX])
{
    char name[64];
    ssize_t len;

    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    len = readlink(name, path, PATH_MAX - 1);
    path[len > 0 ? len : 0] = '\0';
    return len > 0;
}

/* A tree that is not whole has a longer name. */
static bool is_in_release(const char *path)
{
    const char *state_dir = bounds_state_dir();
    size_t len = strlen(state_dir) + strlen("/" BOUNDS_RELEASE_TREES "/");

    return *state_dir != '\0' && owner_path_is_in(path, state_dir) &&
           strncmp(path + strlen(state_dir), "/" BOUNDS_RELEASE_TREES "/",
                   strlen("/" BOUNDS_RELEASE_TREES "/")) == 0 &&
           strspn(path + len, "0123456789abcdef") == 64 &&
           (path[len + 64] == '/' || path[len + 64] == '\0');
}

bool bounds_may_serve(const char *path)
{
    return is_in_release(path) ||
           (!bounds_is_own(path) && (the_bounds.policy == NULL || is_in_list(path, OWNER_SERVE)));
}

int bounds_may_write(int fd, enum owner_list list, char why[BOUNDS_WHY_LEN])
{
    char path[PATH_MAX];

    if (!bounds_find_path(fd, path))
        return 0;
    if (bounds_is_own(path)) {
        snprintf(why, BOUNDS_WHY_LEN, "is the node's own: no config may name it to be written");
        return -1;
    }
    if (the_bounds.policy == NULL || is_in_list(path, list))
        return 0;
    snprintf(why, BOUNDS_WHY_LEN, "is in no folder of \"%s\" of this machine's policy",
             owner_list_key(list));
    return -1;
}

/* SPDX-License-Identifier: MIT */
/* check.h — all that a unit test needs: checks that report a failure and go on, and exit code 1 at
 * the end. */
#ifndef FARMSTEAD_TEST_CHECK_H
#define FARMSTEAD_TEST_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#ifdef __GLIBC__
#include <sys/single_threaded.h>
#endif

static int check_failures, check_count;

#define CHECK_TRUE(cond, ...)                                                                      \
    do {                                                                                           \
        check_count++;                                                                             \
        if (!(cond)) {                                                                             \
            check_failures++;                                                                      \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #cond);                             \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
        }                                                                                          \
    } while (0)

/* `line` is the table row's own __LINE__, so that a failure names the row. */
#define CHECK_INT(line, name, got, want)                                                           \
    CHECK_TRUE((int64_t)(got) == (int64_t)(want), "row %d \"%s\": got %" PRId64 ", want %" PRId64, \
               (line), (name), (int64_t)(got), (int64_t)(want))
#define CHECK_STR(line, name, got, want)                                                           \
    CHECK_TRUE(strcmp((got), (want)) == 0, "row %d \"%s\": got \"%s\", want \"%s\"", (line),       \
               (name), (got), (want))

/* TSan has the tests that are said to start threads, and no others: none may start them unsaid. glibc's variable stays
 * false from the first thread on. */
static inline void check_threads_are_said(void)
{
#if defined(__GLIBC__) && !defined(FARMSTEAD_TEST_WITH_THREADS)
    CHECK_TRUE(
        __libc_single_threaded,
        "the test started a thread: add it to FARMSTEAD_TESTS_WITH_THREADS in CMakeLists.txt");
#endif
}

static inline int check_end(const char *module)
{
    check_threads_are_said();
    printf("%s: %d checks, %d failed\n", module, check_count, check_failures);
    return check_failures ? 1 : 0;
}

#endif

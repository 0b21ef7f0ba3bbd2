/* SPDX-License-Identifier: MIT */
#include "machine/bounded_call.c"

#include "check.h"

#include <semaphore.h>
#include <unistd.h>

struct errand {
    sem_t may_end, was_forgotten;
    int done;
};

static void run(void *arg)
{
    struct errand *errand = arg;

    sem_wait(&errand->may_end);
    errand->done++;
}

static void forget(void *arg)
{
    struct errand *errand = arg;

    sem_post(&errand->was_forgotten);
}

static void init(struct errand *errand, unsigned ends)
{
    *errand = (struct errand){.done = 0};
    sem_init(&errand->may_end, 0, ends);
    sem_init(&errand->was_forgotten, 0, 0);
}

static void test_in_time(void)
{
    struct errand errand;

    init(&errand, 1);
    CHECK_INT(__LINE__, "outcome", bounded_call(run, forget, &errand, 60), BOUNDED_DONE);
    CHECK_INT(__LINE__, "done", errand.done, 1);
    CHECK_INT(__LINE__, "not forgotten", sem_trywait(&errand.was_forgotten), -1);
    CHECK_TRUE(!left_threads_any(), "none is left behind");
}

/* A call that hangs is left alone, frees its own memory, and makes room for another when it
 * ends. */
static void test_too_late(void)
{
    struct errand errands[HANGING_MAX], one_more;

    for (int i = 0; i < HANGING_MAX; i++) {
        init(&errands[i], 0);
        CHECK_INT(i, "left", bounded_call(run, forget, &errands[i], 0), BOUNDED_LEFT);
    }
    CHECK_TRUE(left_threads_any(), "the process must end without its exit handlers");
    init(&one_more, 1);
    CHECK_INT(__LINE__, "too many", bounded_call(run, forget, &one_more, 60), BOUNDED_REFUSED);
    CHECK_INT(__LINE__, "nothing was done", one_more.done, 0);
    for (int i = 0; i < HANGING_MAX; i++) {
        sem_post(&errands[i].may_end);
        sem_wait(&errands[i].was_forgotten);
        CHECK_INT(i, "done", errands[i].done, 1);
    }
    CHECK_INT(__LINE__, "room", bounded_call(run, forget, &one_more, 60), BOUNDED_DONE);
    while (left_threads_any()) /* each removes itself after it has forgotten */
        usleep(1000);
}

int main(void)
{
    test_in_time();
    test_too_late();
    return check_end("bounded_call");
}

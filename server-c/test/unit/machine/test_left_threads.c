/* SPDX-License-Identifier: MIT */
#include "machine/left_threads.h"

#include "check.h"

int main(void)
{
    CHECK_TRUE(!left_threads_any(), "none at first");
    left_threads_add();
    left_threads_add();
    left_threads_remove();
    CHECK_TRUE(left_threads_any(), "one of two is left");
    left_threads_remove();
    CHECK_TRUE(!left_threads_any(), "both have ended");
    return check_end("left_threads");
}

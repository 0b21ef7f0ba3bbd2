/* SPDX-License-Identifier: MIT */
/* bounded_call.h — what may hang on a disk or a network file system, for a caller who waits so long and
 * no longer. Any thread but an event loop's. */
#ifndef FARMSTEAD_BOUNDED_CALL_H
#define FARMSTEAD_BOUNDED_CALL_H

enum bounded {
    BOUNDED_DONE, /* `arg` is the caller's again */
    BOUNDED_LEFT, /* it took too long: `arg` is the thread's, which frees it by `forget` one day */
    BOUNDED_REFUSED /* no thread is to be had, or too many hang: nothing was done */
};

/* Runs work(arg) on a thread of its own and waits for it, for `seconds` at most. */
enum bounded bounded_call(void (*work)(void *arg), void (*forget)(void *arg), void *arg,
                          unsigned seconds);

#endif

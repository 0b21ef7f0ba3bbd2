// SPDX-License-Identifier: MIT

/** What is to appear takes its time on a busy machine: this is for when it never would. */
export const SEEN_WITHIN_MS = 10_000
export const soon = { timeout: SEEN_WITHIN_MS }

// SPDX-License-Identifier: MIT
// A command that takes of the processor only what all others leave.

/**
 * In a session of its own, since Linux gives each session the same share of the processor (autogroup): who is nice is nice
 * within his own alone. A kernel without that goes by the process.
 */
const NICE = '{ echo 19 >/proc/self/autogroup; } 2>/dev/null; exec nice -n 19 "$@"'

/** @param {string[]} command @returns {string[]} */
export const patiently = (command) => ['setsid', '--wait', 'sh', '-c', NICE, 'sh', ...command]

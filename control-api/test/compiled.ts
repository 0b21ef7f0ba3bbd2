// SPDX-License-Identifier: MIT
// For the environment of processes that tests start: compiling the same modules again is a third of what each takes.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Kept from one run of the tests to the next, where the set-up says so. */
export const COMPILED = {
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), 'farmstead-compiled'),
}

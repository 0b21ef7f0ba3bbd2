// SPDX-License-Identifier: MIT
// Whether a file that holds a secret is its owner's alone.

const OTHERS = 0o077

/** Its mode as chmod has it, when others than its owner may do anything with it; null: nobody may. */
export const modeForOthers = (mode: number): string | null =>
  (mode & OTHERS) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0')

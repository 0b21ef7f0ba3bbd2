// SPDX-License-Identifier: MIT
// A busy machine makes a part longer, not dearer: beside the time of the clock, `npm test` says what each took of a core.

/** User and system, of all that a shell started and waited for: of what its `times` says. @param {string} times */
export function processorSeconds(times) {
  const children = times.split('\n')[1] ?? ''
  const found = children.matchAll(/(\d+)m([\d.]+)s/g)
  return [...found].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  )
}

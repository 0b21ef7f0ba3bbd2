// SPDX-License-Identifier: MIT

/** One step up or down in the order; null: there is no further. */
export function moved(names: readonly string[], name: string, by: -1 | 1): string[] | null {
  const from = names.indexOf(name)
  const to = from + by
  if (from < 0 || to < 0 || to >= names.length) return null
  return names.toSpliced(from, 1).toSpliced(to, 0, name)
}

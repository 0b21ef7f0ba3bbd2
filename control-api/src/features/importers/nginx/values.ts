// SPDX-License-Identifier: MIT
// nginx's times and sizes.

const SECONDS: Record<string, number> = {
  ...{ ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800, M: 2_592_000, y: 31_536_000 },
  '': 1,
}

/** "1h 30m" without the blank; null: it is no time. */
export function secondsOf(text: string): number | null {
  // The last number alone may lack its unit. If others might, a long row of digits could be cut in so many ways that to try
  // them all would never end.
  if (text === '' || !/^(\d{1,12}(ms|[smhdwMy]))*(\d{1,12})?$/.test(text)) return null
  const parts = text.matchAll(/(\d+)(ms|[smhdwMy]?)/g)
  return Math.round(
    [...parts].reduce((sum, [, n, unit]) => sum + Number(n) * (SECONDS[unit ?? ''] ?? 1), 0),
  )
}

export function bytesOf(text: string): number | null {
  const found = /^(\d{1,12})([kmg]?)$/i.exec(text)
  if (!found) return null
  const power = ['', 'k', 'm', 'g'].indexOf((found[2] ?? '').toLowerCase())
  return Number(found[1]) * 1024 ** power
}

// SPDX-License-Identifier: MIT
// Caddy's paths ("/a/*", "*.css") as the node's patterns and as expressions.
import { escapeRegex } from '../regex.ts'

/** null: patterns of the node can't say it. Caddy compares without case; of suffixes both cases are named. */
export function patternsOf(path: string): string[] | null {
  if (!/^[/*][^{}[\]\\\ue000\p{Cc}]*$/u.test(path) || path.length > 1000) return null
  if (/^\*+$/.test(path)) return ['/**']
  const inner = path.replace(/^\*+/, '').replace(/\*+$/, '')
  const [isOpen, isLong] = [path.startsWith('*'), path.endsWith('*')]
  if (/[*?]/.test(inner)) return isOpen || isLong ? null : [path]
  if (!isOpen) return [isLong ? `${inner}**` : path]
  if (isLong) return inner.startsWith('/') ? [`/**${inner}**`, `${inner}**`] : [`/**${inner}**`]
  if (!inner.includes('/')) return [...new Set([`*${inner}`, `*${inner.toUpperCase()}`])]
  return inner.startsWith('/') ? [`/**${inner}`, inner] : [`/**${inner}`]
}

/** For the whole path. */
export function regexOf(pattern: string): string {
  const body = escapeRegex(pattern)
    .replaceAll('\\*\\*', '.*')
    .replaceAll('\\*', '[^/]*')
    .replaceAll('\\?', '.')
  return pattern.startsWith('/') ? body : `(?:.*/)?${body}`
}

export const anyOf = (patterns: readonly string[]): string =>
  patterns.length === 1 ? regexOf(patterns[0] ?? '') : `(?:${patterns.map(regexOf).join('|')})`

const MOST = 64
const literal = (pattern: string) => pattern.slice(0, /[*?]|$/.exec(pattern)?.index)

/** null stands for all paths; undefined: patterns can't say what both have. */
export function both(
  a: readonly string[] | null,
  b: readonly string[] | null,
): string[] | null | undefined {
  if (a === null || b === null) return a === null ? b && [...b] : [...a]
  const all = a.flatMap((one) => b.map((other) => bothOf(one, other)))
  if (all.includes(undefined) || all.length > MOST) return undefined
  return [...new Set(all.flatMap((one) => one ?? []))]
}

function bothOf(a: string, b: string): string[] | undefined {
  if (a === b) return [a]
  if (isBelow(a, b)) return [b]
  if (isBelow(b, a)) return [a]
  if (!mayMeet([a], [b])) return []
  // "/x/**" and "*.css"
  const [folder, name] = a.startsWith('/') ? [a, b] : [b, a]
  if (!/[*?]/.test(folder) && /^\*?[^*?/]+$/.test(name)) {
    const isOf = name.startsWith('*') ? folder.endsWith(name.slice(1)) : folder.endsWith(`/${name}`)
    return isOf ? [folder] : []
  }
  const isPair = /^\/[^*?]*\/\*\*$/.test(folder) && /^\*[^*?/]+$/.test(name)
  return isPair ? [`${folder}${name.slice(1)}`] : undefined
}

const isBelow = (outer: string, inner: string) =>
  /^\/[^*?]*\*\*$/.test(outer) && inner.startsWith(outer.slice(0, -2))

/** Whether some path may have patterns of both. */
export function mayMeet(a: readonly string[] | null, b: readonly string[] | null): boolean {
  if (a === null || b === null) return true
  return a.some((one) =>
    b.some((other) => {
      if (!one.startsWith('/') || !other.startsWith('/')) return true
      const [x, y] = [literal(one), literal(other)]
      if (x === one && y === other) return x === y
      return x.startsWith(y) || y.startsWith(x)
    }),
  )
}

/** In a block of `handle_path` paths lack its prefix. */
export const below = (prefix: string, patterns: readonly string[]): string[] =>
  prefix === ''
    ? [...patterns]
    : patterns.map((one) => (one.startsWith('/') ? prefix + one : `${prefix}/**${one}`))

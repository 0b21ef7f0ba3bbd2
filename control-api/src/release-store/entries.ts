// SPDX-License-Identifier: MIT
// One line of a manifest: what it may say, and in which form. Pure: farmctl writes lines by it, the service reads them.
//
// A line is JSON as RFC 8785 writes it (members by name, no spaces), so that whoever writes the same tree writes the
// same bytes, and the digest of the text is the digest of the tree. Lines are in the order in which one walks a tree:
// by the bytes of names, what is in a folder right after the folder's name ("a", "a/b", "a-b"). So what cannot be in
// one tree together, a file and a folder of one name, stands in adjacent lines.

export type FileEntry = { path: string; type: 'file'; mode: string; size: number; sha256: string }
export type LinkEntry = { path: string; type: 'link'; target: string }
/** Folders are what paths say; an empty one is nothing to serve. */
export type Entry = FileEntry | LinkEntry
export type EntryLimits = { pathBytes: number; partBytes: number; depth: number }
export type ReadEntry = { ok: true; entry: Entry } | { ok: false; path: string; what: string }

/** What Linux takes as a path (PATH_MAX, with its NUL) and as a name (NAME_MAX). */
export const ENTRY_LIMITS: EntryLimits = { pathBytes: 4095, partBytes: 255, depth: 100 }
/** Two paths of 4 KiB, each byte escaped in six. */
export const LINE_MAX_BYTES = 64 * 1024

const SHA256 = /^[0-9a-f]{64}$/
/** Who may read and run it: what else a mode can say (setuid, sticky) has no meaning for what is served. */
const MODE = /^[0-7]{3}$/

export const lineOf = (entry: Entry): string =>
  entry.type === 'file'
    ? `{"mode":"${entry.mode}","path":${JSON.stringify(entry.path)},"sha256":"${entry.sha256}","size":${entry.size},"type":"file"}`
    : `{"path":${JSON.stringify(entry.path)},"target":${JSON.stringify(entry.target)},"type":"link"}`

/** What was looked at when it was taken is no manifest any more: a disk has changed its bytes. */
export class DamagedManifest extends Error {
  constructor() {
    super(
      'A line of a manifest that was taken is no JSON: the disk changed it. See "releases" of the data folder.',
    )
  }
}

/** Of a line that stands in a manifest which was taken: nothing needs to be looked at again. Throws DamagedManifest. */
export function entryOf(line: string): Entry {
  try {
    return JSON.parse(line)
  } catch {
    throw new DamagedManifest()
  }
}

export function readEntry(line: string, limits: EntryLimits = ENTRY_LIMITS): ReadEntry {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return no('', 'is no JSON')
  }
  if (typeof value !== 'object' || value === null) return no('', 'is no JSON object')
  const { path, type, mode, size, sha256, target } = value as Record<string, unknown>
  if (typeof path !== 'string') return no('', 'has no "path"')
  const wrong = faultOfPath(path, limits)
  if (wrong !== null) return no(path, wrong)
  if (type === 'link') {
    if (typeof target !== 'string') return no(path, 'is a link without a "target"')
    const fault = faultOfTarget(path, target, limits)
    return fault === null ? canonical(line, { path, type, target }) : no(path, fault)
  }
  if (type !== 'file') return no(path, 'has a "type" that is neither "file" nor "link"')
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) {
    return no(path, 'has no "sha256" of 64 hexadecimal digits in small letters')
  }
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
    return no(path, 'has no "size" in bytes')
  }
  if (typeof mode !== 'string' || !MODE.test(mode)) {
    return no(path, 'has no "mode" of three octal digits such as "644"')
  }
  return canonical(line, { path, type, mode, size, sha256 })
}

const no = (path: string, what: string): ReadEntry => ({ ok: false, path, what })

function canonical(line: string, entry: Entry): ReadEntry {
  const expected = lineOf(entry)
  if (line === expected) return { ok: true, entry }
  return no(entry.path, `is not in canonical form (RFC 8785): expected ${expected}`)
}

/** What a node could not hold under this name, or would hold elsewhere. */
export function faultOfPath(path: string, limits: EntryLimits = ENTRY_LIMITS): string | null {
  if (path === '') return 'has an empty path'
  if (!path.isWellFormed()) return 'has a path with half of a surrogate pair, which is no UTF-8'
  if (path.includes('\0')) return 'has a path with a NUL'
  if (path.startsWith('/')) return 'has an absolute path'
  if (isLonger(path, limits.pathBytes)) return `has a path of more than ${limits.pathBytes} bytes`
  const parts = path.split('/')
  if (parts.length > limits.depth) return `lies more than ${limits.depth} folders deep`
  for (const part of parts) {
    if (part === '') return 'has a path with an empty part ("//" or "/" at its end)'
    if (part === '.' || part === '..') return `has a path with "${part}"`
    if (isLonger(part, limits.partBytes)) {
      return `has a name of more than ${limits.partBytes} bytes`
    }
  }
  return null
}

/**
 * Upward only at its beginning, and no further than the tree's root. So where it leads is seen by itself: the folder of
 * a link is a folder and no other link, and downward it meets links that keep to this, too.
 */
export function faultOfTarget(
  path: string,
  target: string,
  limits: EntryLimits = ENTRY_LIMITS,
): string | null {
  if (target === '') return 'is a link to nothing'
  if (!target.isWellFormed() || target.includes('\0')) {
    return 'is a link to a name that no file has (NUL, or no UTF-8)'
  }
  if (target.startsWith('/')) return `is a link to the absolute path ${JSON.stringify(target)}`
  if (isLonger(target, limits.pathBytes)) return `links to more than ${limits.pathBytes} bytes`
  const parts = target.split('/')
  const up = parts.findIndex((part) => part !== '..')
  const climbs = up === -1 ? parts.length : up
  if (climbs > path.split('/').length - 1) {
    return `is a link out of the tree: ${JSON.stringify(target)}`
  }
  const odd = parts.slice(climbs).find((part) => part === '' || part === '.' || part === '..')
  if (odd !== undefined) {
    return `is a link whose target has "${odd}" in its middle or at its end: ${JSON.stringify(target)}`
  }
  return null
}

/** UTF-16 units are at most the bytes, and bytes at most three for each. */
function isLonger(text: string, bytes: number): boolean {
  if (text.length > bytes) return true
  return text.length * 3 > bytes && Buffer.byteLength(text) > bytes
}

/** Negative: `a` is before `b`. The order of UTF-8 bytes, but that "/" is before all others. */
export function comparePaths(a: string, b: string): number {
  const most = Math.min(a.length, b.length)
  for (let at = 0; at < most; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

const SLASH = 0x2f
/** Surrogates stand for what is above U+FFFF, and are numbers below it. */
function rank(unit: number): number {
  if (unit === SLASH) return 0
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Why the one may not follow the other; null: it may. */
export function faultOfOrder(before: string, path: string): string | null {
  const order = comparePaths(before, path)
  if (order === 0) return 'is there twice'
  if (order > 0) {
    return `comes after ${JSON.stringify(before)}: lines must be in the order of a walk, by the bytes of their paths with "/" before all others`
  }
  if (path.startsWith(`${before}/`)) {
    return `is in a folder of the name of ${JSON.stringify(before)}, which is a file or a link`
  }
  return null
}

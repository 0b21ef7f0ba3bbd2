// SPDX-License-Identifier: MIT
// Names of files in a config, as text: nothing here looks at a disk. Pure, for farmctl and the service alike.

export const isPattern = (path: string): boolean => /[*?[]/.test(path)

/** Without ".", ".." and doubled slashes; ".." never leads above "/". */
export function normal(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return (path.startsWith('/') ? '/' : '') + parts.join('/')
}

export const folderOf = (path: string): string => {
  const end = path.lastIndexOf('/')
  return end > 0 ? path.slice(0, end) : end === 0 ? '/' : ''
}

export const within = (folder: string, path: string): string =>
  normal(path.startsWith('/') || folder === '' ? path : `${folder}/${path}`)

/** Where a relative name may be meant from: the main file's folder, then those above it. */
export function foldersAbove(path: string): string[] {
  const folders = [folderOf(path)]
  for (let at = folders[0] ?? ''; at !== '' && at !== '/'; ) {
    at = folderOf(at)
    folders.push(at)
  }
  return folders
}

/**
 * As a shell's: "*" and "?" stop at "/" and pass over names that begin with a dot, "[a-z]" is one of these. Goes back to the
 * last star only, so no pattern takes long.
 */
export function matches(pattern: string, path: string): boolean {
  const [wanted, had] = [pattern.split('/'), path.split('/')]
  return wanted.length === had.length && wanted.every((one, i) => matchesName(one, had[i] ?? ''))
}

function matchesName(pattern: string, name: string): boolean {
  if (name.startsWith('.') && !pattern.startsWith('.')) return false
  let [p, n, star, starName] = [0, 0, -1, 0]
  while (n < name.length) {
    const step = pattern[p] === '*' ? 0 : stepOf(pattern, p, name[n] ?? '')
    if (pattern[p] === '*') {
      star = p++
      starName = n
    } else if (step > 0) {
      p += step
      n++
    } else if (star >= 0) {
      p = star + 1
      n = ++starName
    } else return false
  }
  while (pattern[p] === '*') p++
  return p === pattern.length
}

/** How long the part of the pattern is that stands for this character; 0: it does not. */
function stepOf(pattern: string, at: number, character: string): number {
  const first = pattern[at]
  if (first === undefined) return 0
  if (first === '?') return 1
  const end = first === '[' ? pattern.indexOf(']', at + 2) : -1
  if (end < 0) return first === character ? 1 : 0
  const isNot = pattern[at + 1] === '!' || pattern[at + 1] === '^'
  const set = pattern.slice(at + (isNot ? 2 : 1), end)
  return isIn(set, character) === isNot ? 0 : end - at + 1
}

function isIn(set: string, character: string): boolean {
  for (let i = 0; i < set.length; i++) {
    if (set[i + 1] === '-' && i + 2 < set.length) {
      if (character >= (set[i] ?? '') && character <= (set[i + 2] ?? '')) return true
      i += 2
    } else if (set[i] === character) return true
  }
  return false
}

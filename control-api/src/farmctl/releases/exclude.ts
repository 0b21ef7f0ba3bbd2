// SPDX-License-Identifier: MIT
// What of a folder is left out of a release, and what one would not want to publish. Pure.
import { posix } from 'node:path'

/** A pattern without "/" is of a name, wherever it is; one with it is of a path from the top. A folder's goes for all in it. */
export function excluderOf(patterns: readonly string[]): (path: string) => boolean {
  const all = patterns.map((written) => {
    const pattern = written.replace(/^\.?\//, '').replace(/\/$/, '')
    const isOfPath = pattern.includes('/') || /^\.?\//.test(written)
    return { pattern, isOfPath }
  })
  const isNamed = (path: string) =>
    all.some(({ pattern, isOfPath }) =>
      posix.matchesGlob(isOfPath ? path : posix.basename(path), pattern),
    )
  return (path) => {
    if (all.length === 0) return false
    for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1)) {
      if (isNamed(path.slice(0, end))) return true
    }
    return isNamed(path)
  }
}

/** Of whoever builds or runs it, and not of visitors. */
const PRIVATE =
  /(?:^|\/)(\.git|\.svn|\.hg|\.env(?:\.[^/]+)?|\.htpasswd|\.npmrc|\.ssh|\.aws)(?:\/|$)/

/** The name by which it would be left out; null: nothing is wrong with it. */
export const privateNameOf = (path: string): string | null => PRIVATE.exec(path)?.[1] ?? null

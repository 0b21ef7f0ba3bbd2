// SPDX-License-Identifier: MIT
// A tree of files as a manifest in a file of its own: written line by line, in the manifest's order, so that a million
// files take no more memory than one folder's names. Whatever a node could not hold is refused, up to twenty at once.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { visible } from '../../base/terminal-text.ts'
import { type Entry, faultOfPath, faultOfTarget, lineOf } from '../../release-store/entries.ts'
import { EXIT } from '../exit-codes.ts'
import { Failure } from '../failures.ts'
import { privateNameOf } from './exclude.ts'

export type Tree = {
  /** Where the manifest is, and its digest. */
  manifest: string
  sha256: string
  sizeBytes: number
  files: number
  links: number
  bytes: number
  /** Such as .git: there they are, and hardly meant to be. */
  privateNames: readonly string[]
  /** Where the bytes of one of its files are. */
  pathOf: (entry: { path: string; sha256: string }) => string
}
export type Found = { entry: Entry } | { path: string; fault: string }

const MOST_FAULTS = 20

type Options = {
  from: string
  isExcluded: (path: string) => boolean
  onFile: (files: number, bytes: number) => void
}

/** `from` is what it is called when something in it can't be pushed. */
export async function writeManifest(
  to: string,
  found: AsyncIterable<Found> | Iterable<Found>,
  { from, isExcluded, onFile }: Options,
): Promise<Omit<Tree, 'pathOf'>> {
  const out = createWriteStream(to, { mode: 0o600, flags: 'wx' })
  const hash = createHash('sha256')
  const facts = { files: 0, links: 0, bytes: 0, sizeBytes: 0 }
  const faults: string[] = []
  const privateNames = new Set<string>()
  try {
    for await (const one of found) {
      const path = 'fault' in one ? one.path : one.entry.path
      if (isExcluded(path)) continue
      const name = privateNameOf(path)
      if (name !== null) privateNames.add(name)
      const fault = 'fault' in one ? one.fault : faultOf(one.entry)
      if (fault !== null) {
        faults.push(`${JSON.stringify(path)} ${fault}`)
        if (faults.length >= MOST_FAULTS) break
        continue
      }
      if ('fault' in one) continue
      const { entry } = one
      if (entry.type === 'link') facts.links++
      else {
        facts.files++
        facts.bytes += entry.size
      }
      const line = Buffer.from(`${lineOf(entry)}\n`)
      hash.update(line)
      facts.sizeBytes += line.length
      if (!out.write(line)) await once(out, 'drain')
      onFile(facts.files, facts.bytes)
    }
  } finally {
    out.end()
    await once(out, 'close')
  }
  if (faults.length > 0) throw refusal(from, faults)
  if (facts.files + facts.links === 0) {
    throw new Failure(`${from} holds no files, so there is nothing to push.`, EXIT.rejected)
  }
  return { manifest: to, sha256: hash.digest('hex'), privateNames: [...privateNames], ...facts }
}

const faultOf = (entry: Entry): string | null =>
  faultOfPath(entry.path) ??
  (entry.type === 'link' ? faultOfTarget(entry.path, entry.target) : null)

function refusal(from: string, faults: readonly string[]): Failure {
  const most = faults.length >= MOST_FAULTS ? ', and perhaps more' : ''
  const lines = faults.map((one) => `  ${visible(one)}`)
  return new Failure(
    `${from} can't be pushed as it is; nothing was made:\n${lines.join('\n')}${most}`,
    EXIT.rejected,
  )
}

/** As it is meant: "./b" and "b/" lead where "b" does. What a node would refuse stays as it is, and is told. */
export function targetOf(target: string): string {
  if (target.startsWith('/')) return target
  return target
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
}

export const modeText = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0')

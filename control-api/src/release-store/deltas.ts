// SPDX-License-Identifier: MIT
// What one manifest has other than an earlier one, as a text from which a node that holds the earlier one makes it
// (agent-protocol/README.md, "Deltas of manifests"). Made once for all nodes, and kept on the disk for a while: of a million
// lines it takes a second of a processor, and ten thousand nodes ask for the same one.
import { open, rename, rm, stat } from 'node:fs/promises'
import type { Content } from './contents-stream.ts'
import { stepsBetween } from './diff.ts'
import { type ReleaseFolder, UNFINISHED } from './folder.ts'

/** Of all that are kept, and of one: the whole manifest is asked for then, which can be no less. */
const MOST_BYTES = 512 * 1024 * 1024
const MOST_OF_ONE_BYTES = 128 * 1024 * 1024
/** As many pairs are remembered, those that are not worth it among them. */
const MOST = 1_000
const CHUNK_CHARACTERS = 64 * 1024

type Pair = { target: string; base: string }
/** `bytes` null: it is being made. */
type Made = { making: Promise<Content | null>; bytes: number | null; path: string }

export function createDeltas(
  folder: Pick<ReleaseFolder, 'blob' | 'delta'>,
  bounds = { mostBytes: MOST_BYTES, most: MOST },
) {
  /** The one that was asked for last is the last. */
  const kept = new Map<string, Made>()
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time: each reads two files that may be large. */
  function begin(pair: Pair, path: string): Promise<Content | null> {
    const making = last.then(() => make(pair, path))
    last = making.catch(() => {})
    return making
  }

  async function make({ target, base }: Pair, path: string): Promise<Content | null> {
    const sides = { from: folder.blob(base), to: folder.blob(target) }
    const size = await writeDelta(sides, path)
    return size === null ? null : { path, size }
  }

  async function trim(): Promise<void> {
    let bytes = [...kept.values()].reduce((sum, one) => sum + (one.bytes ?? 0), 0)
    for (const [name, one] of kept) {
      if (bytes <= bounds.mostBytes && kept.size <= bounds.most) return
      if (one.bytes === null) continue
      kept.delete(name)
      bytes -= one.bytes
      // Who reads it has it open, and reads on.
      await rm(one.path, { force: true })
    }
  }

  return {
    /** null: it would hardly be smaller than the whole. Rejects where one of the two cannot be read. */
    async between(pair: Pair): Promise<Content | null> {
      const path = folder.delta(pair)
      const known = kept.get(path)
      if (known) {
        kept.delete(path)
        kept.set(path, known)
        return await known.making
      }
      const made: Made = { making: begin(pair, path), bytes: null, path }
      kept.set(path, made)
      try {
        const content = await made.making
        made.bytes = content?.size ?? 0
        await trim()
        return content
      } catch (error) {
        kept.delete(path)
        throw error
      }
    },
  }
}

/** Its size; null: it is more than half of the whole, and not there. */
async function writeDelta(
  sides: { from: string; to: string },
  path: string,
): Promise<number | null> {
  const unfinished = `${path}${UNFINISHED}`
  const file = await open(unfinished, 'w', 0o600)
  let size: number | null = 0
  try {
    const most = Math.min(MOST_OF_ONE_BYTES, (await stat(sides.to)).size / 2)
    for await (const text of deltaOf(sides)) {
      await file.writeFile(text)
      size += Buffer.byteLength(text)
      if (size > most) {
        size = null
        break
      }
    }
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  } finally {
    await file.close()
  }
  await (size === null ? rm(unfinished, { force: true }) : rename(unfinished, path))
  return size
}

/**
 * "=N" are the next N lines of the base, "-N" passes over as many, and what begins with a brace is a line that the base does
 * not have. Some of them at a time.
 */
export async function* deltaOf(sides: { from: string; to: string }): AsyncGenerator<string> {
  let text = ''
  let run = { sign: '=', lines: 0 }
  const pass = (sign: '=' | '-') => {
    if (run.sign !== sign) {
      endRun()
      run = { sign, lines: 0 }
    }
    run.lines++
  }
  const endRun = () => {
    if (run.lines > 0) text += `${run.sign}${run.lines}\n`
    run.lines = 0
  }
  for await (const { line, change } of stepsBetween(sides)) {
    if (change === null) {
      pass('=')
      continue
    }
    if (change.before !== null) pass('-')
    if (change.after !== null) {
      endRun()
      text += `${line}\n`
    }
    if (text.length >= CHUNK_CHARACTERS) {
      yield text
      text = ''
    }
  }
  endRun()
  if (text !== '') yield text
}

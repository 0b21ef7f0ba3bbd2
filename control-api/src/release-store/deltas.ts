// SPDX-License-Identifier: MIT
// What one manifest has other than an earlier one, as a text from which a node that holds the earlier one makes it
// (agent-protocol/README.md, "Deltas of manifests"). Made once for all nodes, and kept on the disk for a while: of a million
// lines it takes a second of a processor, and ten thousand nodes ask for the same one.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { performance } from 'node:perf_hooks'
import type { Content } from './contents-stream.ts'
import { stepsBetween } from './diff.ts'
import { type ReleaseFolder, UNFINISHED } from './folder.ts'
import type { StoreRoom } from './room.ts'

/** Of all that are kept, and of one: the whole manifest is asked for then, which can be no less. */
const MOST_BYTES = 512 * 1024 * 1024
const MOST_OF_ONE_BYTES = 128 * 1024 * 1024
/** As many pairs are remembered, those that are not worth it among them. */
const MOST = 1_000
const CHUNK_CHARACTERS = 64 * 1024
/** A disk may change it, and each node would then ask for the whole manifest: so often it is compared with what was written. */
const READ_AGAIN_MS = 10 * 60_000

type Pair = { target: string; base: string }
type Written = Content & { sha256: string }
/** `bytes` null: it is being made. */
type Made = {
  making: Promise<Written | null>
  bytes: number | null
  path: string
  readAtMs: number
}

type Deps = {
  folder: Pick<ReleaseFolder, 'blob' | 'delta'>
  /** What is kept counts there as what releases take. */
  room: Pick<StoreRoom, 'take' | 'give'>
  monotonicMs?: () => number
}

export function createDeltas(
  { folder, room, monotonicMs = () => performance.now() }: Deps,
  bounds = { mostBytes: MOST_BYTES, most: MOST },
) {
  /** The one that was asked for last is the last. */
  const kept = new Map<string, Made>()
  let last: Promise<unknown> = Promise.resolve()

  /** One at a time: each reads two files that may be large. */
  function begin(pair: Pair, path: string): Promise<Written | null> {
    const making = last.then(() => make(pair, path))
    last = making.catch(() => {})
    return making
  }

  async function make({ target, base }: Pair, path: string): Promise<Written | null> {
    const sides = { from: folder.blob(base), to: folder.blob(target) }
    const written = await writeDelta(sides, path)
    if (written === null || (await room.take(written.size)).ok) return written
    // The whole manifest takes no room.
    await rm(path, { force: true })
    return null
  }

  async function drop(name: string, { bytes, path }: Made): Promise<void> {
    kept.delete(name)
    room.give(bytes ?? 0)
    // Who reads it has it open, and reads on.
    await rm(path, { force: true })
  }

  /** Is it what was written? Asked now and then only. */
  async function isRight(one: Made, { path, sha256 }: Written): Promise<boolean> {
    const nowMs = monotonicMs()
    if (nowMs - one.readAtMs < READ_AGAIN_MS) return true
    // Whoever asks meanwhile does not read it, too.
    one.readAtMs = nowMs
    return (await digestOf(path).catch(() => null)) === sha256
  }

  async function trim(): Promise<void> {
    let bytes = [...kept.values()].reduce((sum, one) => sum + (one.bytes ?? 0), 0)
    for (const [name, one] of kept) {
      if (bytes <= bounds.mostBytes && kept.size <= bounds.most) return
      if (one.bytes === null) continue
      bytes -= one.bytes
      await drop(name, one)
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
        const written = await known.making
        if (written === null || (await isRight(known, written))) return written
        if (kept.get(path) === known) await drop(path, known)
        return await this.between(pair)
      }
      const making = begin(pair, path)
      const made: Made = { making, bytes: null, path, readAtMs: monotonicMs() }
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

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

/** null: it is more than half of the whole, and not there. */
async function writeDelta(
  sides: { from: string; to: string },
  path: string,
): Promise<Written | null> {
  const hash = createHash('sha256')
  const unfinished = `${path}${UNFINISHED}`
  const file = await open(unfinished, 'w', 0o600)
  let size: number | null = 0
  try {
    const most = Math.min(MOST_OF_ONE_BYTES, (await stat(sides.to)).size / 2)
    for await (const text of deltaOf(sides)) {
      await file.writeFile(text)
      hash.update(text)
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
  return size === null ? null : { path, size, sha256: hash.digest('hex') }
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

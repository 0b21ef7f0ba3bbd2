// SPDX-License-Identifier: MIT
// Two manifests side by side. Both are in one order, so each is read once; what is the same in both is compared as
// bytes and never parsed.
import { open } from 'node:fs/promises'
import { comparePaths, type Entry, entryOf } from './entries.ts'
import { textsFrom } from './lines.ts'

export type Change = { path: string; before: Entry | null; after: Entry | null }
export type ChangeTotals = {
  added: number
  changed: number
  removed: number
  /** Of what was added or changed: what each says it has now. */
  bytes: number
}

type Sides = { from: string | null; to: string }

/** Looked at by one page, changed or not, so that a page of what hardly differs ends, too. */
const MOST_LINES = 200_000

/** `next`: where to go on, when there is more. `after` '' is the beginning. */
export async function changesBetween(
  sides: Sides,
  { after, limit }: { after: string; limit: number },
): Promise<{ changes: Change[]; next: string | null }> {
  const changes: Change[] = []
  let last = ''
  let lines = 0
  for await (const { line, change } of walk(sides, after)) {
    if (changes.length >= limit || lines >= MOST_LINES) {
      return { changes, next: entryOf(last).path }
    }
    if (change !== null) changes.push(change)
    last = line
    lines++
  }
  return { changes, next: null }
}

export async function totalsBetween(sides: Sides): Promise<ChangeTotals> {
  const totals: ChangeTotals = { added: 0, changed: 0, removed: 0, bytes: 0 }
  for await (const { change } of stepsBetween(sides)) {
    if (change === null) continue
    const { before, after } = change
    if (before === null) totals.added++
    else if (after === null) totals.removed++
    else totals.changed++
    if (after?.type === 'file') totals.bytes += after.size
  }
  return totals
}

/** All lines of both, side by side. */
export const stepsBetween = (sides: Sides): AsyncGenerator<Step> => walk(sides, '')

/** All of both by path, what is the same in both as well. */
export async function* entriesOfBoth(sides: Sides): AsyncGenerator<Change> {
  for await (const { line, change } of walk(sides, '')) {
    if (change !== null) {
      yield change
      continue
    }
    const entry = entryOf(line)
    yield { path: entry.path, before: entry, after: entry }
  }
}

/** A line of either; `change` null: it is in both. */
type Step = { line: string; change: Change | null }

async function* walk({ from, to }: Sides, after: string): AsyncGenerator<Step> {
  const now = await openSide(to)
  const before = from === null ? null : await openSide(from).catch((error) => closing(now, error))
  try {
    await Promise.all([before?.begin(after), now.begin(after)])
    for (;;) {
      if (before?.isSpent()) await before.more()
      if (now.isSpent()) await now.more()
      const [old, line] = [before?.line(), now.line()]
      if (old === undefined && line === undefined) return
      if (old !== undefined && old === line) {
        before?.next()
        now.next()
        yield { line, change: null }
        continue
      }
      const was = old === undefined ? null : entryOf(old)
      const is = line === undefined ? null : entryOf(line)
      const order = was === null ? 1 : is === null ? -1 : comparePaths(was.path, is.path)
      const change = { before: order <= 0 ? was : null, after: order >= 0 ? is : null }
      if (order <= 0) before?.next()
      if (order >= 0) now.next()
      const path = (change.after ?? change.before)?.path ?? ''
      yield { line: (order >= 0 ? line : old) ?? '', change: { path, ...change } }
    }
  } finally {
    await Promise.all([before?.close(), now.close()])
  }
}

async function closing(side: { close: () => Promise<void> }, error: unknown): Promise<never> {
  await side.close()
  throw error
}

/** One of the two, some lines at a time: a wait for each line would take longer than to compare it. */
async function openSide(path: string) {
  const file = await open(path, 'r')
  let texts: AsyncGenerator<string[]> | null = null
  let lines: string[] = []
  let at = 0
  const more = async () => {
    do {
      const { value, done } = (await texts?.next()) ?? { value: undefined, done: true }
      lines = value ?? []
      at = 0
      if (done) texts = null
    } while (texts !== null && lines.length === 0)
  }
  return {
    more,
    async begin(after: string) {
      texts = textsFrom(file, after)
      await more()
      const first = lines[0]
      if (after !== '' && first !== undefined && entryOf(first).path === after) at++
    },
    isSpent: () => at >= lines.length && texts !== null,
    line: () => lines[at],
    next: () => {
      at++
    },
    close: () => file.close(),
  }
}

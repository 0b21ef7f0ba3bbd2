// SPDX-License-Identifier: MIT
// Which nodes answer for a host, by the configs they were told last to run. Nodes share texts: each is read once.
import { nextTurn } from '../base/slices.ts'
import type { Reader } from '../db/database.ts'
import { renderedTexts, textsGiven } from './store.ts'

type Deps = {
  db: Reader
  now: () => number
  /** The hosts of the sites of a text, as they stand there: `a.example`, `*.example`, `*`. */
  hostsIn(text: string): Promise<readonly string[]>
}

/** Who asks for long asks often. */
const GOOD_MS = 10_000
const TEXTS_AT_ONCE = 50

export function createServing({ db, now, hostsIn }: Deps) {
  /** By id of a text. */
  let read = new Map<string, readonly string[]>()
  let known: { byHost: Promise<Map<string, string[]>>; atMs: number } | null = null

  async function readTexts(ids: readonly string[]): Promise<void> {
    const kept = new Map<string, readonly string[]>()
    for (const id of ids) {
      const hosts = read.get(id)
      if (hosts) kept.set(id, hosts)
    }
    const missing = ids.filter((id) => !kept.has(id))
    for (let from = 0; from < missing.length; from += TEXTS_AT_ONCE) {
      const texts = await renderedTexts(db, missing.slice(from, from + TEXTS_AT_ONCE))
      for (const [id, text] of texts) {
        kept.set(id, await hostsIn(text))
        await nextTurn()
      }
    }
    read = kept
  }

  async function look(): Promise<Map<string, string[]>> {
    const given = await textsGiven(db)
    const byText = Map.groupBy(given, ({ textId }) => textId)
    await readTexts([...byText.keys()])
    const byHost = new Map<string, string[]>()
    for (const [textId, nodes] of byText) {
      for (const host of new Set(read.get(textId))) {
        const all = byHost.get(host) ?? []
        byHost.set(host, all)
        for (const { nodeId } of nodes) all.push(nodeId)
      }
    }
    return byHost
  }

  /** The ids of the nodes, connected or not, that answer for one of them at least. */
  return async (hosts: readonly string[]): Promise<ReadonlySet<string>> => {
    const nowMs = now()
    if (known === null || Math.abs(nowMs - known.atMs) > GOOD_MS) {
      known = { byHost: look(), atMs: nowMs }
      known.byHost.catch(() => {
        known = null
      })
    }
    const byHost = await known.byHost
    const names = new Set(hosts.flatMap(namesFor))
    return new Set([...names].flatMap((name) => byHost.get(name) ?? []))
  }
}

/** a.b.example: itself, *.b.example, *.example, and * */
function namesFor(host: string): string[] {
  const labels = host.split('.')
  const endings = labels.slice(1).map((_, at) => `*.${labels.slice(at + 1).join('.')}`)
  return [host, ...endings, '*']
}

// SPDX-License-Identifier: MIT
// Who was asked for files of a version, and what came. In memory, of those that were asked about lately: after a restart one
// asks again. No I/O.
import { Kept } from '../../../base/kept.ts'
import { saysSomething, whatIsWrong } from '../../../fleet/looked-file.ts'
import type { OnProbed } from '../../../fleet/probe-orders.ts'
import { MOST_ODD, type ReleaseLook } from './schema.ts'

/** Of one node; `url` as it is shown. */
export type AskedFile = { url: string; sha256: string }
type Said = { url: string; message: string }[]
type Asked = { name: string } & (
  | { state: 'away' | 'unable' | 'waiting' }
  | { state: 'answered'; odd: Said }
)
type Look = { askedAtMs: number; files: number; nodes: Map<string, Asked> }

const MOST_LOOKS = 50
/** So long an order of probes is answered at most. */
const ANSWERED_MS = 180_000
const NOBODY = { right: 0, odd: 0, waiting: 0, silent: 0, away: 0, unable: 0 }

export class LookBook {
  readonly #looks = new Kept<Look>({ most: MOST_LOOKS })
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  /** `release` as "www@41": what was said of it before is forgotten. */
  begin(release: string, files: number): void {
    this.#looks.set(release, { askedAtMs: this.#now(), files, nodes: new Map() })
  }

  notAsked(release: string, node: { id: string; name: string }, why: 'away' | 'unable'): void {
    this.#looks.get(release)?.nodes.set(node.id, { name: node.name, state: why })
  }

  /** What is returned takes its answers, which are in the order of the files. */
  asked(
    release: string,
    { id, name }: { id: string; name: string },
    files: readonly AskedFile[],
  ): OnProbed {
    const nodes = this.#looks.get(release)?.nodes
    nodes?.set(id, { name, state: 'waiting' })
    return (answers) => {
      const odd = files.flatMap(({ url, sha256 }, at) => {
        const answer = answers[at]
        if (!answer || !saysSomething(answer)) return []
        const message = whatIsWrong(answer, { sha256, release })
        return message === null ? [] : [{ url, message }]
      })
      nodes?.set(id, { name, state: 'answered', odd })
    }
  }

  /** Of the nodes that who asks may see. */
  lookAt(release: string, isSeen: (nodeId: string) => boolean): ReleaseLook {
    const look = this.#looks.get(release)
    if (!look) return { askedAt: null, files: 0, nodes: { ...NOBODY }, odd: [] }
    const isLate = this.#now() - look.askedAtMs > ANSWERED_MS
    const nodes = { ...NOBODY }
    const odd: ReleaseLook['odd'] = []
    for (const [id, asked] of look.nodes) {
      if (!isSeen(id)) continue
      nodes[standingOf(asked, isLate)]++
      if (asked.state !== 'answered') continue
      for (const one of asked.odd) odd.push({ node: { id, name: asked.name }, ...one })
    }
    const askedAt = new Date(look.askedAtMs).toISOString()
    return { askedAt, files: look.files, nodes, odd: odd.slice(0, MOST_ODD) }
  }
}

function standingOf(asked: Asked, isLate: boolean): keyof typeof NOBODY {
  if (asked.state === 'answered') return asked.odd.length > 0 ? 'odd' : 'right'
  return asked.state === 'waiting' && isLate ? 'silent' : asked.state
}

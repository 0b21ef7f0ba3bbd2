// SPDX-License-Identifier: MIT
// What farmstead-node said of texts, kept: each answer is a process, and a plan, its order, a dry run and what an
// editor saves ask about the same texts. A text is known by its digest, and an answer holds as long as the binary is the
// same file.
import { stat } from 'node:fs/promises'
import { sha256 } from '../base/ids.ts'
import { Kept } from '../base/kept.ts'
import type { NodeCheck, NodeCheckResult } from './node-check.ts'

/** Twice the texts of ten thousand nodes that each have one of their own. */
const MOST_KEPT = 20_000
/** What is wrong with a text may be said at any length. */
const LONGEST_KEPT = 4 * 1024
const MOST_BYTES = 8 * 1024 * 1024

/** Of the file that is run: another one has another mark. null: there is none. */
export async function markOf(binary: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(binary, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return null
  }
}

type Limits = { most?: number; mostBytes?: number }

/** With rules of an owner nothing is kept here: policy-checks.ts does. */
export function keepChecks(
  check: NodeCheck,
  mark: () => Promise<string | null>,
  { most = MOST_KEPT, mostBytes = MOST_BYTES }: Limits = {},
): NodeCheck {
  const kept = new Kept<NodeCheckResult>({ most, mostBytes })
  const asked = new Map<string, Promise<NodeCheckResult>>()
  let known: string | null = null

  const keep = (id: string, result: NodeCheckResult) => {
    const its = JSON.stringify(result).length + id.length
    if (result.verdict === 'unavailable' || its > LONGEST_KEPT) return
    kept.set(id, result, its)
  }
  const ask = async (text: string, id: string, before: string) => {
    const result = await check(text)
    // Replaced meanwhile: nobody knows which one answered.
    if ((await mark()) === before && known === before) keep(id, result)
    return result
  }

  return async (text, policyFile) => {
    const now = policyFile === undefined ? await mark() : null
    if (now === null) return await check(text, policyFile)
    if (now !== known) {
      kept.clear()
      asked.clear()
      known = now
    }
    const id = sha256(text)
    const answer = kept.get(id)
    if (answer) return answer
    const underWay = asked.get(id)
    if (underWay) return await underWay
    const asking = ask(text, id, now)
    asked.set(id, asking)
    try {
      return await asking
    } finally {
      if (asked.get(id) === asking) asked.delete(id)
    }
  }
}

// SPDX-License-Identifier: MIT
// The steps of a change of many nodes: it is looked at, then made, part after part. What failed on the way can be gone on with.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { NodeList, NodesAnswer, NodesChange } from '../../../lib/api-types.ts'
import { changePart, newKey, selectedIds, tryPart } from './api.ts'
import { joined, nothingYet, partsOf } from './rules.ts'
import type { Selection } from './selection.ts'

type Of = { change: NodesChange; ids: readonly string[]; answer: NodesAnswer }
export type Bulk =
  | { step: 'asking'; error: Error | null }
  | { step: 'looking'; done: number; total: number | null }
  | ({ step: 'looked' } & Of)
  | ({ step: 'changing'; isStopping: boolean } & Of)
  | ({ step: 'over'; error: Error | null } & Of)

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

export function useBulk(selection: Selection, list: NodeList) {
  const client = useQueryClient()
  const [bulk, setBulk] = useState<Bulk>({ step: 'asking', error: null })
  // Read between two parts, by the loop that goes on meanwhile.
  const [control] = useState(() => ({ isStopped: false, key: newKey() }))

  // Who went to another page hears of no part that follows: none does.
  useEffect(
    () => () => {
      control.isStopped = true
    },
    [control],
  )

  async function look(change: NodesChange): Promise<void> {
    control.isStopped = false
    setBulk({ step: 'looking', done: 0, total: null })
    try {
      const ids = await selectedIds(selection, list)
      let answer = nothingYet
      for (const nodeIds of partsOf(ids)) {
        if (control.isStopped) return
        setBulk({ step: 'looking', done: answer.results.length, total: ids.length })
        answer = joined(answer, await tryPart({ nodeIds, change }))
      }
      setBulk({ step: 'looked', change, ids, answer })
    } catch (error) {
      setBulk({ step: 'asking', error: asError(error) })
    }
  }

  /** From where it stands: those that were answered are not asked again. */
  async function make({ change, ids, answer: before }: Of): Promise<void> {
    control.isStopped = false
    let answer = before
    try {
      for (const nodeIds of partsOf(ids.slice(before.results.length))) {
        setBulk({ step: 'changing', isStopping: false, change, ids, answer })
        const key = `${control.key}-${answer.results.length}`
        answer = joined(answer, await changePart({ nodeIds, change }, key))
        if (control.isStopped) break
      }
      setBulk({ step: 'over', error: null, change, ids, answer })
    } catch (error) {
      setBulk({ step: 'over', error: asError(error), change, ids, answer })
    }
    await client.invalidateQueries({ queryKey: ['nodes'] })
  }

  const stop = () => {
    control.isStopped = true
    setBulk((now) => (now.step === 'changing' ? { ...now, isStopping: true } : now))
  }
  return { bulk, setBulk, look, make, stop }
}

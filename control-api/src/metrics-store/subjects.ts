// SPDX-License-Identifier: MIT
// Whom measurements are of, as numbers: nodes, and sums of many nodes.
import type { MetricsDb } from './metrics-db.ts'
import { FIRST_SUM } from './steps.ts'

/** The sum of all nodes. */
export const FARM = 'farm'
export const groupSum = (name: string): string => `group ${name}`
/** null: it is of no group. */
export const groupOfSum = (sum: string): string | null =>
  sum.startsWith('group ') ? sum.slice('group '.length) : null
export const versionSum = (config: string, version: number): string =>
  `version ${config}/${version}`

export type Subjects = {
  /** Gives one a number that has none. */
  keyOfNode(nodeId: string): number
  keyOfSum(name: string): number
  idOf(key: number): string | undefined
  /** undefined: nothing was ever measured of it. */
  find(id: string): number | undefined
  /** After this one, in their order. */
  after(key: number, most: number): number[]
  /** After a transaction was undone: what it added is not on the disk. */
  readAgain(): void
}

export function createSubjects(db: MetricsDb): Subjects {
  const keys = new Map<string, number>()
  const ids = new Map<number, string>()
  const keep = (key: number, id: string) => {
    keys.set(id, key)
    ids.set(key, id)
  }
  const all = db.prepare<[], { key: number; id: string }>('select key, id from subjects')
  const insert = db.prepare<[number, string]>('insert into subjects (key, id) values (?, ?)')
  const some = db
    .prepare<[number, number], number>(
      'select key from subjects where key > ? order by key limit ?',
    )
    .pluck()
  const last = db
    .prepare<[number, number], number>('select max(key) from subjects where key between ? and ?')
    .pluck()
  const give = (id: string, first: number, end: number): number => {
    const known = keys.get(id)
    if (known !== undefined) return known
    const key = (last.get(first, end - 1) ?? first - 1) + 1
    insert.run(key, id)
    keep(key, id)
    return key
  }
  const readAgain = () => {
    keys.clear()
    ids.clear()
    for (const { key, id } of all.all()) keep(key, id)
  }
  readAgain()
  return {
    keyOfNode: (nodeId) => give(nodeId, 1, FIRST_SUM),
    keyOfSum: (name) => give(name, FIRST_SUM, 2 * FIRST_SUM),
    idOf: (key) => ids.get(key),
    find: (id) => keys.get(id),
    after: (key, most) => some.all(key, most),
    readAgain,
  }
}

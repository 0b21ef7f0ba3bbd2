// SPDX-License-Identifier: MIT
// Names of counters and gauges as numbers: they stand in each of millions of rows.
import type { MetricsDb } from './metrics-db.ts'

/** Of all nodes together: who invents names gets no more of them. */
const MAX_NAMES = 2_048

export type Names = {
  /** null: there are too many, and what has this name is not kept. */
  keyOf(name: string): number | null
  /** Throws a RangeError: no such key was given. */
  nameOf(key: number): string
  /** After a transaction was undone: what it added is not on the disk. */
  readAgain(): void
}

export function createNames(db: MetricsDb): Names {
  const keys = new Map<string, number>()
  const names = new Map<number, string>()
  const keep = (key: number, name: string) => {
    keys.set(name, key)
    names.set(key, name)
  }
  const insert = db.prepare<[number, string]>('insert into names (key, name) values (?, ?)')
  const all = db.prepare<[], { key: number; name: string }>('select key, name from names')
  const readAgain = () => {
    keys.clear()
    names.clear()
    for (const { key, name } of all.all()) keep(key, name)
  }
  readAgain()
  return {
    keyOf(name) {
      const known = keys.get(name)
      if (known !== undefined) return known
      if (keys.size >= MAX_NAMES) return null
      const key = keys.size + 1
      insert.run(key, name)
      keep(key, name)
      return key
    },
    nameOf(key) {
      const name = names.get(key)
      if (name === undefined) throw new RangeError(`stored step names what is not known: ${key}`)
      return name
    },
    readAgain,
  }
}

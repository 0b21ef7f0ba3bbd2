// SPDX-License-Identifier: MIT
// What is wrong with the queries of a set of sources: each stands in a store, and names tables of its own room or
// such as it may read.
import { queriesIn } from './queries.ts'
import { TABLES, type Table } from './table-owners.ts'

const tables: Readonly<Record<string, Table>> = TABLES

/** store.ts, something-store.ts, or in a folder of stores; db/ opens and migrates, and has what all queries use. */
const isStore = (file: string) => /(?:^|\/)(?:(?:.+-)?store\.ts$|store\/|db\/)/.test(file)

/** As in scripts/rooms/rules.mjs. Each feature is a room. */
export const roomOf = (file: string): string => /^(features\/[^/]+|[^/]+)\//.exec(file)?.[1] ?? file

/** By file, relative to src. */
export function faultsOf(sources: ReadonlyMap<string, string>): string[] {
  return [...sources].flatMap(([file, source]) => {
    const { queries, ownTables } = queriesIn(source)
    return queries.flatMap(({ line, text, tables: named, isVague }) => {
      const place = `${file}:${line}`
      if (!isStore(file)) return [`${place}: ${text} stands outside a store. ${whereTo(named)}`]
      if (file.startsWith('db/')) return []
      if (isVague)
        return [`${place}: ${text}: say here which table it is, so that its owner can be told.`]
      return named.flatMap(({ name, isWritten }) => {
        const why = ownTables.has(name) ? null : whyNot(roomOf(file), name, isWritten)
        return why === null ? [] : [`${place}: ${why}`]
      })
    })
  })
}

function whereTo([first]: readonly { name: string }[]): string {
  const owner = first && tables[first.name]?.owner
  return owner === undefined
    ? 'Make it a function of the store of its table’s owner (test/db/table-owners.ts), and call that.'
    : `Make it a function of the store of ${owner}, and call that.`
}

function whyNot(room: string, name: string, isWritten: boolean): string | null {
  const table = tables[name]
  if (!table)
    return `there is no table "${name}"; a new one needs an owner in test/db/table-owners.ts.`
  if (table.owner === room) return null
  if (isWritten) {
    return `${room} writes "${name}", which ${table.owner} owns. Make it a function of its store, and call that.`
  }
  return room in table.readers
    ? null
    : `${room} reads "${name}", which ${table.owner} owns. Ask by a function of its store; if it joins the table with its own, name it as a reader in test/db/table-owners.ts.`
}

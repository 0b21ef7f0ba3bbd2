// SPDX-License-Identifier: MIT
// Which setting holds where, as lighttpd finds it: of all blocks that hold for a request, the last one that says it.
import type { Directive } from '../tree.ts'
import type { Setting } from './parser.ts'
import type { Where } from './places.ts'
import { NEWER_NAMES } from './said.ts'
import { type Entry, isList, type Value } from './values.ts'

export type Placed = Setting & { where: Where }

export class Settings {
  readonly #byName = new Map<string, Placed[]>()

  constructor(places: readonly Where[]) {
    for (const where of places) {
      for (const [name, setting] of where.block.settings) {
        const key = NEWER_NAMES.get(name) ?? name
        const list = this.#byName.get(key) ?? []
        list.push({ ...setting, where })
        this.#byName.set(key, list)
      }
    }
  }

  /** In the order of the blocks. */
  all(name: string): readonly Placed[] {
    return this.#byName.get(name) ?? []
  }

  /** For the site as a whole. */
  of(name: string): Placed | null {
    return this.all(name).findLast(({ where }) => isForAll(where)) ?? null
  }

  /** For paths, the strongest first. */
  byPath(name: string): (Placed & { paths: readonly string[] })[] {
    return this.all(name)
      .flatMap((one) => {
        const { paths, clients } = one.where
        return paths && !clients ? [{ ...one, paths }] : []
      })
      .reverse()
  }
}

export const isForAll = ({ paths, clients }: Where): boolean => paths === null && clients === null

export const textOf = (setting: Setting | null): string =>
  setting && !isList(setting.value) ? String(setting.value) : ''
export const isOn = (setting: Setting | null): boolean => /^(enable|true|1)$/.test(textOf(setting))
export const entriesOf = (value: Value): readonly Entry[] => (isList(value) ? value.entries : [])
/** The texts of a list without keys. */
export const textsOf = ({ value }: Setting): string[] =>
  entriesOf(value).flatMap(({ value: one }) => (isList(one) ? [] : [String(one)]))
/** Keys and texts of a list. */
export const pairsOf = ({ value }: Setting): [string, string][] =>
  entriesOf(value).flatMap(({ key, value: one }) =>
    key === null || isList(one) ? [] : [[key, String(one)] as [string, string]],
  )
export const directivesOf = (...settings: readonly (Setting | null)[]): Directive[] =>
  settings.flatMap((one) => one?.directives ?? [])

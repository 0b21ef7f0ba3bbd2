// SPDX-License-Identifier: MIT
// From locations to lists of rules of which the first that fits counts: a location's rule stands above those of all whose
// paths it shares, and says "as ever" where it would otherwise fall to one of them.
import { type Location, type Locations, mayMeet, type Scope } from './scope.ts'

export type Found<Value> = { location: Location | null; paths: string[]; value: Value }
type Options<Value> = {
  of: (scope: Scope, location: Location | null) => Value
  /** Equal values have equal keys; "" is nothing. */
  key: (value: Value) => string
  /** A location whose paths no pattern can say has a value of its own. */
  unsayable: (location: Location) => void
}

/** Only what has to be said: a location that would fall to the same rule needs none. */
export function firstThatFits<Value>(
  { list, base }: Locations,
  options: Options<Value>,
): Found<Value>[] {
  const { of, key, unsayable } = options
  const own = of(base, null)
  const values = list.map((location) => of(location.scope, location))
  const keys = values.map(key)
  const ownKey = key(own)
  const found: Found<Value>[] = []
  for (const [i, location] of list.entries()) {
    const value = values[i] as Value
    const isAsEver = (other: Location, k: number) =>
      k <= i || keys[k] === keys[i] || !mayMeet(location, other)
    if (ownKey === keys[i] && list.every(isAsEver)) continue
    if (location.patterns === null) unsayable(location)
    else found.push({ location, paths: location.patterns, value })
  }
  if (ownKey !== '') found.push({ location: null, paths: [], value: own })
  return found
}

export const pathsOf = (paths: readonly string[]) => (paths.length === 0 ? {} : { paths })

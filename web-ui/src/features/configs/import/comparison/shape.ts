// SPDX-License-Identifier: MIT
// Reads what came from outside and may be anything: each shape gives the value by its type, or tells where it is none.

/** `at` is where the value stands, as in answers[3].old.status. */
export type Shape<Value> = (value: unknown, at: string) => Value
export type ValueOf<Of> = Of extends Shape<infer Value> ? Value : never

export class WrongShape extends Error {
  readonly at: string
  constructor(at: string) {
    super(at)
    this.at = at
  }
}

const checked =
  <Value>(is: (value: unknown) => value is Value): Shape<Value> =>
  (value, at) => {
    if (!is(value)) throw new WrongShape(at)
    return value
  }

export const text = checked((value): value is string => typeof value === 'string')
export const amount = checked(
  (value): value is number => typeof value === 'number' && Number.isFinite(value) && value >= 0,
)
export const flag = checked((value): value is boolean => typeof value === 'boolean')
export const moment = checked(
  (value): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
)
export const webAddress = checked(
  (value): value is string => typeof value === 'string' && /^https?:$/.test(protocolOf(value)),
)
const protocolOf = (value: string) => (URL.canParse(value) ? new URL(value).protocol : '')
export const oneOf = <const Word extends string>(...words: readonly Word[]): Shape<Word> =>
  checked((value): value is Word => words.some((word) => word === value))

export const orNull =
  <Value>(shape: Shape<Value>): Shape<Value | null> =>
  (value, at) =>
    value === null ? null : shape(value, at)

export const optional =
  <Value>(shape: Shape<Value>): Shape<Value | undefined> =>
  (value, at) =>
    value === undefined ? undefined : shape(value, at)

export const listOf =
  <Value>(shape: Shape<Value>): Shape<Value[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw new WrongShape(at)
    return value.map((one, i) => shape(one, `${at}[${i}]`))
  }

export const pairOf =
  <Value>(shape: Shape<Value>): Shape<[Value, Value]> =>
  (value, at) => {
    if (!Array.isArray(value) || value.length !== 2) throw new WrongShape(at)
    return [shape(value[0], `${at}[0]`), shape(value[1], `${at}[1]`)]
  }

type Members = Record<string, Shape<unknown>>

/** Members that nobody asks for are left behind. */
export const object =
  <Of extends Members>(members: Of): Shape<{ [Name in keyof Of]: ValueOf<Of[Name]> }> =>
  (value, at) => {
    if (typeof value !== 'object' || value === null) throw new WrongShape(at)
    const read = Object.entries(members).map(([name, shape]) => {
      const one = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined
      return [name, shape(one, at === '' ? name : `${at}.${name}`)]
    })
    return Object.fromEntries(read)
  }

/** The one that has this member, else the other. */
export const having =
  <One, Other>(member: string, one: Shape<One>, other: Shape<Other>): Shape<One | Other> =>
  (value, at) =>
    typeof value === 'object' && value !== null && Object.hasOwn(value, member)
      ? one(value, at)
      : other(value, at)

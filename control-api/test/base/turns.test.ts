// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { type EndTurn, NoTurn, type TurnLimits, Turns } from '../../src/base/turns.ts'

const NEVER_MS = 2 ** 30
const limits = (given: Partial<TurnLimits> = {}): TurnLimits => ({
  capacity: 2,
  perCaller: 2,
  waiting: 10,
  waitingPerCaller: 4,
  waitMs: NEVER_MS,
  ...given,
})

/** Takes turns and tells who began, in which order. */
function watch(turns: Turns) {
  const begun: string[] = []
  const ends: EndTurn[] = []
  const refused: string[] = []
  const take = (name: string, weight = 1, gone?: AbortSignal) =>
    turns.take(name, weight, gone).then(
      (end) => {
        begun.push(name)
        ends.push(end)
      },
      (error) => refused.push(`${name}: ${(error as NoTurn).reason}`),
    )
  const settle = () => new Promise((done) => setImmediate(done))
  return { begun, ends, refused, take, settle }
}

describe('turns', () => {
  test('are taken by callers one after the other, however many one asks for', async () => {
    const turns = new Turns(limits())
    const { begun, ends, take, settle } = watch(turns)
    for (const name of ['a', 'a', 'a', 'a', 'a', 'b', 'c']) take(name)
    await settle()
    expect(begun).toEqual(['a', 'a'])
    for (let i = 0; i < 7; i++) {
      ends[i]?.()
      await settle()
    }
    expect(begun).toEqual(['a', 'a', 'a', 'b', 'c', 'a', 'a'])
    expect(turns).toMatchObject({ used: 0, waiting: 0 })
  })

  test('of one caller leave room for others', async () => {
    const { begun, take, settle } = watch(new Turns(limits({ perCaller: 1 })))
    for (const name of ['a', 'a', 'b']) take(name)
    await settle()
    expect(begun).toEqual(['a', 'b'])
  })

  test('are refused to who has too many waiting, and to all when too many wait', async () => {
    const { refused, take, settle } = watch(new Turns(limits({ waiting: 5 })))
    for (const name of [...'aaaaaaa', ...'bb']) take(name)
    await settle()
    expect(refused).toEqual(['a: caller', 'b: all'])
  })

  test('that are waited for too long are refused, and leave nothing behind', async () => {
    const turns = new Turns(limits({ waitMs: 1 }))
    const { refused, ends, take } = watch(turns)
    await Promise.all([take('a', 2), take('b')])
    expect(refused).toEqual(['b: all'])
    ends[0]?.()
    ends[0]?.()
    expect(turns).toMatchObject({ used: 0, waiting: 0 })
  })

  test('are not kept for who has gone', async () => {
    const turns = new Turns(limits())
    const { begun, refused, ends, take, settle } = watch(turns)
    const leaving = new AbortController()
    take('a', 2)
    take('b', 2, leaving.signal)
    take('c')
    await settle()
    leaving.abort()
    ends[0]?.()
    await settle()
    expect(refused).toEqual(['b: gone'])
    expect(begun).toEqual(['a', 'c'])
  })

  test('count by weight; who waits for much room is not passed by', async () => {
    const { begun, ends, take, settle } = watch(new Turns(limits({ capacity: 10, perCaller: 8 })))
    take('a', 6)
    take('b', 8)
    take('c', 1)
    await settle()
    expect(begun).toEqual(['a'])
    ends[0]?.()
    await settle()
    expect(begun).toEqual(['a', 'b', 'c'])
  })

  test('of more weight than there is are taken alone', async () => {
    const { begun, take, settle } = watch(new Turns(limits()))
    take('a', 100)
    take('b')
    await settle()
    expect(begun).toEqual(['a'])
  })

  test('are refused with an error that says why', async () => {
    const turns = new Turns(limits({ waitingPerCaller: 0 }))
    await turns.take('a', 2)
    await expect(turns.take('a', 1)).rejects.toBeInstanceOf(NoTurn)
  })
})

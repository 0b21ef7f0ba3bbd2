// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EventKind } from '../api-types.ts'
import { type Change, connectLive, eventKinds, type LiveState } from './live.ts'
import type { Listen, Said } from './stream.ts'

/** Each stream that was asked for, the newest last. */
let streams: { hear: (said: Said) => void; closed: boolean }[]
const listen: Listen = (_url, hear) => {
  const stream = { hear, closed: false }
  streams.push(stream)
  return () => {
    stream.closed = true
  }
}
const last = () => {
  const { hear, ...stream } = streams.at(-1) ?? { hear: () => {}, closed: true }
  return {
    ...stream,
    open: () => hear({ is: 'open' }),
    fail: (isOver: boolean) => hear({ is: 'lost', isOver }),
    say: (data: unknown) => hear({ is: 'event', data: JSON.stringify(data), id: '' }),
    hear,
  }
}
let changes: EventKind[][]
let told: Change['nodes'][]
let states: LiveState[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  streams = []
  changes = []
  told = []
  states = []
  stop = connectLive({
    url: '/api/v1/events',
    onChange: ({ kinds, nodes }) => {
      changes.push([...kinds])
      told.push(nodes)
    },
    onState: (state) => states.push(state),
    listen,
  })
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

describe('while the stream is open', () => {
  beforeEach(() => last().open())

  test('many events in a moment are one change', () => {
    for (let i = 0; i < 50; i++) last().say({ kind: 'node' })
    last().say({ kind: 'rollout' })
    vi.advanceTimersByTime(250)
    expect(changes).toEqual([['node', 'rollout']])
  })

  test('measurements wait longer, but do not hold up what is urgent', () => {
    last().say({ kind: 'metrics' })
    vi.advanceTimersByTime(1000)
    expect(changes).toEqual([])
    last().say({ kind: 'node' })
    vi.advanceTimersByTime(250)
    expect(changes).toEqual([['metrics', 'node']])
  })

  test('a stream of events never puts the change off', () => {
    for (let i = 0; i < 10; i++) {
      last().say({ kind: 'node' })
      vi.advanceTimersByTime(100)
    }
    expect(changes.length).toBeGreaterThanOrEqual(3)
  })

  test('what is no event of ours is passed over', () => {
    last().hear({ is: 'event', data: 'not json', id: '' })
    last().say({ kind: 'weather' })
    last().say(null)
    vi.advanceTimersByTime(5000)
    expect(changes).toEqual([])
  })

  test('"resync" has everything fetched again at once', () => {
    last().hear({ is: 'resync' })
    expect(changes).toEqual([[...eventKinds]])
  })
})

describe('when the stream fails', () => {
  test('it polls until the browser has the stream back, then fetches everything once', () => {
    last().open()
    last().fail(false)
    vi.advanceTimersByTime(10_000)
    expect(changes).toHaveLength(2)
    last().open()
    expect(changes).toHaveLength(3)
    vi.advanceTimersByTime(20_000)
    expect(changes).toHaveLength(3)
    expect(states).toEqual(['connecting', 'live', 'polling', 'live'])
  })

  test('a stream the server refused is asked for again', () => {
    last().fail(true)
    expect(streams).toHaveLength(1)
    vi.advanceTimersByTime(5000)
    expect(streams).toHaveLength(2)
  })
})

describe('a hidden tab', () => {
  const setHidden = (hidden: boolean) => {
    Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }
  afterEach(() => Reflect.deleteProperty(document, 'hidden'))

  test('gives its stream back after a minute and takes it up when looked at', () => {
    last().open()
    setHidden(true)
    vi.advanceTimersByTime(59_000)
    expect(last().closed).toBe(false)
    vi.advanceTimersByTime(2000)
    expect(last().closed).toBe(true)
    setHidden(false)
    expect(streams).toHaveLength(2)
    expect(changes).toHaveLength(1)
  })

  test('has nothing fetched, and what happened meanwhile at once when it is looked at', () => {
    last().open()
    setHidden(true)
    for (let i = 0; i < 300; i++) {
      last().say({ kind: 'node', id: 'node_1', action: 'changed' })
      vi.advanceTimersByTime(100)
    }
    last().fail(false) // and the polling that stands for a stream that is away
    vi.advanceTimersByTime(20_000)
    expect(changes).toEqual([])
    last().open()
    setHidden(false)
    expect(changes).toHaveLength(1)
    expect(streams).toHaveLength(1)
  })

  test('keeps what it is told of so many nodes only', () => {
    last().open()
    setHidden(true)
    for (let i = 0; i < 1001; i++) last().say({ kind: 'node', id: `node_${i}`, action: 'changed' })
    setHidden(false)
    expect(told).toEqual([null])
  })
})

test('once stopped, nothing more is said', () => {
  last().open()
  last().say({ kind: 'node' })
  stop()
  vi.advanceTimersByTime(60_000)
  expect(changes).toEqual([])
  expect(last().closed).toBe(true)
})

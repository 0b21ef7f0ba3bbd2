// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHub } from './hub.ts'
import type { Said } from './stream.ts'

let streams: { url: string; hear: (said: Said) => void; isClosed: boolean }[]
let hub: ReturnType<typeof createHub>

beforeEach(() => {
  vi.useFakeTimers()
  streams = []
  hub = createHub((url, hear) => {
    const stream = { url, hear, isClosed: false }
    streams.push(stream)
    return () => {
      stream.isClosed = true
    }
  })
})
afterEach(() => vi.useRealTimers())

function aWindow() {
  const heard: Said[] = []
  return { heard, postMessage: (said: Said) => void heard.push(said) }
}
const event = (id: string): Said => ({ is: 'event', data: '{}', id })
const say = (said: Said) => streams.at(-1)?.hear(said)

test('ten windows hear all of one stream, which ends with the last of them', () => {
  const windows = Array.from({ length: 10 }, aWindow)
  for (const one of windows) hub.join(one, '/events')
  say({ is: 'open' })
  say(event('1'))
  expect(streams).toHaveLength(1)
  for (const { heard } of windows) expect(heard).toEqual([{ is: 'open' }, event('1')])
  for (const one of windows.slice(1)) hub.leave(one)
  expect(streams[0]?.isClosed).toBe(false)
  for (const one of windows) hub.leave(one)
  expect(streams[0]?.isClosed).toBe(true)
})

test('who comes later is told how it stands, and what was said while its page was read', () => {
  hub.join(aWindow(), '/events')
  say({ is: 'open' })
  say(event('old'))
  vi.advanceTimersByTime(11_000)
  say(event('new'))
  vi.advanceTimersByTime(9_000)
  const late = aWindow()
  hub.join(late, '/events')
  expect(late.heard).toEqual([{ is: 'open' }, event('new')])
})

test('of more than it keeps, who comes later reads everything again', () => {
  hub.join(aWindow(), '/events')
  say({ is: 'open' })
  for (let i = 0; i <= 500; i++) say(event(`${i}`))
  say(event('after'))
  const late = aWindow()
  hub.join(late, '/events')
  expect(late.heard).toEqual([{ is: 'open' }, { is: 'resync' }, event('after')])
})

test('one that was refused is asked for again by whoever joins next', () => {
  const one = aWindow()
  hub.join(one, '/events')
  say({ is: 'lost', isOver: true })
  hub.leave(one)
  hub.join(one, '/events')
  const other = aWindow()
  hub.join(other, '/events')
  expect(streams).toHaveLength(2)
  expect(streams[0]?.isClosed).toBe(true)
  // It is under way: there is nothing to tell.
  expect(other.heard).toEqual([])
})

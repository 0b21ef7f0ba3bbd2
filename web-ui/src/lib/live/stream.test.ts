// SPDX-License-Identifier: MIT
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { listen, type Said } from './stream.ts'

class FakeSource extends EventTarget {
  static readonly CLOSED = 2
  static all: FakeSource[] = []
  readyState = 0
  isClosed = false
  onopen: (() => void) | null = null
  onerror: (() => void) | null = null
  constructor() {
    super()
    FakeSource.all.push(this)
  }
  close() {
    this.isClosed = true
  }
  open() {
    this.readyState = 1
    this.onopen?.()
  }
  fail(readyState: 0 | 2) {
    this.readyState = readyState
    this.onerror?.()
  }
  say(data: string, lastEventId = '') {
    this.dispatchEvent(new MessageEvent('message', { data, lastEventId }))
  }
  beat() {
    this.dispatchEvent(new Event('heartbeat'))
  }
}

const last = () => FakeSource.all.at(-1) as FakeSource
const open: Said = { is: 'open' }
const lost: Said = { is: 'lost', isOver: false }
let said: Said[]
let close: () => void

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('EventSource', FakeSource)
  FakeSource.all = []
  said = []
  close = listen('/api/v1/events', (one) => said.push(one))
})
afterEach(() => {
  close()
  vi.useRealTimers()
})

const beats = (times: number) => {
  for (let i = 0; i < times; i++) {
    vi.advanceTimersByTime(15_000)
    last().beat()
  }
}

test('what comes is told, and heartbeats keep it open', () => {
  last().open()
  last().say('{"kind":"node"}', '7')
  last().dispatchEvent(new Event('resync'))
  beats(10)
  expect(said).toEqual([open, { is: 'event', data: '{"kind":"node"}', id: '7' }, { is: 'resync' }])
  expect(FakeSource.all).toHaveLength(1)
})

test('a connection that says nothing is lost, opened anew, and open with its second heartbeat in time', () => {
  last().open()
  vi.advanceTimersByTime(40_000)
  expect(said).toEqual([open, lost])
  expect(FakeSource.all.map(({ isClosed }) => isClosed)).toEqual([true, false])
  last().open()
  beats(1)
  expect(said).toEqual([open, lost])
  beats(1)
  expect(said).toEqual([open, lost, open])
})

test('one that gathers what is said for minutes stays lost: its heartbeats come together', () => {
  last().open()
  vi.advanceTimersByTime(40_000)
  last().open()
  for (let burst = 0; burst < 4; burst++) {
    vi.advanceTimersByTime(39_000)
    last().say('{"kind":"node"}')
    last().beat()
    last().beat()
  }
  expect(said.filter(({ is }) => is === 'open')).toHaveLength(1)
  expect(said.filter(({ is }) => is === 'event')).toHaveLength(4)
})

test('one whose beginning is held back is lost after ten seconds', () => {
  vi.advanceTimersByTime(9_999)
  expect(said).toEqual([])
  vi.advanceTimersByTime(1)
  expect(said).toEqual([lost])
})

test('a control plane that was away for minutes is believed at once', () => {
  last().open()
  last().fail(0)
  vi.advanceTimersByTime(300_000)
  last().open()
  expect(said).toEqual([open, lost, open])
  expect(FakeSource.all).toHaveLength(1)
})

test('one that was refused does not come back by itself', () => {
  last().fail(2)
  expect(said).toEqual([{ is: 'lost', isOver: true }])
})

test('closed, it asks for nothing more', () => {
  last().open()
  close()
  vi.advanceTimersByTime(300_000)
  expect(said).toEqual([open])
  expect(FakeSource.all).toHaveLength(1)
  expect(last().isClosed).toBe(true)
})

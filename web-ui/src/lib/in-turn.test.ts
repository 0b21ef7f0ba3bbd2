// SPDX-License-Identifier: MIT
import { expect, test, vi } from 'vitest'
import { inTurn } from './in-turn.ts'

/** Frames that come when the test says. */
function frames() {
  const asked = new Map<number, FrameRequestCallback>()
  let last = 0
  vi.stubGlobal('requestAnimationFrame', (draw: FrameRequestCallback) => {
    last += 1
    asked.set(last, draw)
    return last
  })
  vi.stubGlobal('cancelAnimationFrame', (frame: number) => asked.delete(frame))
  const next = () => {
    const now = [...asked.values()]
    asked.clear()
    for (const draw of now) draw(0)
    return now.length
  }
  return { next }
}

function at(top: number): Element {
  const element = document.createElement('div')
  element.getBoundingClientRect = () => new DOMRect(0, top, 100, 100)
  return element
}

test('each frame has one piece, and what is in the window comes first', () => {
  const { next } = frames()
  const drawn: string[] = []
  const draws = (name: string) => () => void drawn.push(name)
  inTurn(at(-500), draws('above'))
  inTurn(at(20), draws('first'))
  inTurn(at(5000), draws('below'))
  inTurn(at(200), draws('second'))
  expect(drawn).toEqual([])
  const after = []
  while (next() > 0) after.push(drawn.length)
  expect(after).toEqual([1, 2, 3, 4])
  expect(drawn).toEqual(['first', 'second', 'above', 'below'])
})

test('who gives the turn up is not drawn and takes no frame of another', () => {
  const { next } = frames()
  const drawn: string[] = []
  const giveUp = inTurn(at(0), () => void drawn.push('gone'))
  giveUp()
  expect(next()).toBe(0)
  inTurn(at(0), () => void drawn.push('here'))
  expect(next()).toBe(1)
  expect(drawn).toEqual(['here'])
  expect(next()).toBe(0)
})

test('one that cannot be drawn holds up no other', () => {
  const { next } = frames()
  const drawn: string[] = []
  inTurn(at(0), () => {
    throw new Error('no canvas')
  })
  inTurn(at(0), () => void drawn.push('the next'))
  expect(next).toThrow('no canvas')
  next()
  expect(drawn).toEqual(['the next'])
})

test('a frame that never comes, of what is gone by now, holds up nobody', () => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
  inTurn(at(0), () => {})()
  const { next } = frames()
  const drawn: string[] = []
  inTurn(at(0), () => void drawn.push('here'))
  next()
  expect(drawn).toEqual(['here'])
})

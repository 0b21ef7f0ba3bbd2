// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { isFindEverywhere, readKeys, shortcuts } from './keys.ts'

const stroke = { key: 'k', code: 'KeyK', ctrlKey: false, metaKey: false, altKey: false }

test('no two shortcuts are pressed alike, and none is the beginning of another', () => {
  const all = shortcuts.map(({ keys }) => keys.join(' '))
  expect(new Set(all).size).toBe(all.length)
  expect(all.filter((one) => all.some((other) => other.startsWith(`${one} `)))).toEqual([])
})

test('g is the beginning of some, and g n leads to the nodes', () => {
  expect(readKeys(['g'])).toBe('begun')
  expect(readKeys(['g', 'n'])).toEqual({ kind: 'go', to: '/nodes' })
  expect(readKeys(['g', 'x'])).toBeNull()
  expect(readKeys(['x'])).toBeNull()
})

test('Ctrl+K finds, and on a Mac ⌘K: Ctrl+K ends a line there', () => {
  expect(isFindEverywhere({ ...stroke, ctrlKey: true }, false)).toBe(true)
  expect(isFindEverywhere({ ...stroke, ctrlKey: true }, true)).toBe(false)
  expect(isFindEverywhere({ ...stroke, metaKey: true }, true)).toBe(true)
  expect(isFindEverywhere({ ...stroke, ctrlKey: true, altKey: true }, false)).toBe(false)
  expect(isFindEverywhere(stroke, false)).toBe(false)
})

test('with Cyrillic letters it is the key of k; with another Latin layout the letter counts', () => {
  const held = { ...stroke, ctrlKey: true }
  expect(isFindEverywhere({ ...held, key: 'л' }, false)).toBe(true)
  expect(isFindEverywhere({ ...held, key: 't' }, false)).toBe(false)
  expect(isFindEverywhere({ ...held, code: 'KeyV' }, false)).toBe(true)
})

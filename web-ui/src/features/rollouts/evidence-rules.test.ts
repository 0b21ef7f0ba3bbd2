// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { differenceText, intervalText, limitText, sideText } from './evidence-rules.ts'

test('quantiles are compared by ratio', () => {
  expect(sideText('firstByteP99', 0.0421)).toBe('42.1 ms')
  expect(differenceText('firstByteP99', 2.254)).toBe('2.25 times')
  expect(intervalText('firstByteP99', 1.9, 2.6)).toBe('1.9 to 2.6')
  expect(limitText('firstByteP99', 1.5)).toBe('≤ 1.5 times')
})

test('shares are compared by difference, in points of percent', () => {
  expect(sideText('errors5xx', 0.031)).toBe('3.1 %')
  expect(differenceText('errors5xx', 0.07)).toBe('+7 points')
  expect(differenceText('errors5xx', -0.002)).toBe('-0.2 points')
  expect(intervalText('errors5xx', -0.001, 0.02)).toBe('-0.1 to 2')
  expect(limitText('errors5xx', 0.01)).toBe('≤ 1 point')
})

test('what was not measured is a dash', () => {
  expect(sideText('totalP50', null)).toBe('–')
  expect(intervalText('totalP50', null, 2)).toBe('–')
})

test('what nodes answered is so much of it wrong', () => {
  expect(sideText('releaseFiles', 0.05)).toBe('5 %')
  expect(differenceText('releaseFiles', 0.05)).toBe('5 %')
  expect(limitText('mediaTypes', 0)).toBe('≤ 0 %')
})

test('bytes per page may be so many times as many', () => {
  expect(sideText('bytesPerPage', 2048)).toBe('2 KiB')
  expect(differenceText('bytesPerPage', 4)).toBe('4 times')
  expect(limitText('bytesPerPage', 3)).toBe('≤ 3 times')
})

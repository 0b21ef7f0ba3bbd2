// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import {
  exactWords,
  type Format,
  formatByteRate,
  formatBytes,
  formatRate,
  formatRatio,
  formatSeconds,
  shortDigest,
} from './format.ts'
import { formatAgo, formatDuration } from './time.ts'

describe('formatSeconds', () => {
  test.each([
    [null, '–'],
    [0, '0 ms'],
    [0.0000004, '0.4 µs'],
    [0.00009, '90 µs'],
    [0.0009994, '999 µs'],
    [0.0009996, '1 ms'],
    [0.0042, '4.2 ms'],
    [0.9996, '1 s'],
    [12.345, '12.3 s'],
  ])('%s is %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text)
  })
})

describe('formatBytes', () => {
  test.each([
    [0, '0 B'],
    [1023, '1,020 B'],
    [1024, '1 KiB'],
    [1_048_576, '1 MiB'],
    [5_368_709_120, '5 GiB'],
  ])('%s is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })
})

test('a byte rate is decimal, so that 1,000,000 is round', () => {
  expect(formatByteRate(1_000_000)).toBe('1 MB/s')
})

test.each([
  [null, '–'],
  [0, '0'],
  [0.0286, '< 0.1'],
  [0.1, '0.1'],
  [0.2849, '0.28'],
  [0.996, '1'],
  [13.28, '13.3'],
  [1234.5, '1,235'],
])('a rate of %s is %s', (perSecond, text) => {
  expect(formatRate(perSecond)).toBe(text)
})

test('a ratio too small to print is not printed as none', () => {
  expect(formatRatio(0)).toBe('0 %')
  expect(formatRatio(0.00001)).toBe('< 0.01 %')
  expect(formatRatio(0.0123)).toBe('1.23 %')
})

test('a digest is told by its first eight digits', () => {
  expect(shortDigest(`sha256:0123456789${'a'.repeat(54)}`)).toBe('01234567')
})

test('durations show their one largest unit', () => {
  expect([59, 60, 3599, 3600, 86_400].map(formatDuration)).toEqual([
    '59 s',
    '1 min',
    '59 min',
    '1 h',
    '1 d',
  ])
})

test('a clock a little ahead of ours has no negative age', () => {
  expect(formatAgo('2026-01-01T00:00:03.000Z', Date.parse('2026-01-01T00:00:00.000Z'))).toBe(
    'just now',
  )
})

describe('what stands behind a rounded number', () => {
  test.each<[Format, number, string]>([
    [formatSeconds, 0.024653187, '0.024653187 s'],
    [formatBytes, 12_345_678, '12,345,678 B'],
    [formatByteRate, 546_123.4, '546,123.4 B/s'],
    [formatRate, 1234.5678, '1,234.5678/s'],
    [formatRatio, 0.99512, '99.512 %'],
  ])('is told with its unit', (format, value, words) => {
    expect(exactWords(value, format)).toBe(words)
  })
  test('is nothing where there is no number, or none that is rounded', () => {
    expect(exactWords(null, formatSeconds)).toBeNull()
    expect(exactWords(undefined, formatBytes)).toBeNull()
    expect(exactWords(5, (value) => `${value}`)).toBeNull()
  })
})

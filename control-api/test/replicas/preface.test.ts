// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { type Listener, LONGEST_BYTES, prefaceOf, readPreface } from '../../src/replicas/preface.ts'

const KEY = 'a'.repeat(64)
const NOW = 1_795_000_000_000
const line = (listener: Listener = 'agents', address = '192.0.2.7', atMs = NOW) =>
  prefaceOf({ listener, address }, KEY, atMs).trimEnd()

describe('what a replica says before a connection that it hands on', () => {
  test.each([
    ['console', '192.0.2.7'],
    ['agents', '2001:db8::1'],
    ['agents', '::ffff:192.0.2.7'],
  ] as const)('is read as it was meant: %s %s', (listener, address) => {
    expect(readPreface(line(listener, address), KEY, NOW)).toEqual({ listener, address })
    expect(line(listener, address).length).toBeLessThan(LONGEST_BYTES)
  })

  test.each([
    ['another key', line(), 'b'.repeat(64), NOW],
    ['another address', line().replace('192.0.2.7', '192.0.2.8'), KEY, NOW],
    ['another listener', line().replace('agents', 'console'), KEY, NOW],
    ['a time of long ago', line('agents', '192.0.2.7', NOW - 400_000), KEY, NOW],
    ['a time to come', line('agents', '192.0.2.7', NOW + 400_000), KEY, NOW],
    ['no signature', line().split(' ').slice(0, 4).join(' '), KEY, NOW],
    ['more than that', `${line()} x`, KEY, NOW],
    ['a name for an address', line('agents', 'localhost'), KEY, NOW],
    ['nothing', '', KEY, NOW],
    ['a signature of other bytes', `${line().slice(0, -1)}é`, KEY, NOW],
  ])('is nobody’s with %s', (_what, said, key, now) => {
    expect(readPreface(said, key, now)).toBeNull()
  })
})

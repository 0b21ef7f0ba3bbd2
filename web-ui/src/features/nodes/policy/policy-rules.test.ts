// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { listenLines } from './policy-rules.ts'

describe('where a node may listen', () => {
  test('is one line an address', () => {
    expect(
      listenLines(['*:80', '127.0.0.1:8080', '*:443', '[::1]:8081', '*:1024-65535', '*:9-9']),
    ).toEqual([
      'ports 80, 443, 1024 to 65535, 9 of every address',
      'port 8080 of 127.0.0.1',
      'port 8081 of [::1]',
    ])
    expect(listenLines(['10.0.0.1:8000-8999'])).toEqual(['ports 8000 to 8999 of 10.0.0.1'])
  })

  test('is shown as it is when it cannot be read', () => {
    expect(listenLines(['*:http', '', '*:80'])).toEqual(['*:http', '', 'port 80 of every address'])
  })
})

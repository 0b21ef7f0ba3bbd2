// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { networkOf } from '../../../src/features/session/sign-in-throttle.ts'

test.each([
  ['203.0.113.9', '203.0.113'],
  ['::ffff:203.0.113.9', '203.0.113'],
  ['2001:db8:1:22ff::1', '2001:db8:1:2200'],
  ['2001:db8:1:2200:1:2:3:4', '2001:db8:1:2200'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
])('%s is of the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

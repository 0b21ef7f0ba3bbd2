// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { hostsOfReleases } from '../../src/fleet/release-hosts.ts'

test.each([
  [[{ hosts: ['*.b', 'a.b'], release: 'www' }], 'a.b'],
  [
    [
      { hosts: ['x'], root: '/srv' },
      { hosts: ['*'], release: 'www' },
    ],
    null,
  ],
  [
    [
      { hosts: ['*'], release: 'www' },
      { hosts: ['y'], release: 'www' },
    ],
    'y',
  ],
  [[{ hosts: ['*.b'], release: 'www' }], undefined],
  [[{ hosts: 'x', release: 'www' }, null], undefined],
  ['none', undefined],
])('of the sites %j the name is %j', (sites, host) => {
  expect(hostsOfReleases(JSON.stringify({ sites })).get('www')).toBe(host)
})

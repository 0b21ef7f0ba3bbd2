// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { rolloutTo } from './rules.ts'

const eu = { selector: 'zone=eu', config: 'shop' }
const us = { selector: 'zone=us', config: 'shop' }
const lab = { selector: 'lab', config: 'lab' }
const rest = { selector: '', config: null }
const all = [eu, us, lab, rest]

test.each([
  ['a config of its own', lab, { config: 'lab' }],
  ['a config that another group has, too', eu, { config: 'shop', selector: 'zone=eu' }],
  ['no config of its own', { selector: 'old', config: null }, { selector: 'old' }],
  ['all others', rest, { selector: '' }],
])('the rollout to a group with %s is filled in with it', (_, group, filled) => {
  expect(rolloutTo(group, all)).toEqual(filled)
})

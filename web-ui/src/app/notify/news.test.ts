// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import type { RolloutState } from '../../lib/api-types.ts'
import { newsOf, type Standing } from './news.ts'

const standing = (state: RolloutState, author = 'ana', id = 'rollout_1'): Standing => ({
  ...{ id, config: 'default', version: 3, state, author, reason: 'Why.' },
})
const titles = (
  before: [string, RolloutState][],
  now: Standing[],
  reader = { username: 'ana', mayApprove: true },
) => newsOf(new Map(before), now, reader).map(({ title }) => title)

test('one’s own that end or pause are news, once', () => {
  expect(titles([['rollout_1', 'running']], [standing('paused')])).toEqual([
    'Rollout of default v3: paused',
  ])
  expect(titles([['rollout_1', 'paused']], [standing('paused')])).toEqual([])
  expect(titles([['rollout_1', 'paused']], [standing('running')])).toEqual([])
  expect(titles([['rollout_1', 'running']], [standing('succeeded')])).toHaveLength(1)
})

test('those of others are not, unless they need this one’s approval', () => {
  expect(titles([['rollout_1', 'running']], [standing('paused', 'bo')])).toEqual([])
  expect(titles([], [standing('awaiting_approval', 'bo')])).toHaveLength(1)
  expect(titles([], [standing('awaiting_approval', 'ana')])).toEqual([])
  const reader = { username: 'cy', mayApprove: false }
  expect(titles([], [standing('awaiting_approval', 'bo')], reader)).toEqual([])
})

test('one that was over when it was first seen is no news', () => {
  expect(titles([], [standing('succeeded')])).toEqual([])
})

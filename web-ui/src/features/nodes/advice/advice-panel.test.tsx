// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { Advice } from '../../../lib/api-types.ts'
import { type Handlers, json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { node, nodeAdvice, session } from '../../../test/samples.ts'
import { figureWords, trialWords } from './rules.ts'

const { id } = node()
const base = `/nodes/${id}`
const advice: Advice = {
  rule: 'readThreads',
  title: 'Reads wait for a thread',
  sentence: 'The slowest of 100 reads waits 80 ms for a read thread.',
  figures: [
    {
      ...{ name: 'waitToRead', label: 'Wait to read', unit: 'times', value: 8.123 },
      ...{ low: 6, high: 10, atLeast: 2, atMost: null },
    },
  ],
  arithmetic: ['Wait to read: 80 ms / 10 ms = 8.12'],
  change: {
    ...{ pointer: '/io/readThreads', now: 4, times: 2, most: 256 },
    gate: { metric: 'readWaitP99', max: 0.8 },
  },
  whyNoChange: null,
  lastSoAt: null,
}

async function open(handlers: Handlers = {}) {
  const api = renderApp(base, {
    [`GET ${base}`]: () => json(node()),
    [`GET ${base}/effective-config`]: () =>
      json({ text: null, generation: null, digest: null, releases: [], desiredText: null }),
    [`GET ${base}/override`]: () => json({ mergePatch: {} }, { etag: '"1"' }),
    [`GET ${base}/advice`]: () => json(nodeAdvice({ advice: [advice] })),
    ...handlers,
  })
  const panel = within(await screen.findByRole('region', { name: 'Advice' }))
  return { api, panel }
}

test('of a node that is well it says so, and why each rule has nothing to say', async () => {
  const { panel } = await open({ [`GET ${base}/advice`]: () => json(nodeAdvice()) })
  await userEvent.click(await panel.findByText('Nothing to advise'))
  expect(panel.getByText(/100 are needed to judge/)).toBeVisible()
  expect(panel.queryByRole('button')).toBeNull()
})

test('says what was measured, how it was worked out, and tries it on this node', async () => {
  const trial = {
    ...{ config: 'default', version: 8, pointer: '/io/readThreads', from: 4, to: 8 },
    rolloutId: 'rollout_01jd4q6v2m8w3x5y7z9abcdefg',
  }
  const { api, panel } = await open({
    [`POST ${base}/advice/readThreads/try`]: () => json(trial, {}, 201),
  })
  const one = within(await panel.findByRole('article', { name: 'Reads wait for a thread' }))
  await userEvent.click(one.getByText('How this was worked out'))
  expect(one.getByText('8.12 times (6 times to 10 times); at least 2 times')).toBeVisible()
  expect(one.getByText('Wait to read: 80 ms / 10 ms = 8.12')).toBeVisible()
  expect(one.getByText(/saves a version with io.readThreads from 4 to 8/)).toBeVisible()
  await userEvent.click(one.getByRole('button', { name: 'Try it on this node' }))
  expect(await one.findByRole('link', { name: 'Watch the rollout' })).toHaveAttribute(
    'href',
    `/rollouts/${trial.rolloutId}`,
  )
  expect(one.queryByRole('button', { name: 'Try it on this node' })).toBeNull()
  expect(api.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)).toEqual([
    `${base}/advice/readThreads/try`,
  ])
})

test('what is not so at this moment stays for a while, says so, and can still be tried', async () => {
  const lastSoAt = new Date(Date.now() - 120_000).toISOString()
  const { panel } = await open({
    [`GET ${base}/advice`]: () => json(nodeAdvice({ advice: [{ ...advice, lastSoAt }] })),
  })
  expect(await panel.findByText(/It was so/)).toHaveTextContent(
    'It was so 2 min ago and is not at this moment. It can still be tried for a while.',
  )
  expect(panel.getByRole('button', { name: 'Try it on this node' })).toBeEnabled()
})

test('a refused trial says why, and can be asked for again', async () => {
  const detail = 'rollout_1 is not over for this node.'
  const { panel } = await open({
    [`POST ${base}/advice/readThreads/try`]: () => problem(409, 'node_is_taken', detail),
  })
  await userEvent.click(await panel.findByRole('button', { name: 'Try it on this node' }))
  expect(await panel.findByRole('alert')).toHaveTextContent(detail)
  expect(panel.getByRole('button', { name: 'Try it on this node' })).toBeEnabled()
})

test('who may not change configs reads the advice, and why it can’t be tried', async () => {
  const viewer = { ...session, permissions: ['rollouts:run'] }
  const { panel } = await open({ 'GET /session': () => json(viewer) })
  expect(await panel.findByRole('button', { name: 'Try it on this node' })).toBeDisabled()
  expect(panel.getByText(/needs the permission configs:write/)).toBeVisible()
})

test('what can’t be tried says why', async () => {
  const whyNoChange = 'No value in the config changes this.'
  const slow: Advice = { ...advice, rule: 'slowClients', change: null, whyNoChange }
  const { panel } = await open({
    [`GET ${base}/advice`]: () => json(nodeAdvice({ advice: [slow], quiet: [] })),
  })
  expect(await panel.findByText(whyNoChange)).toBeVisible()
  expect(panel.queryByRole('button')).toBeNull()
})

test('figures and trials are said in words', () => {
  const share = {
    ...{ name: 'hits', label: 'Hits', unit: 'share' as const, value: 0.4567 },
    ...{ low: null, high: null, atLeast: null, atMost: 0.8 },
  }
  expect(figureWords(share)).toBe('45.7 %; at most 80 %')
  expect(figureWords({ ...share, unit: 'seconds', value: 0.005, atMost: null })).toBe('5 ms')
  const gate = { metric: 'cacheHits' as const, max: 1 }
  const unknown = { pointer: '/statCache/ttlMillis', now: null, times: 4, most: 100, gate }
  expect(trialWords(unknown)).toContain('statCache.ttlMillis to 4 times what it is')
  expect(trialWords({ ...unknown, now: 50 })).toContain('from 50 to 100')
})

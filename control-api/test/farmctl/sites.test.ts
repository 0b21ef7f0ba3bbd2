// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { rowOf } from '../../src/farmctl/commands/sites.ts'
import type { SiteSummary } from '../../src/features/sites/schema.ts'
import { FARMCTL_TEST_MS, farmctl, siteText } from './helper.ts'

test('sites are listed, and found by host or config', { timeout: FARMCTL_TEST_MS }, async () => {
  const { service, run, json } = await farmctl()
  expect((await run(['sites'])).stdout).toBe('There are no such sites.\n')
  const payload = { text: siteText(8080), parent: null, message: 'first' }
  const url = '/api/v1/configs/default/versions'
  const saved = await service.admin.inject({ method: 'POST', url, payload })
  expect(saved.statusCode, saved.body).toBe(201)
  const { stdout } = await run(['sites'])
  expect(stdout).toMatch(/^SITE +CONFIG +NODES +REQUESTS\/S +5XX\/S +SENT\/S\n/)
  // What was not counted is not said to be zero.
  expect(stdout).toMatch(/ default +0 +- +- +-\n/)
  const { items } = (await json('sites')) as { items: SiteSummary[] }
  expect(items.map(({ config, traffic }) => [config, traffic])).toEqual([['default', null]])
  for (const args of [['nowhere'], ['--config', 'nosuch']]) {
    expect((await run(['sites', ...args])).stdout).toBe('There are no such sites.\n')
  }
  const wrong = await run(['sites', '--limit', 'many'])
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('--limit')])
})

test('rates have one digit, and what is less is more than nothing', () => {
  const site = { host: 'shop.example', config: 'web', nodes: 3 } as SiteSummary
  const traffic = { requestsPerSecond: 12.34, serverErrorsPerSecond: 0.02, bytesPerSecond: 2048.4 }
  expect(rowOf({ ...site, traffic })).toEqual([
    ...['shop.example', 'web', '3', '12.3', '<0.1', '2.0 KiB'],
  ])
})

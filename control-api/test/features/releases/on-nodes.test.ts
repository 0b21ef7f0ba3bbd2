// SPDX-License-Identifier: MIT
// What nodes say of the versions of a release: who serves them, who keeps them, who is still asked for them.
import { expect, test } from 'vitest'
import type { ReportRequest } from '../../../src/agent-protocol/messages.gen.ts'
import type { ReleaseVersion } from '../../../src/features/releases/schema.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { build } from '../../helper.ts'
import { push } from './pushing.ts'

const HOUR_MS = 3_600_000

test('a version tells who serves and keeps it, and since when nobody asks for it', async () => {
  const service = await build()
  const { admin } = service
  await push(admin, 'www', { 'a.txt': 'one' }, null)
  await push(admin, 'www', { 'a.txt': 'two' }, 1)
  const shown = async (number: number): Promise<ReleaseVersion['onNodes']> =>
    (await admin.inject({ url: `/api/v1/releases/www/versions/${number}` })).json().onNodes
  expect(await shown(1)).toEqual({
    ...{ servedByNodes: 0, keptByNodes: 0, requests: 0, lastRequestAt: null, quietSeconds: null },
    ...{ uncountedNodes: 0, isSafeToDrop: false },
  })
  const [one, two] = [await enrolNode(service), await enrolNode(service, { labels: {} })]
  await one.hello()
  await two.hello()
  expect(await shown(1)).toMatchObject({ uncountedNodes: 2 })

  const lastRequestMs = Date.now() - 50 * HOUR_MS
  const kept = { name: 'www', number: 1, requests: 17, lastRequestMs }
  const says = (keptReleases: ReportRequest['keptReleases'], uptimeMs: number) => ({
    ...{ keptReleases: keptReleases ?? [], uptimeMs, windows: [] },
  })
  expect((await one.report(says([kept], 90 * HOUR_MS))).statusCode).toBe(200)
  expect(await shown(1)).toMatchObject({
    ...{ keptByNodes: 1, requests: 17, lastRequestAt: new Date(lastRequestMs).toISOString() },
    ...{ uncountedNodes: 1, isSafeToDrop: false },
  })
  const never = { ...kept, requests: 0, lastRequestMs: null }
  expect((await two.report(says([never], 49 * HOUR_MS))).statusCode).toBe(200)
  const old = await shown(1)
  expect(old).toMatchObject({ keptByNodes: 2, requests: 17, uncountedNodes: 0, isSafeToDrop: true })
  expect(old.quietSeconds).toBeGreaterThanOrEqual(49 * 3600)
  expect(old.quietSeconds).toBeLessThan(50 * 3600)

  // Its process is new: of what was before nothing is known.
  await two.report(says([never], HOUR_MS))
  expect(await shown(1)).toMatchObject({ isSafeToDrop: false })
  const { items } = (await admin.inject({ url: '/api/v1/releases/www/versions' })).json()
  expect(items.map(({ onNodes }: ReleaseVersion) => onNodes.keptByNodes)).toEqual([0, 2])
})

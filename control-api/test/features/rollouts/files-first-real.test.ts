// SPDX-License-Identifier: MIT
// Behind a balancer in the midst of a rollout: each page, old or new, finds its files at every real node.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { push } from '../releases/pushing.ts'
import { realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000
const PATIENT = { timeout: 180_000, interval: 50 }

test(
  'before the first node serves the new page all nodes have its files, and after it the old ones',
  async () => {
    const ports = [await freePort(), await freePort(), await freePort()]
    const service = await realFarm(3, { ports })
    const { admin } = service
    await push(admin, 'www', { 'index.html': 'one', 'assets/1.js': '1' }, null)
    await push(admin, 'www', { 'index.html': 'two', 'assets/2.js': '2' }, 1)
    const site = { hosts: ['*'], release: 'www', releaseFallback: ['/assets/**'] }
    const text = JSON.stringify({ workers: 1, sites: [site] })
    const url = '/api/v1/configs/default/versions'
    const payload = { text, parent: 1, message: 'Serve a release' }
    const saved = (await admin.inject({ method: 'POST', url, payload })).json()
    const orderOf = async (www: number, strategy: object) => {
      const body = { config: 'default', version: saved.number, releases: { www }, strategy }
      const answer = await admin.inject({ method: 'POST', url: '/api/v1/rollouts', payload: body })
      return answer.json().id as string
    }
    const served = (path: string) =>
      Promise.all(
        ports.map(async (port) => {
          const answer = await fetch(`http://127.0.0.1:${port}${path}`)
          return answer.status === 200 ? await answer.text() : answer.status
        }),
      )
    await service.ends(await orderOf(1, { atOnce: true }), 'succeeded')
    expect(await served('/assets/2.js')).toEqual([404, 404, 404])
    const waves = [{ nodes: 1 }, { percent: 100 }]
    const watched = { minHealthySeconds: 0, soakSeconds: 600, maxSoakSeconds: 600, gates: [] }
    const id = await orderOf(2, { waves, ...watched })
    await expect
      .poll(async () => (await served('/')).toSorted(), PATIENT)
      .toEqual([...['one', 'one', 'two']])
    expect(await served('/assets/1.js')).toEqual(['1', '1', '1'])
    expect(await served('/assets/2.js')).toEqual(['2', '2', '2'])
    const { filesFirst } = await service.get(id)
    expect(filesFirst).toMatchObject({ isOver: true, heldNodes: 3, refusedNodes: 0, otherNodes: 0 })
    const kept = async () =>
      (await admin.inject({ url: '/api/v1/releases/www/versions/1' })).json().onNodes
    await expect
      .poll(kept, PATIENT)
      .toMatchObject({ servedByNodes: 2, keptByNodes: 1, requests: 1, uncountedNodes: 0 })
  },
  WHOLE_TEST_MS,
)

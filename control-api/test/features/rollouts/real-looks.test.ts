// SPDX-License-Identifier: MIT
// Real nodes are asked for files of the release that they were given, and count requests below the paths of gates.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import type { Gate } from '../../../src/features/rollouts/shapes/schema.ts'
import { push } from '../releases/pushing.ts'
import { PATIENT, realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000
const looks: Gate[] = [
  { metric: 'releaseFiles', max: 0, onFail: 'revert' },
  { metric: 'mediaTypes', max: 0, onFail: 'pause' },
]
const files = {
  'index.html': 'one',
  'site.css': 'p {}',
  'app.js': 'go()',
  'docs/guide.html': 'read',
}

/** Serves version 1 of `www`; 2 is there. */
async function farm(nodes: number) {
  const ports = await Promise.all(Array.from({ length: nodes }, () => freePort()))
  const service = await realFarm(nodes, { ports })
  const { admin } = service
  await push(admin, 'www', files, null)
  await push(admin, 'www', { ...files, 'index.html': 'two', 'assets/new.js': 'new()' }, 1)
  let latest = 1
  const save = async (site: object, more: object = {}) => {
    const whole = { hosts: ['*'], release: 'www', ...site }
    const text = JSON.stringify({ workers: 1, sites: [whole], ...more })
    const payload = { text, parent: latest, message: 'Serve a release' }
    const url = '/api/v1/configs/default/versions'
    latest = (await admin.inject({ method: 'POST', url, payload })).json().number
    return latest
  }
  const order = async (version: number, www: number, strategy: object) => {
    const body = { config: 'default', version, releases: { www }, strategy }
    const answer = await admin.inject({ method: 'POST', url: '/api/v1/rollouts', payload: body })
    expect(answer.statusCode, answer.body).toBe(201)
    return answer.json().id as string
  }
  const plain = await save({})
  await service.ends(await order(plain, 1, { atOnce: true }), 'succeeded')
  return { ...service, ports, save, order, plain }
}

const waves = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  ...{ minHealthySeconds: 1, soakSeconds: 1, maxSoakSeconds: 300 },
}

test(
  'each node with the new version answers for its files, and for those of both versions with one media type',
  async () => {
    const { order, plain, ends } = await farm(3)
    const { evidence } = await ends(await order(plain, 2, { ...waves, gates: looks }), 'succeeded')
    const [asked, types] = evidence?.gates ?? []
    expect(asked).toMatchObject({ verdict: 'pass', canary: { nodes: 2, samples: 10 }, odd: [] })
    expect(types).toMatchObject({ verdict: 'pass', control: { nodes: 1 }, odd: [] })
    expect(types?.canary.samples).toBeGreaterThanOrEqual(8)
  },
  WHOLE_TEST_MS,
)

test(
  'a file that the release has and a node does not answer with stops the first wave',
  async () => {
    const { order, save, ends } = await farm(2)
    const hidden = await save({ tryFiles: [{ paths: ['/assets/**'], candidates: ['404'] }] })
    const { evidence, states } = await ends(
      await order(hidden, 2, { ...waves, gates: looks }),
      'reverted',
    )
    expect(states).toMatchObject({ reverted: 1 })
    expect(evidence?.gates[0]).toMatchObject({
      verdict: 'fail',
      odd: [{ url: '/assets/new.js', message: '404, and is in www@2' }],
    })
  },
  WHOLE_TEST_MS,
)

test(
  'a media type that becomes another one holds the rollout, with the files it is of',
  async () => {
    const { order, save, ends } = await farm(2)
    const plainText = await save({}, { mimeTypes: { '.css': 'text/plain' } })
    const { evidence } = await ends(await order(plainText, 2, { ...waves, gates: looks }), 'paused')
    const odd = evidence?.gates.find(({ metric }) => metric === 'mediaTypes')?.odd
    expect(odd).toEqual([
      {
        ...{ node: expect.stringMatching(/^edge-/), url: '/site.css' },
        message: 'text/plain, and text/css; charset=utf-8 without the version',
      },
    ])
  },
  WHOLE_TEST_MS,
)

test(
  'pages that are gone below one path take the version back, however few of all requests they are',
  async () => {
    const { admin, order, plain, ends, ports, get } = await farm(2)
    const { 'docs/guide.html': _, ...rest } = files
    await push(admin, 'www', rest, 2)
    const docs: Gate = { metric: 'errors404', path: '/docs/', max: 0.1, onFail: 'revert' }
    const page: Gate = { metric: 'bytesPerPage', path: '/', max: 20, onFail: 'pause' }
    const gates = [{ ...docs, path: undefined }, docs, page]
    const id = await order(plain, 3, { ...waves, gates, minSamples: 20 })
    const visit = async (path: string) =>
      Promise.all(
        ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}${path}`)).text()),
      )
    const visits = ['/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '/docs/guide.html']
    await expect
      .poll(async () => {
        for (const path of visits) await visit(path)
        return (await get(id)).state
      }, PATIENT)
      .toMatch(/^revert/)
    const { evidence } = await ends(id, 'reverted')
    const [whole, below] = evidence?.gates ?? []
    expect(whole?.verdict).not.toBe('fail')
    expect(below).toMatchObject({ verdict: 'fail', path: '/docs/', value: 1 })
  },
  WHOLE_TEST_MS,
)

// SPDX-License-Identifier: MIT
// Single requests of a real node, from the socket to the API.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { PATIENT, realFarm } from '../rollouts/real-farm.ts'

type Sample = { path: string; status: number; startedAt: string; stageSeconds: { total: number } }

/** Takes two seconds at the rate that the second version has. */
const LARGE = 'x'.repeat(300_000)

test('a request shows up while somebody looks, and a slow one later, with its path but no query', async () => {
  const port = await freePort()
  const farm = await realFarm(1, { ports: [port] })
  const { admin } = farm
  const nodeId = farm.fleet.connectedIds()[0]
  const url = `/api/v1/nodes/${nodeId}`

  let next = 0
  const paths: string[] = []
  const look = async () => {
    const answer = (await admin.inject({ url: `${url}/samples?after=${next}` })).json()
    next = answer.next
    for (const { samples } of answer.batches) {
      for (const sample of samples as Sample[]) {
        paths.push(sample.path)
        expect(Math.abs(Date.parse(sample.startedAt) - Date.now())).toBeLessThan(60_000)
      }
    }
    return answer.state
  }
  await expect.poll(look, PATIENT).toBe('live')
  await fetch(`http://127.0.0.1:${port}/seen?secret=1`)
  await expect.poll(async () => (await look()) && paths, PATIENT).toContain('/seen')

  const versions = (await admin.inject({ url: '/api/v1/configs/default/versions' })).json()
  const payload = {
    text: JSON.stringify({
      workers: 1,
      sites: [{ hosts: ['*'], root: farm.rootWith(LARGE), connectionBytesPerSecond: 100_000 }],
      samples: { slowerThanMillis: 500, maskPaths: ['/index.*'] },
    }),
    parent: versions.items[0].number,
    message: 'slow',
  }
  const made = await admin.inject({
    method: 'POST',
    url: '/api/v1/configs/default/versions',
    payload,
  })
  expect(made.statusCode, made.body).toBe(201)
  await farm.ends((await farm.order(made.json().number)).id, 'succeeded')
  await (await fetch(`http://127.0.0.1:${port}/index.html?secret=2`)).text()
  const slow = async (): Promise<Sample[]> =>
    (await admin.inject({ url: `${url}/slow-requests` })).json().items
  await expect.poll(async () => (await slow()).length, PATIENT).toBe(1)
  expect(await slow()).toMatchObject([{ path: '/***', status: 200, reason: null }])
})

// SPDX-License-Identifier: MIT
// Real nodes take versions of a release, serve them, and go back to the one before.
import { expect, test } from 'vitest'
import { freePort } from '../../../../scripts/testing/free-port.mjs'
import { push } from '../releases/pushing.ts'
import { realFarm } from './real-farm.ts'

const WHOLE_TEST_MS = 400_000
const LARGE = 'x'.repeat(2 * 1024 * 1024)

test(
  'two nodes fetch a version, then what is new in the next one, and serve the first again',
  async () => {
    const ports = [await freePort(), await freePort()]
    const service = await realFarm(2, { ports })
    const { admin } = service
    const files = { 'index.html': 'one', 'a/large.bin': LARGE, 'a/b/c.txt': 'c' }
    await push(admin, 'www', files, null)
    await push(admin, 'www', { ...files, 'index.html': 'two', 'new.txt': 'new' }, 1)
    const text = JSON.stringify({ workers: 1, sites: [{ hosts: ['*'], release: 'www' }] })
    const url = '/api/v1/configs/default/versions'
    const payload = { text, parent: 1, message: 'Serve a release' }
    const { number: version } = (await admin.inject({ method: 'POST', url, payload })).json()
    const orderOf = async (www: number) => {
      const body = { config: 'default', version, releases: { www }, strategy: { atOnce: true } }
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
    await service.ends(await orderOf(1), 'succeeded')
    expect(await served('/')).toEqual(['one', 'one'])
    expect(await served('/a/large.bin')).toEqual([LARGE, LARGE])
    expect(await served('/new.txt')).toEqual([404, 404])
    const second = await orderOf(2)
    await service.ends(second, 'succeeded')
    expect(await served('/')).toEqual(['two', 'two'])
    expect(await served('/new.txt')).toEqual(['new', 'new'])
    expect(await served('/a/b/c.txt')).toEqual(['c', 'c'])
    await service.ends(await orderOf(1), 'succeeded')
    expect(await served('/')).toEqual(['one', 'one'])
    expect(await served('/new.txt')).toEqual([404, 404])
  },
  WHOLE_TEST_MS,
)

// SPDX-License-Identifier: MIT
// All of it, and none of it ours alone: the API, a node that serves a site, and Pebble that asks it.
import { X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { realFarm } from '../features/rollouts/real-farm.ts'
import { startPebble } from './pebble.ts'
import { config, LOOK } from './pebble-farm.ts'

test('a certificate that is asked for over the API is proven by a real node', async () => {
  const pebble = await startPebble()
  const { admin } = await realFarm(1, { config, ports: [pebble.httpPort] })
  const post = async (path: string, payload: object) => {
    const answer = await admin.inject({ method: 'POST', url: `/api/v1/${path}`, payload })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return answer.json()
  }
  const { directoryUrl, trustedRoots } = pebble
  const agreed = { termsOfServiceAgreed: true }
  await post('certificate-authorities', { name: 'pebble', directoryUrl, trustedRoots, ...agreed })
  expect(await post('certificate-authorities/pebble/actions/test', {})).toMatchObject({
    ...{ reachable: true, error: null },
  })
  await post('managed-certificates', {
    name: 'shop',
    names: ['shop.example', 'www.shop.example'],
    authorities: [{ name: 'pebble' }],
    challenge: { type: 'http-01' },
  })
  const managed = async () =>
    (await admin.inject({ url: '/api/v1/managed-certificates/shop' })).json()
  await expect.poll(async () => (await managed()).state, LOOK).toBe('issued')
  expect(await managed()).toMatchObject({
    order: null,
    next: { action: 'renew' },
    certificate: { version: 1, state: 'good' },
  })
  const { items } = (await admin.inject({ url: '/api/v1/managed-certificates/shop/orders' })).json()
  expect(items).toMatchObject([{ state: 'issued', version: 1, waitingFor: null }])
  const version = (await admin.inject({ url: '/api/v1/certificates/shop/versions/1' })).json()
  expect(version.source).toBe('acme')
  expect(new X509Certificate(version.chain).subjectAltName).toContain('DNS:www.shop.example')
}, 120_000)

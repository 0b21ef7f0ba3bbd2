// SPDX-License-Identifier: MIT
// The service is killed between the commit of an event and its delivery.
import { expect, test } from 'vitest'
import { tempDir } from '../../helper.ts'
import { startServer } from '../../processes.ts'
import { isSignedWith, ok, startReceiver } from './test-receiver.ts'

const PASSWORD = 'correct horse battery staple'

/** As a person with a browser would. */
async function setUp(url: string, token: string) {
  let cookie = ''
  const call = async (method: string, path: string, body: object) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { 'content-type': 'application/json', origin: url, cookie },
      body: JSON.stringify(body),
    })
    cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie
    expect(response.ok, `${method} ${path}`).toBe(true)
    return (await response.json()) as { id: string; secret?: string }
  }
  await call('POST', '/setup', { token, username: 'admin', password: PASSWORD })
  return call
}

test('what was committed is delivered after a kill', { timeout: 90_000 }, async () => {
  const dataDir = tempDir()
  const env = { FARMSTEAD_WEBHOOK_ALLOW: '127.0.0.1', FARMSTEAD_LOG_LEVEL: 'silent' }
  const receiver = await startReceiver()
  // It hears, and never answers: the delivery is under way when the service is killed.
  receiver.answer = () => {}
  const server = await startServer(dataDir, env)
  const token = /\/setup#(fss_\S+)/.exec(server.out.stdout)?.[1] ?? ''
  const call = await setUp(server.url, token)
  const { secret = '' } = await call('POST', '/webhooks', { url: receiver.url, events: ['node'] })
  const tokens = []
  for (const maxUses of [1, 2]) {
    tokens.push((await call('POST', '/enrolment-tokens', { maxUses })).id)
  }
  await expect.poll(receiver.objects, { timeout: 15_000 }).toEqual(tokens.slice(0, 1))
  server.child.kill('SIGKILL')
  await server.ended

  receiver.answer = ok
  await startServer(dataDir, env)
  await expect
    .poll(receiver.objects, { timeout: 15_000 })
    .toEqual([tokens[0], tokens[0], tokens[1]])
  const [first, again] = receiver.received
  expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  for (const one of receiver.received) expect(isSignedWith(secret, one)).toBe(true)
})

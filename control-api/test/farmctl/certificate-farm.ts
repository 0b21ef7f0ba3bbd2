// SPDX-License-Identifier: MIT
// farmctl beside a CA that it orders from, and a program that sets records of a zone.
import { expect } from 'vitest'
import { startStubCa } from '../acme/stub-ca.ts'
import { startReceiver } from '../features/webhooks/test-receiver.ts'
import { type Farmctl, farmctl } from './helper.ts'

/** `say` runs a command, and keeps what it printed. */
export async function withCa(options: { asProcess?: boolean } = {}) {
  const farm = await farmctl({ ...options, config: { webhookAllow: ['127.0.0.0/8'] } })
  const [ca, dns] = [await startStubCa(Date.now), await startReceiver()]
  const said: string[] = []
  const say = async (line: string, input?: string) => {
    const result = await farm.run(line.split(' '), input)
    said.push(result.stdout, result.stderr)
    return result
  }
  farm.file('roots.pem', ca.trustedRoots)
  const at = `--directory ${ca.directoryUrl} --trusted-roots roots.pem`
  return { ...farm, ca, dns, at, said, say }
}

/** With the CA and the program made known. */
export async function withOrders(options: { asProcess?: boolean } = {}) {
  const farm = await withCa(options)
  const { say, dns, at } = farm
  const made = [
    await say(`certificate-authorities create own ${at} --agree-terms`),
    await say(`dns-webhooks create dns ${dns.url}`),
  ]
  expect(made.map(({ code }) => code)).toEqual([0, 0])
  return farm
}
/** Proven by DNS: no node is needed. */
export const ORDER =
  'certificates order shop --names shop.example,*.shop.example --authority own --dns-webhook dns --no-roll-out'

export const managed = async ({ json }: Pick<Farmctl, 'json'>, name: string) =>
  await json('get', 'managed-certificates', name)

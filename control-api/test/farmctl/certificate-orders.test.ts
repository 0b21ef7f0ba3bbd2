// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { problem, startStubCa } from '../acme/stub-ca.ts'
import { startReceiver, status } from '../features/webhooks/test-receiver.ts'
import { FARMCTL_TEST_MS, type Farmctl, farmctl } from './helper.ts'

const HMAC_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'

/** With a CA and a program that sets records: `say` runs a command, and keeps what it printed. */
async function withCa() {
  const farm = await farmctl({ config: { webhookAllow: ['127.0.0.0/8'] } })
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
const codes = async (say: Awaited<ReturnType<typeof withCa>>['say'], lines: readonly string[]) => {
  const found: string[] = []
  for (const line of lines) {
    const { code, stderr } = await say(line)
    found.push(`${code} ${stderr.split('\n')[0]}`.replace(' farmctl: ', ' '))
  }
  return found
}
const managed = async ({ json }: Pick<Farmctl, 'json'>, name: string) =>
  await json('get', 'managed-certificates', name)

describe('orders', { timeout: FARMCTL_TEST_MS }, () => {
  test('are watched to their end, changed, paused and given up', async () => {
    const farm = await withCa()
    const { say, dns, ca, at } = farm
    expect((await say(`certificate-authorities create own ${at} --agree-terms`)).stdout).toMatch(
      /^own is unregistered: https:\/\/127/,
    )
    expect((await say('certificate-authorities test own')).stdout).toMatch(/^own answers/)
    expect((await say(`dns-webhooks create dns ${dns.url}`)).stdout).toMatch(/^whsec_/)
    const order = 'certificates order shop --names shop.example,*.shop.example --authority own'
    const issued = await say(`${order} --dns-webhook dns --no-roll-out --wait`)
    expect([issued.code, issued.stdout]).toEqual([
      0,
      expect.stringMatching(/^shop has version 1, until \d{4}/),
    ])
    expect(issued.stderr).toContain('shop: ')
    expect(await managed(farm, 'shop')).toMatchObject({
      ...{ state: 'issued', rollOut: false, challenge: { type: 'dns-01', webhook: 'dns' } },
    })
    const again = await say('certificates order-now shop --wait')
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('version 2')])
    const quiet = await say('certificates wait shop')
    expect([quiet.code, quiet.stdout]).toEqual([0, expect.stringContaining('nothing is ordered')])
    const more = await say('certificates order shop --names shop.example,a.b.example --wait')
    expect([more.code, more.stdout]).toEqual([0, expect.stringContaining('version 3')])
    expect((await say('certificates orders shop')).stdout).toMatch(/issued +own +test-admin +1 /)
    expect((await say('certificates pause shop')).stdout).toContain('shop is paused')
    const paused = await say('certificates order-now shop')
    expect([paused.code, paused.stderr]).toEqual([6, expect.stringContaining('while it is paused')])
    expect((await say('certificates resume shop')).code).toBe(0)

    ca.instead.set('newOrder', problem('rejectedIdentifier', 403))
    const refused = await say('certificates order-now shop --wait')
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(/it is rejectedIdentifier.* It is tried again at 20/),
    ])
    ca.instead.clear()
    dns.answer = status(202)
    const late = await say('certificates order-now shop --wait --timeout 0.05')
    expect([late.code, late.stderr]).toEqual([
      4,
      expect.stringMatching(
        /publishing at own: .* not everywhere yet[\s\S]*certificates wait shop/,
      ),
    ])
    expect((await say('certificates cancel shop')).stdout).toContain('shop is')
    expect((await say('certificates cancel shop')).code).toBe(6)
    expect((await say('certificates unmanage shop --yes')).stdout).toMatch(/not renewed any more/)
    expect((await say('get certificate shop')).code).toBe(0)
  })

  test('that cannot be made say what to do; secrets come from files, and are printed nowhere', async () => {
    const farm = await withCa()
    const { say, said, at, file, ca } = farm
    file('hmac.txt', `${HMAC_KEY}\n`)
    expect(
      await codes(say, [
        'certificate-authorities create letsencrypt',
        'certificate-authorities create own --agree-terms',
        `certificate-authorities create own ${at} --agree-terms --eab-key-id kid-1`,
        `certificate-authorities create own ${at} --agree-terms --eab-key-id kid-1 --eab-hmac-key-file hmac.txt`,
        'certificates order shop --authority own',
        'certificates order shop --names Shop.example,192.0.2.1 --authority none',
        'certificates order shop --names *.shop.example --authority own',
        'certificates order shop --names shop.example --authority own --timeout x',
        'certificates orders shop',
        'certificate-authorities remove none --yes',
      ]),
    ).toEqual([
      expect.stringMatching(/^1 .*add --agree-terms.*acme-v02\.api\.letsencrypt\.org/),
      expect.stringMatching(/^1 Where is "own"\? Say --directory URL.*letsencrypt/),
      expect.stringMatching(/^1 --eab-key-id and --eab-hmac-key-file belong together/),
      '0 ',
      expect.stringMatching(/^1 "shop" is not ordered yet: say --names and --authority/),
      expect.stringMatching(
        /^2 \/names\/0: .*write it "shop.example".*\/names\/1: .*\/authorities\/0/,
      ),
      expect.stringMatching(/^2 \/names\/0: .*dns-01/),
      expect.stringMatching(/^1 --timeout x: a number of minutes/),
      expect.stringMatching(/^1 No orders are made for.*farmctl get managed-certificates/),
      expect.stringMatching(/^1 There is no certificate authority.*farmctl get certificate-auth/),
    ])
    const piped = 'certificate-authorities change own --eab-key-id kid-2 --eab-hmac-key-file -'
    expect((await say(piped, `${HMAC_KEY}\n`)).code).toBe(0)
    ca.isAway = true
    expect((await say('certificate-authorities test own')).code).toBe(1)
    const shown = await farm.json('get', 'certificate-authorities')
    expect(shown).toMatchObject({ items: [{ name: 'own', externalAccountKeyId: 'kid-2' }] })
    expect(said.join('') + JSON.stringify(shown)).not.toContain(HMAC_KEY.slice(0, 20))
    await say('certificates order shop --names shop.example --authority own')
    const inUse = await say('certificate-authorities remove own --yes')
    expect([inUse.code, inUse.stderr]).toEqual([6, expect.stringContaining('shop')])
  })
})

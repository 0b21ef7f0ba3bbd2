// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { withCa } from './certificate-farm.ts'
import { FARMCTL_TEST_MS } from './helper.ts'

const HMAC_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'

const codes = async (say: Awaited<ReturnType<typeof withCa>>['say'], lines: readonly string[]) => {
  const found: string[] = []
  for (const line of lines) {
    const { code, stderr } = await say(line)
    found.push(`${code} ${stderr.split('\n')[0]}`.replace(' farmctl: ', ' '))
  }
  return found
}
describe('orders', { timeout: FARMCTL_TEST_MS }, () => {
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

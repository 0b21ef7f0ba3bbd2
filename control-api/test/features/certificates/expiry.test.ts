// SPDX-License-Identifier: MIT
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { stateOf, toTell } from '../../../src/certificates/expiry.ts'
import { enrolNode } from '../../agents/node-client.ts'
import { DAY_MS, makeChain } from '../../certificates/make.ts'
import { type Built, build } from '../../helper.ts'

/** The wall clock of certificates; that of the service is moved. */
const BEGUN = Date.now()

async function put(service: Built, name: string, days: number, isNew = true) {
  const admin = await service.as('admin')
  const { chain, key } = await makeChain([`${name}.example`], { toMs: BEGUN + days * DAY_MS })
  const made = await admin.inject({
    method: 'POST',
    url: `/api/v1/certificates${isNew ? '' : `/${name}/versions`}`,
    headers: isNew ? {} : { 'if-match': '*' },
    payload: { ...(isNew && { name }), chain, key },
  })
  expect(made.statusCode, made.body).toBe(201)
  return made.json()
}
const told = async (service: Built) => {
  const admin = await service.as('admin')
  const { items } = (await admin.inject({ url: '/api/v1/audit?kind=certificate' })).json()
  const found: string[] = []
  for (const { id, action, object } of items.toReversed()) {
    if (!action.startsWith('expir')) continue
    const { data } = (await admin.inject({ url: `/api/v1/audit/${id}` })).json()
    found.push(`${object} ${action} ${data.days}`)
  }
  return found
}

describe('an end that comes near', () => {
  test('is told once for each number of days, and anew of a renewal', async () => {
    let now = BEGUN
    const service = await build({ now: () => now })
    await put(service, 'a', 90)
    await service.tellOfExpiry()
    expect(await told(service)).toEqual([])
    for (const days of [61, 62, 77, 84, 89, 91, 92]) {
      now = BEGUN + days * DAY_MS
      await service.tellOfExpiry()
    }
    const all = ['a expiring 30', 'a expiring 14', 'a expiring 7', 'a expiring 1', 'a expired 0']
    expect(await told(service)).toEqual(all)
    now = BEGUN + 80 * DAY_MS
    await put(service, 'a', 170, false)
    await service.tellOfExpiry()
    expect(await told(service)).toEqual(all)
    now = BEGUN + 145 * DAY_MS
    await service.tellOfExpiry()
    expect(await told(service)).toEqual([...all, 'a expiring 30'])
  })

  test('is that of what nodes serve, when nobody rolled the renewal out', async () => {
    let now = BEGUN
    const service = await build({ now: () => now })
    const node = await enrolNode(service)
    await node.hello()
    const { latestVersion: first } = await put(service, 'a', 90)
    const serve = (of: typeof first) =>
      node.report({
        certificates: [
          {
            host: 'a.example',
            fingerprintSha256: of.fingerprint,
            notAfterUnixMs: Date.parse(of.notAfter),
          },
        ],
      })
    await serve(first)
    now = BEGUN + 70 * DAY_MS
    const { latestVersion: second } = await put(service, 'a', 160, false)
    await service.tellOfExpiry()
    expect(await told(service)).toEqual(['a expiring 30'])
    const health = async () =>
      (await (await service.as('admin')).inject({ url: '/api/v1/health' }))
        .json()
        .checks.find(({ name }: { name: string }) => name === 'certificates')
    expect(await health()).toMatchObject({ ok: true, attention: true })
    const metrics = async () =>
      (await (await service.as('admin')).inject({ url: '/api/metrics' })).body
    const served =
      /farmstead_certificate_served_not_after_timestamp_seconds\{certificate="a"\} (\d+)/
    expect(Number(served.exec(await metrics())?.[1]) * 1000).toBe(Date.parse(first.notAfter))
    expect(await metrics()).toContain('farmstead_certificates{state="expiring"} 1')
    now = BEGUN + 91 * DAY_MS
    expect(await health()).toMatchObject({ ok: false })
    await serve(second)
    // Looked at again at most every ten seconds.
    now += 11_000
    await service.tellOfExpiry()
    expect(await told(service)).toEqual(['a expiring 30'])
    expect(await health()).toMatchObject({ ok: true })
    expect(await metrics()).toContain('farmstead_certificates{state="good"} 1')
  })

  test('is measured no longer of what was deleted, and once of what was renewed', async () => {
    let now = BEGUN
    const service = await build({ now: () => now })
    await put(service, 'a', 90)
    await put(service, 'a', 95, false)
    await put(service, 'b', 90)
    const measured = async () => {
      // Gathered at most every ten seconds.
      now += 11_000
      const { body } = await service.admin.inject({ url: '/api/metrics' })
      return body.match(/certificate_not_after_timestamp_seconds\{certificate="\w"/g)
    }
    expect(await measured()).toHaveLength(2)
    const headers = { 'if-match': '*' }
    await service.admin.inject({ method: 'DELETE', url: '/api/v1/certificates/a', headers })
    expect(await measured()).toEqual(['certificate_not_after_timestamp_seconds{certificate="b"'])
  })

  test('is told to webhooks that listen for it', async () => {
    const { admin } = await build()
    const made = await admin.inject({
      method: 'POST',
      url: '/api/v1/webhooks',
      payload: { url: 'https://hooks.example/x', events: ['certificate.expiring', 'certificate'] },
    })
    expect(made.statusCode, made.body).toBe(201)
  })

  test('of thousands has a number of its own for the first two hundred only', async () => {
    const service = await build()
    await sql`insert into certificates (name, revision, latest, not_after_ms, created_at_ms, created_by)
      with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
      select 'c' || i, 1, 1, cast(${Date.now() + 90 * DAY_MS} as bigint) + i, 1, 'ana' from n`.execute(
      service.services.db,
    )
    await sql`insert into certificate_versions
      select name, 1, name, '', '', '[]', '', '', '', '', 1, '[]', cast(${Date.now() - DAY_MS} as bigint), not_after_ms, 'upload', null, 1, 'ana'
      from certificates`.execute(service.services.db)
    const { body } = await service.admin.inject({ url: '/api/metrics' })
    expect(body.match(/^farmstead_certificate_not_after_timestamp_seconds\{/gm)).toHaveLength(200)
    expect(body).toContain('farmstead_certificates{state="good"} 3000')
  })
})

const life = (days: number) => ({ fromMs: 0, toMs: days * DAY_MS })
test.each([
  [90, 61, 30, 'expiring'],
  [90, 59, null, 'good'],
  [90, 77, 14, 'expiring'],
  [90, 89.5, 1, 'expiring'],
  [90, 90, 0, 'expired'],
  // Those of days are not told of all their life.
  [45, 20, null, 'good'],
  [45, 32, 14, 'expiring'],
  [6, 3, null, 'good'],
  [6, 5.5, 1, 'expiring'],
])('of %d days, on day %d: %s, %s', (days, day, expected, state) => {
  expect(toTell(life(days), day * DAY_MS)).toBe(expected)
  expect(stateOf(life(days), day * DAY_MS)).toBe(state)
})

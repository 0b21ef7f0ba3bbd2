// SPDX-License-Identifier: MIT
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} here is the variables' own notation
// A config that names certificates: whether they are there, and good for its hosts, whoever puts them in.
import { describe, expect, test } from 'vitest'
import { certificatesIn, namesInValue } from '../../../../src/features/configs/text/certificates.ts'
import { parseConfigText } from '../../../../src/features/configs/text/text.ts'
import { enrolNode } from '../../../agents/node-client.ts'
import { makeChain } from '../../../certificates/make.ts'
import { type Built, build } from '../../../helper.ts'

const configOf = (certificates: unknown, hosts = ['shop.example', 'www.shop.example']) =>
  `{
  "listen": [{ "port": 8443, "tls": true }],
  "sites": [
    { "hosts": ["*"], "root": "/srv/www" },
    { "hosts": ${JSON.stringify(hosts)},
      // renewed by the control plane
      "certificates": ${JSON.stringify(certificates)}, "root": "/srv/www" }
  ]
}
`

async function upload({ admin }: Built, name: string, hosts: readonly string[]) {
  const { chain, key } = await makeChain(hosts)
  const payload = { name, chain, key }
  const made = await admin.inject({ method: 'POST', url: '/api/v1/certificates', payload })
  expect(made.statusCode, made.body).toBe(201)
}
const save = ({ admin }: Built, text: string, config = 'main', parent: number | null = null) =>
  admin.inject({
    method: 'POST',
    url: `/api/v1/configs/${config}/versions`,
    payload: { text, message: 'TLS', parent },
  })
const placesOf = (response: {
  json(): { errors?: { pointer: string; line: number; column: number; code: string }[] }
}) =>
  (response.json().errors ?? []).map(({ pointer, line, column, code }) => [
    pointer,
    line,
    column,
    code,
  ])
const plan = async ({ admin }: Built, changes = {}) =>
  (
    await admin.inject({
      method: 'POST',
      url: '/api/v1/rollouts?dryRun=1',
      payload: { config: 'main', version: 1, message: 'plan', ...changes },
    })
  ).json()

describe('a config that names a certificate', () => {
  test('that is there and good for its hosts is saved, and one that is not is refused at its place', async () => {
    const service = await build()
    const missing = await save(service, configOf([{ name: 'shop' }]))
    expect([missing.statusCode, missing.json().code]).toEqual([422, 'config_invalid'])
    expect(placesOf(missing)).toEqual([
      ['/sites/1/certificates/0/name', 7, 32, 'unknown_certificate'],
    ])
    await upload(service, 'shop', ['shop.example'])
    const uncovered = await save(service, configOf([{ name: 'shop' }]))
    expect(placesOf(uncovered)).toEqual([['/sites/1/hosts/1', 5, 32, 'host_not_covered']])
    expect(uncovered.json().errors[0].message).toContain(
      '"www.shop.example" is not among the names of "shop": shop.example',
    )
    await upload(service, 'shop-www', ['*.shop.example'])
    const both = await save(service, configOf([{ name: 'shop' }, { name: 'shop-www' }]))
    expect(both.statusCode, both.body).toBe(201)
    const validated = await service.admin.inject({
      method: 'POST',
      url: '/api/v1/configs/validate',
      payload: { text: configOf([{ name: 'shpo' }]) },
    })
    expect(validated.json()).toMatchObject({
      ok: false,
      errors: [{ code: 'unknown_certificate', hint: 'did you mean "shop"?' }],
    })
  })

  test('is not held against hosts for use within, which no authority vouches for', async () => {
    const service = await build()
    await upload(service, 'shop', ['shop.example'])
    const within = ['localhost', 'intranet', '192.0.2.7', '[2001:db8::1]']
    const saved = await save(service, configOf([{ name: 'shop' }], ['shop.example', ...within]))
    expect(saved.statusCode, saved.body).toBe(201)
  })

  test('beside files of the node is not held against the hosts, for nobody knows what those are good for', async () => {
    const service = await build()
    await upload(service, 'other', ['other.example'])
    const files = { chainFile: '/etc/ssl/a.pem', keyFile: '/etc/ssl/a.key' }
    const saved = await save(service, configOf([{ name: 'other' }, files]))
    expect(placesOf(saved).filter(([, , , code]) => code === 'host_not_covered')).toEqual([])
  })

  test('by an override of the group or of a node is refused by the plan, with who put it there', async () => {
    const service = await build()
    const node = await enrolNode(service)
    await upload(service, 'shop', ['shop.example', 'www.shop.example'])
    expect((await save(service, configOf([{ name: 'shop' }]))).statusCode).toBe(201)
    expect((await plan(service)).nodes.items).toMatchObject([{ errors: [] }])
    const shown = await service.admin.inject({ url: `/api/v1/nodes/${node.id}` })
    const site = { hosts: ['a.example'], root: '/srv/www', certificates: [{ name: 'gone' }] }
    const patched = await service.admin.inject({
      method: 'PUT',
      url: `/api/v1/nodes/${node.id}/override`,
      headers: { 'if-match': String(shown.headers.etag) },
      payload: { mergePatch: { sites: [site] } },
    })
    expect(patched.statusCode, patched.body).toBeLessThan(300)
    const planned = await plan(service)
    expect(planned.nodes.items[0].errors).toMatchObject([
      { code: 'unknown_certificate', hint: expect.stringContaining('the node’s override') },
    ])
  })

  test('by a variable is looked at for each node', async () => {
    const service = await build()
    await enrolNode(service, { labels: { zone: 'eu' } })
    const named = configOf([{ name: '${node.label.zone}-shop' }], ['shop.example'])
    const saved = await save(service, named)
    expect(saved.statusCode, saved.body).toBe(201)
    expect((await plan(service)).nodes.items[0].errors).toMatchObject([
      { code: 'unknown_certificate', pointer: '/sites/1/certificates/0/name', line: 7 },
    ])
    await upload(service, 'eu-shop', ['shop.example'])
    expect((await plan(service)).nodes.items[0].errors).toEqual([])
  })

  test('keeps it from being deleted', async () => {
    const service = await build()
    await upload(service, 'shop', ['shop.example', 'www.shop.example'])
    await save(service, configOf([{ name: 'shop' }]))
    const remove = () =>
      service.admin.inject({
        method: 'DELETE',
        url: '/api/v1/certificates/shop',
        headers: { 'if-match': '*' },
      })
    const refused = await remove()
    expect(refused.json()).toMatchObject({ status: 409, code: 'certificate_in_use' })
    expect(refused.json().detail).toContain('version 1 of the config "main" names it')
    await save(service, configOf([]).replace(', "tls": true', ''), 'main', 1)
    expect((await remove()).statusCode).toBe(204)
  })
})

test('what does not fit the schema is left to the schema', () => {
  for (const text of [
    '[]',
    '{"sites":1}',
    '{"sites":[1,{"certificates":1},{"certificates":[1,{"name":2}]},{"certificates":[{"name":""}]}]}',
  ]) {
    const parsed = parseConfigText(text)
    if (!parsed.ok) throw new Error(text)
    expect(namesInValue(parsed.value)).toEqual([])
    expect(certificatesIn(text, parsed.root, parsed.value)).toEqual([])
  }
})

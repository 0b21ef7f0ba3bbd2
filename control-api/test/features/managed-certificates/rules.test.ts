// SPDX-License-Identifier: MIT
import { expect, test } from 'vitest'
import { faultsOf } from '../../../src/features/managed-certificates/rules.ts'
import type { Wishes } from '../../../src/features/managed-certificates/schema.ts'

const known = { authorities: new Set(['ca', 'other']), webhooks: new Set(['dns']) }
const HTTP = { type: 'http-01' as const }
const DNS = { type: 'dns-01' as const, webhook: 'dns' }
const faults = (wishes: Partial<Wishes>) =>
  faultsOf(
    { names: ['a.example'], authorities: [{ name: 'ca' }], challenge: HTTP, ...wishes },
    known,
  )
const short = (wishes: Partial<Wishes>) =>
  faults(wishes).map(({ pointer, code }) => `${pointer} ${code}`)

const LONG = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example`

test.each([
  ['shop.example'],
  ['a-b.shop.example'],
  ['xn--bcher-kva.example'],
  ['localhost'],
  ['3.shop.example'],
])('%s is a host', (name) => {
  expect(short({ names: [name] })).toEqual([])
})

test.each([
  ['Shop.example', 'host', 'write it "shop.example"'],
  ['bücher.example', 'host', 'write it "xn--bcher-kva.example"'],
  ['*.bücher.example', 'host', 'write it "*.xn--bcher-kva.example"'],
  ['shop.example.', 'host', 'write it "shop.example"'],
  ['https://shop.example/cart', 'host', 'write it "shop.example"'],
  ['shop.example:443', 'host', 'letters, digits'],
  ['shop_1.example', 'host', 'letters, digits'],
  ['-shop.example', 'host', 'letters, digits'],
  ['shop..example', 'host', 'letters, digits'],
  ['a.*.example', 'host', 'letters, digits'],
  ['*', 'host', 'letters, digits'],
  ['shop.example\n', 'host', 'shop.example'],
  ['ana@shop.example', 'host', 'letters, digits'],
  [`${'a'.repeat(64)}.example`, 'host', 'letters, digits'],
  [`${LONG}.${LONG}`, 'too_long', 'no host'],
  ['192.0.2.1', 'address', 'hosts that lead to it'],
  ['[2001:db8::1]', 'address', 'hosts that lead to it'],
  ['2001:db8::1', 'address', 'hosts that lead to it'],
  ['*.192.0.2.1', 'address', 'hosts that lead to it'],
  ['*.shop.example', 'wildcard_needs_dns', 'dns-01'],
])('%j is not, or cannot be proven', (name, code, hint) => {
  const [fault, ...others] = faults({ names: ['a.example', name] })
  expect(fault).toMatchObject({ pointer: '/names/1', code, line: 0 })
  expect(fault?.hint).toContain(hint)
  expect(others).toEqual([])
})

test('names stand once, and not beside a wildcard that stands for them', () => {
  expect(short({ names: ['a.example', 'b.example', 'a.example'] })).toEqual(['/names/2 duplicate'])
  const names = ['*.shop.example', 'shop.example', 'www.shop.example', 'a.b.shop.example']
  expect(short({ names, challenge: DNS })).toEqual(['/names/2 covered'])
})

test('DNS has room for sixteen letters more', () => {
  expect(short({ names: [LONG] })).toEqual([])
  expect(short({ names: [LONG], challenge: DNS })).toEqual(['/names/0 too_long_for_dns'])
})

test('authorities and the webhook are there, each authority once', () => {
  const authorities = [{ name: 'ca' }, { name: 'none' }, { name: 'ca' }]
  expect(short({ authorities })).toEqual([
    '/authorities/1/name unknown_authority',
    '/authorities/2/name duplicate',
  ])
  expect(short({ challenge: { type: 'dns-01', webhook: 'none' } })).toEqual([
    '/challenge/webhook unknown_webhook',
  ])
  expect(short({ challenge: DNS, names: ['*.a.example'] })).toEqual([])
})

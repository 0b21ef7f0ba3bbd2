// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Certificate } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { authority, authorityTest, managed, page, session } from '../../test/samples.ts'
import { endsWords, troubleOf, whyIncomplete } from './rules.ts'

const permissions = ['certificates:read', 'certificates:write', 'nodes:read']
const signedIn = { 'GET /session': () => json({ ...session, permissions }) }
const at = new Date().toISOString()
const nothing = { column: 1, endLine: 1, endColumn: 1 }

function certificate(change: Partial<Certificate> = {}): Certificate {
  return {
    ...{ name: 'shop', state: 'good', daysLeft: 60, createdAt: at, createdBy: 'ana' },
    releasedVersion: 1,
    latestVersion: {
      ...{ certificate: 'shop', number: 2, fingerprint: 'ab'.repeat(32), subject: 'CN=shop' },
      ...{ names: ['shop.example', '*.shop.example', 'a.example', 'b.example'], serial: '01' },
      ...{ issuer: 'CN=An authority', keyKind: 'EC P-256', chainLength: 2, warnings: [] },
      ...{ notBefore: at, notAfter: at, source: 'upload', orderId: null },
      ...{ createdAt: at, createdBy: 'ana' },
    },
    ...change,
  }
}
const notManaged = () => problem(404, 'managed_certificate_not_found', 'It is not managed.')
const uploads = { 'GET /managed-certificates': () => json(page()) }
const one = (change: Partial<Certificate> = {}) => ({
  ...{ ...signedIn, ...uploads },
  'GET /managed-certificates/shop': notManaged,
  'GET /certificates/shop': () => json(certificate(change), { etag: '"2"' }),
  'GET /certificates/shop/versions': () => json(page(certificate(change).latestVersion)),
  'GET /certificates/shop/served': () => json(page()),
  'GET /certificates/shop/configs': () => json({ items: [] }),
})
const chain = '-----BEGIN CERTIFICATE-----'
const key = '-----BEGIN PRIVATE KEY-----'

describe('certificates', () => {
  test('are listed with state, hosts and how long they are good', async () => {
    renderApp('/certificates', {
      ...{ ...signedIn, ...uploads },
      'GET /certificates': () =>
        json(
          page(
            certificate({ state: 'expiring', daysLeft: 6 }),
            certificate({ name: 'old', state: 'expired', daysLeft: -3 }),
          ),
        ),
    })
    const table = await screen.findByRole('region', { name: 'Certificates, table' })
    const [, first, second] = within(table).getAllByRole('row')
    expect(first).toHaveTextContent(/Ends soon.*shop.*shop\.example.*and 1 more.*in 6 days/)
    expect(second).toHaveTextContent(/Expired.*old.*3 days ago/)
  })

  test('one is uploaded; what is wrong stands under the text it is wrong in', async () => {
    const error = { pointer: '/key', line: 1, code: 'key_mismatch', ...nothing }
    const api = renderApp('/certificates', {
      ...one(),
      'GET /certificates': () => json(page()),
      'POST /certificates': () =>
        json(
          {
            ...{ title: 'The certificate cannot be served', code: 'certificate_invalid' },
            detail: 'One thing is wrong with it.',
            errors: [{ ...error, message: 'this key is another’s', hint: 'give the right one' }],
          },
          {},
          422,
        ),
    })
    expect(await screen.findByText('No certificate yet')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Upload a certificate' }))
    const dialog = await screen.findByRole('dialog')
    const submit = within(dialog).getByRole('button', { name: 'Upload certificate' })
    expect(submit).toBeDisabled()
    await userEvent.type(within(dialog).getByLabelText('Name'), 'shop')
    await userEvent.click(within(dialog).getByLabelText('Certificate and chain'))
    await userEvent.paste(chain)
    await userEvent.click(within(dialog).getByLabelText('Key'))
    await userEvent.paste(key)
    await userEvent.click(submit)
    const trouble = 'Line 1: this key is another’s (give the right one).'
    expect(await within(dialog).findByText(trouble)).toBeVisible()
    expect(within(dialog).getByLabelText('Key')).toBeInvalid()
    expect(within(dialog).getByLabelText('Certificate and chain')).toBeValid()
    api.answer({ ...one(), 'POST /certificates': () => json(certificate(), {}, 201) })
    await userEvent.click(submit)
    expect(await screen.findByRole('heading', { level: 1, name: 'shop' })).toBeVisible()
    const sent = api.requests.filter(({ method }) => method === 'POST').at(-1)
    expect(sent?.body).toEqual({ name: 'shop', chain, key })
  })

  test('cannot be uploaded by who may only look', async () => {
    renderApp('/certificates', {
      'GET /session': () => json({ ...session, permissions: ['certificates:read'] }),
      'GET /certificates': () => json(page()),
      ...uploads,
    })
    expect(await screen.findByRole('button', { name: 'Upload a certificate' })).toBeDisabled()
    expect(screen.queryByRole('link', { name: 'Order a certificate' })).toBeNull()
  })
})

describe('a certificate', () => {
  test('shows what it is, what it warns of, and that nodes lag behind', async () => {
    const { latestVersion } = certificate()
    const warning = { pointer: '/chain', line: 1, code: 'missing_intermediate', ...nothing }
    const warnings = [{ ...warning, message: 'the chain ends early', hint: 'add the rest' }]
    renderApp('/certificates/shop', {
      ...one({ latestVersion: { ...latestVersion, warnings } }),
      'GET /certificates/shop/configs': () =>
        json({ items: [{ config: 'main', version: 7, nodes: 3, behind: 2 }] }),
      'GET /certificates/shop/served': () =>
        json(
          page({
            ...{ node: { id: 'node_1', name: 'edge-1' }, host: 'shop.example', version: 1 },
            ...{ fingerprint: 'cd'.repeat(32), notAfter: at, since: at },
          }),
        ),
    })
    expect(await screen.findByText('An intermediate may be missing')).toBeVisible()
    expect(screen.getByText(/The chain ends early\. Add the rest\./)).toBeVisible()
    expect(await screen.findByText('Nodes still have an older version of it')).toBeVisible()
    expect(screen.getByRole('link', { name: 'plan the rollout' })).toHaveAttribute(
      'href',
      expect.stringMatching(/rollouts\/new\?config=main&version=7/),
    )
    expect(screen.getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(screen.getByText('version 1')).toBeVisible()
  })

  test('is renewed on top of what is shown', async () => {
    const api = renderApp('/certificates/shop', {
      ...one(),
      'POST /certificates/shop/versions': () => json(certificate(), {}, 201),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Upload a new version' }))
    const dialog = await screen.findByRole('dialog')
    expect(within(dialog).queryByLabelText('Name')).toBeNull()
    const file = new File([chain], 'fullchain.pem')
    const [chooser] = dialog.ownerDocument.querySelectorAll<HTMLInputElement>('input[type=file]')
    if (!chooser) throw new Error('no place for a file')
    await userEvent.upload(chooser, file)
    expect(await within(dialog).findByDisplayValue(chain)).toBeVisible()
    await userEvent.click(within(dialog).getByLabelText('Key'))
    await userEvent.paste(key)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Upload the new version' }))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    const sent = api.requests.find(({ method }) => method === 'POST')
    expect(sent?.body).toEqual({ chain, key })
  })

  test('that was uploaded can be ordered from now on, for its own hosts', async () => {
    renderApp('/certificates/shop', {
      ...one(),
      'GET /certificate-authorities': () => json(page(authority())),
      'GET /dns-webhooks': () => json(page()),
      'POST /managed-certificates/preflight': () => json({ items: [] }),
      'POST /certificate-authorities/lets-encrypt/actions/test': () => json(authorityTest()),
    })
    await userEvent.click(await screen.findByRole('link', { name: 'Order it from now on' }))
    const hosts = await screen.findByLabelText('Hosts')
    expect(hosts).toHaveDisplayValue(/^shop\.example\n\*\.shop\.example/)
    expect(screen.getByRole('radio', { name: /DNS-01/ })).toBeChecked()
    expect(screen.getByRole('checkbox', { name: 'Order the first one now' })).not.toBeChecked()
  })

  test('that is ordered is not deleted before that is stopped', async () => {
    renderApp('/certificates/shop', {
      ...one(),
      'GET /managed-certificates/shop': () => json(managed(), { etag: '"1"' }),
      'GET /managed-certificates/shop/orders': () => json(page()),
    })
    expect(await screen.findByText('Stop ordering it first.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Delete' })).toBeDisabled()
  })

  test('that is in use says by what, and stays', async () => {
    renderApp('/certificates/shop', {
      ...one(),
      'DELETE /certificates/shop': () =>
        problem(
          409,
          'certificate_in_use',
          '"shop" stays, for version 2 of the config "main" names it.',
        ),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }))
    await userEvent.click(screen.getByRole('button', { name: 'Delete certificate' }))
    expect(await screen.findByText(/version 2 of the config "main" names it/)).toBeVisible()
  })
})

test('ends in words', () => {
  expect([-1, 0, 1, 30].map(endsWords)).toEqual([
    '1 day ago',
    'within a day',
    'in 1 day',
    'in 30 days',
  ])
})

test('what is missing is said one by one', () => {
  expect(whyIncomplete({ name: '../x', chain: '', key: '' })).toMatch(/name/)
  expect(whyIncomplete({ name: 'x', chain: ' ', key: '' })).toMatch(/certificate/)
  expect(whyIncomplete({ name: 'x', chain: 'c', key: '' })).toMatch(/key/)
  expect(whyIncomplete({ name: 'x', chain: 'c', key: 'k' })).toBeNull()
  expect(
    troubleOf(
      [{ pointer: '/key', line: 0, code: 'x', message: 'm', hint: '', ...nothing }],
      '/key',
    ),
  ).toEqual(['m.'])
})

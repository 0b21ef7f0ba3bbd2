// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../../test/render-app.tsx'
import { authority, authorityTest, page, session } from '../../../test/samples.ts'
import { authorityTroubles, draftFor, PRESETS, parseContact } from './rules.ts'

const permissions = ['certificates:read', 'certificates:write']
const signedIn = { 'GET /session': () => json({ ...session, permissions }) }
const looksOnly = {
  'GET /session': () => json({ ...session, permissions: ['certificates:read'] }),
}
const path = '/certificate-authorities/lets-encrypt'
const one = (change: Parameters<typeof authority>[0] = {}) => ({
  ...signedIn,
  'GET /certificate-authorities': () => json(page(authority(change))),
  [`GET ${path}`]: () => json(authority(change), { etag: '"2"' }),
})
const button = (name: string | RegExp) => screen.findByRole('button', { name })

describe('certificate authorities', () => {
  test('one is chosen by its name, agreed to, and added', async () => {
    const api = renderApp('/settings/certificate-authorities', {
      ...one(),
      'GET /certificate-authorities': () => json(page()),
      'POST /certificate-authorities': () => json(authority(), { etag: '"1"' }, 201),
    })
    expect(await screen.findByText('None yet')).toBeVisible()
    const directory = screen.getByLabelText('Address of its directory')
    expect(directory).toHaveValue('https://acme-v02.api.letsencrypt.org/directory')
    expect(directory).toHaveAttribute('readonly')
    expect(screen.queryByLabelText('Key id')).toBeNull()
    await userEvent.type(screen.getByLabelText(/^Contact/), 'ops@example.org, mailto:b@example.org')
    await userEvent.click(await button('Add the authority'))
    expect(screen.getByText('It takes no account without this.')).toBeVisible()
    expect(screen.getByRole('link', { name: /terms of service of Let’s Encrypt/ })).toHaveAttribute(
      'href',
      'https://letsencrypt.org/repository/',
    )
    await userEvent.click(screen.getByRole('checkbox', { name: /I agree/ }))
    await userEvent.click(await button('Add the authority'))
    expect(await screen.findByRole('heading', { level: 1, name: 'lets-encrypt' })).toBeVisible()
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'lets-encrypt',
      directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
      contact: ['ops@example.org', 'b@example.org'],
      termsOfServiceAgreed: true,
    })
  })

  test('one that wants an external account is not added without it', async () => {
    const api = renderApp('/settings/certificate-authorities', {
      ...one(),
      'POST /certificate-authorities': () => problem(409, 'exists', 'It is there already.'),
    })
    await userEvent.selectOptions(await screen.findByLabelText('Authority'), 'ZeroSSL')
    await userEvent.click(screen.getByRole('checkbox', { name: /I agree/ }))
    await userEvent.click(await button('Add the authority'))
    expect(screen.getByText('This authority wants both values.')).toBeVisible()
    await userEvent.type(screen.getByLabelText('Key id'), 'kid-1')
    await userEvent.click(await button('Add the authority'))
    expect(screen.getByText(/belong together/)).toBeVisible()
    await userEvent.type(screen.getByLabelText('HMAC key'), 'c2VjcmV0')
    await userEvent.click(await button('Add the authority'))
    expect(await screen.findByText('It is there already.')).toBeVisible()
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
      name: 'zerossl',
      externalAccount: { keyId: 'kid-1', hmacKey: 'c2VjcmV0' },
    })
  })

  test('another is named by its address; a refusal stands at its field', async () => {
    const place = { line: 0, column: 0, endLine: 0, endColumn: 0, code: 'pem' }
    const errors = [{ ...place, pointer: '/trustedRoots', message: 'no certificate', hint: '' }]
    renderApp('/settings/certificate-authorities', {
      ...one(),
      'POST /certificate-authorities': () =>
        json({ title: 'Not so', code: 'x', detail: 'd', errors }, {}, 422),
    })
    await userEvent.selectOptions(await screen.findByLabelText('Authority'), 'Another')
    await userEvent.type(screen.getByLabelText('Name'), 'own')
    await userEvent.type(
      screen.getByLabelText('Address of its directory'),
      'https://ca.example.org/dir',
    )
    await userEvent.type(screen.getByLabelText(/^Trusted roots/), 'x')
    await userEvent.click(screen.getByRole('checkbox', { name: /I agree/ }))
    await userEvent.click(await button('Add the authority'))
    expect(await screen.findByText('No certificate.')).toBeVisible()
    expect(screen.getByLabelText(/^Trusted roots/)).toBeInvalid()
  })

  test('are seen by who may only look, who is told why none can be added', async () => {
    renderApp('/settings/certificate-authorities', {
      ...one({ state: 'held', lastError: 'ca.example.org could not be asked' }),
      ...looksOnly,
    })
    expect(await screen.findByText('ca.example.org could not be asked')).toBeVisible()
    expect(screen.getByText('Waiting')).toBeVisible()
    expect(await button('Add the authority')).toHaveAccessibleDescription(/certificates:write/)
  })
})

describe('a certificate authority', () => {
  test('is tested: its terms, its profiles, and what it wants', async () => {
    renderApp(`/settings${path}`, {
      ...one(),
      [`POST ${path}/actions/test`]: () =>
        json(authorityTest({ externalAccountRequired: true, website: 'javascript:alert(1)' })),
    })
    await userEvent.click(await button('Test'))
    expect(await screen.findByRole('link', { name: /LE-SA\.pdf/ })).toBeVisible()
    expect(screen.getByText('shortlived')).toBeVisible()
    expect(screen.getByText('it wants one')).toBeVisible()
    expect(screen.queryByRole('link', { name: /javascript/ })).toBeNull()
  })

  test('that does not answer says why', async () => {
    renderApp(`/settings${path}`, {
      ...one({
        state: 'held',
        failures: 3,
        heldUntil: new Date(Date.now() + 90_000).toISOString(),
        lastError: 'It was away',
      }),
      [`POST ${path}/actions/test`]: () =>
        json(authorityTest({ reachable: false, error: 'no answer within 30 s' })),
    })
    expect(await screen.findByText(/It is asked again in 1 min/)).toBeVisible()
    await userEvent.click(await button('Test'))
    expect(await screen.findByText(/no answer within 30 s\. Check the address/)).toBeVisible()
  })

  test('gets another external account; the old key is shown nowhere', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one({ externalAccountKeyId: 'kid-1' }),
      [`PATCH ${path}`]: () => json(authority({ externalAccountKeyId: 'kid-2' })),
    })
    expect(await screen.findByText(/The one with the key id kid-1 is set/)).toBeVisible()
    expect(screen.getByLabelText('HMAC key')).toHaveValue('')
    await userEvent.type(screen.getByLabelText('Key id'), 'kid-2')
    await userEvent.type(screen.getByLabelText('HMAC key'), 'bmV3')
    api.answer({
      [`GET ${path}`]: () => json(authority({ externalAccountKeyId: 'kid-2' }), { etag: '"3"' }),
    })
    await userEvent.click(await button('Save'))
    expect(await screen.findByText(/The one with the key id kid-2 is set/)).toBeVisible()
    expect(screen.getByLabelText('HMAC key')).toHaveValue('')
    const patch = api.requests.find(({ method }) => method === 'PATCH')
    expect([patch?.body, patch?.headers.get('if-match')]).toEqual([
      { contact: ['ops@example.org'], externalAccount: { keyId: 'kid-2', hmacKey: 'bmV3' } },
      '"2"',
    ])
  })

  test('loses what was set once, when somebody says so', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one({ externalAccountKeyId: 'kid-1', trustedRoots: true }),
      [`PATCH ${path}`]: () => json(authority()),
    })
    await userEvent.click(await screen.findByRole('checkbox', { name: /created without one/ }))
    await userEvent.click(screen.getByRole('checkbox', { name: /roots of this machine/ }))
    await userEvent.click(await button('Save'))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'PATCH')?.body)
      .toEqual({ contact: ['ops@example.org'], trustedRoots: null, externalAccount: null })
  })

  test('in use stays, and who uses it is named', async () => {
    renderApp(`/settings${path}`, {
      ...one(),
      [`DELETE ${path}`]: () => problem(409, 'authority_in_use', 'It stays, for shop uses it.'),
    })
    await userEvent.click(await button('Delete'))
    const dialog = await screen.findByRole('dialog')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete authority' }))
    expect(await within(dialog).findByText(/shop uses it/)).toBeVisible()
  })

  test('that changes while its page is open is shown to', async () => {
    const api = renderApp(`/settings${path}`, one())
    expect(await screen.findByText('Ready')).toBeVisible()
    api.answer(one({ state: 'held', lastError: 'Too many orders' }))
    sayChanged('certificate-authority')
    expect(await screen.findByText(/Too many orders/)).toBeVisible()
  })
})

test('the presets are addresses that can be sent, each its own', () => {
  const urls = PRESETS.map(({ directoryUrl }) => directoryUrl).filter((url) => url !== '')
  expect(new Set(urls).size).toBe(4)
  for (const preset of PRESETS.filter(({ id }) => id !== 'another')) {
    expect(authorityTroubles({ ...draftFor(preset), agreed: true }, false)).toEqual({})
  }
})

test('addresses of contacts are read as people type them', () => {
  expect(parseContact(' a@b.example;mailto:c@d.example,\ne@f.example ')).toEqual([
    'a@b.example',
    'c@d.example',
    'e@f.example',
  ])
})

// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { json, problem } from '../../../test/fake-api.ts'
import { renderApp } from '../../../test/render-app.tsx'
import { dnsWebhook, page, session } from '../../../test/samples.ts'

const permissions = ['certificates:read', 'certificates:write']
const signedIn = { 'GET /session': () => json({ ...session, permissions }) }
const looksOnly = {
  'GET /session': () => json({ ...session, permissions: ['certificates:read'] }),
}
const path = '/dns-webhooks/zones'
const one = (change: Parameters<typeof dnsWebhook>[0] = {}) => ({
  ...signedIn,
  'GET /dns-webhooks': () => json(page(dnsWebhook(change))),
  [`GET ${path}`]: () => json(dnsWebhook(change), { etag: '"2"' }),
})
const button = (name: string | RegExp) => screen.findByRole('button', { name })

test('one is added, and its secret is shown once', async () => {
  const api = renderApp('/settings/dns-webhooks', {
    ...one(),
    'GET /dns-webhooks': () => json(page()),
    'POST /dns-webhooks': () => json({ ...dnsWebhook(), secret: 'whsec_abc' }, {}, 201),
  })
  expect(await screen.findByText('None yet')).toBeVisible()
  await userEvent.type(screen.getByLabelText('Name'), 'zones')
  await userEvent.type(screen.getByLabelText('Address of your program'), 'dns.example.org')
  await userEvent.click(await button('Add the webhook'))
  expect(screen.getByLabelText('Address of your program')).toBeInvalid()
  await userEvent.clear(screen.getByLabelText('Address of your program'))
  await userEvent.type(
    screen.getByLabelText('Address of your program'),
    'https://dns.example.org/farmstead',
  )
  await userEvent.click(await button('Add the webhook'))
  expect(await screen.findByText('whsec_abc')).toBeVisible()
  expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    name: 'zones',
    url: 'https://dns.example.org/farmstead',
  })
  await userEvent.click(await button('Add another'))
  expect(screen.queryByText('whsec_abc')).toBeNull()
  expect(screen.getByLabelText('Name')).toHaveValue('')
})

test('what its program has to do stands beside it', async () => {
  renderApp('/settings/dns-webhooks', one())
  expect(await screen.findByRole('heading', { name: 'What your program does' })).toBeVisible()
  expect(screen.getByText(/docs\/acme\.md/)).toBeVisible()
})

test('its last failure is shown, and its address changed', async () => {
  const api = renderApp(`/settings${path}`, {
    ...one({ lastError: 'Answered 500' }),
    [`PATCH ${path}`]: () => problem(422, 'address_refused', 'That is this machine.'),
  })
  expect(await screen.findByText('The last message to it failed')).toBeVisible()
  const address = screen.getByLabelText('Address of your program')
  await userEvent.type(address, '/v2')
  await userEvent.click(await button('Save'))
  expect(await screen.findByText('That is this machine.')).toBeVisible()
  expect(address).toHaveValue('https://dns.example.org/farmstead/v2')
  const patch = api.requests.find(({ method }) => method === 'PATCH')
  expect(patch?.headers.get('if-match')).toBe('"2"')
})

test('it gets a new secret, and is deleted after a question', async () => {
  renderApp(`/settings${path}`, {
    ...one(),
    [`POST ${path}/actions/rotate-secret`]: () => json({ ...dnsWebhook(), secret: 'whsec_new' }),
    [`DELETE ${path}`]: () => new Response(null, { status: 204 }),
  })
  await userEvent.click(await button('Make a new secret'))
  expect(await screen.findByText('whsec_new')).toBeVisible()
  expect(screen.getByText(/old secret is of no use any more/)).toBeVisible()
  await userEvent.click(await button('Delete'))
  const dialog = await screen.findByRole('dialog')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete 1 webhook' }))
  await expect.poll(() => window.location.pathname).toBe('/settings/dns-webhooks')
})

test('who may only look sees it, and is told why nothing can be changed', async () => {
  renderApp(`/settings${path}`, { ...one(), ...looksOnly })
  expect(await screen.findByText(/certificates:write/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Make a new secret' })).toBeNull()
})

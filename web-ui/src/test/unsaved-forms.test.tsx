// SPDX-License-Identifier: MIT
// Who leaves a form by a click beside it, or by the browser's back, is asked before what was typed is lost.
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from './fake-api.ts'
import { renderApp } from './render-app.tsx'
import { authority, authorityTest, page, plan, session } from './samples.ts'

const permissions = [
  ...session.permissions,
  ...['webhooks:read', 'webhooks:write', 'certificates:read', 'certificates:write'],
]
const all = { ...session, permissions }
const signedIn = { 'GET /session': () => json(all) }
const lists = {
  ...signedIn,
  'GET /configs': () => json(page()),
  'GET /tokens': () => json(page()),
  'GET /webhooks': () => json(page()),
  'GET /enrolment-tokens': () => json(page()),
  'POST /rollouts': () => json(plan()),
  'GET /certificate-authorities': () => json(page(authority())),
  'POST /certificate-authorities/lets-encrypt/actions/test': () => json(authorityTest()),
  'GET /dns-webhooks': () => json(page()),
  'POST /managed-certificates/preflight': () => json({ items: [] }),
}

describe.each([
  ['a token', '/settings/tokens', /^Name/, 'The token is not saved'],
  ['a webhook', '/settings/webhooks', /^Address/, 'The webhook is not saved'],
  ['an order of a certificate', '/order-certificate', /^Hosts/, 'The order is not saved'],
  [
    'a certificate authority',
    '/settings/certificate-authorities',
    /^Contact/,
    'The authority is not saved',
  ],
  ['a DNS webhook', '/settings/dns-webhooks', /^Name/, 'The DNS webhook is not saved'],
  ['a one-time token', '/enrolment', /^Labels/, 'The token is not saved'],
  ['a rollout', '/rollouts/new?config=default&version=2', /^Message/, 'The order is not saved'],
])('the form of %s', (_, address, field, title) => {
  const leave = async () => userEvent.click(screen.getByRole('link', { name: 'Configs' }))

  test('asks before what was typed is lost', async () => {
    renderApp(address, lists)
    const input = await screen.findByRole('textbox', { name: field })
    await userEvent.type(input, 'x')
    await leave()
    expect(await screen.findByRole('dialog')).toHaveAccessibleName(title)
    await userEvent.click(screen.getByRole('button', { name: 'Stay here' }))
    expect(input).toHaveValue('x')
    await leave()
    await userEvent.click(await screen.findByRole('button', { name: 'Leave and discard it' }))
    await expect.poll(() => window.location.pathname).toBe('/configs')
  })

  test('is left without a word when nothing is typed', async () => {
    renderApp(address, lists)
    const input = await screen.findByRole('textbox', { name: field })
    await userEvent.type(input, 'x')
    await userEvent.clear(input)
    await leave()
    await expect.poll(() => window.location.pathname).toBe('/configs')
  })
})

test('a plan that cannot be made costs nobody the words beside it', async () => {
  const api = renderApp('/rollouts/new?config=default&version=2', lists)
  await userEvent.type(await screen.findByRole('textbox', { name: /^Message/ }), 'Now')
  api.answer({ 'POST /rollouts': () => problem(409, 'broken', 'It broke.') })
  await userEvent.click(screen.getByRole('radio', { name: 'All at once' }))
  expect(await screen.findByText(/It broke/)).toBeVisible()
  api.answer({ 'POST /rollouts': () => json(plan()) })
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('textbox', { name: /^Message/ })).toHaveValue('Now')
})

// SPDX-License-Identifier: MIT
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'

const methods = { password: true, oidc: { label: 'Company account' } }
const known = { 'GET /session/methods': () => json(methods) }
const signedOut = {
  ...known,
  'GET /session': () => problem(401, 'not_signed_in', 'This needs a session.'),
}
const AT = '/settings/single-sign-on'
const linked = {
  issuer: 'https://id.example.org',
  subject: 'sub-ana',
  createdAt: new Date(0).toISOString(),
  lastSignInAt: null,
}

describe('the sign-in page', () => {
  test('leads to the provider, and from there to where one was', async () => {
    renderApp('/rollouts', signedOut)
    const button = await screen.findByRole('link', { name: 'Sign in with Company account' })
    const url = new URL(button.getAttribute('href') ?? '')
    expect(url.pathname).toBe('/api/v1/session/oidc')
    expect(url.searchParams.get('next')).toBe('/rollouts')
  })

  test('has no such button without a provider', async () => {
    const api = renderApp('/', {
      ...signedOut,
      'GET /session/methods': () => json({ ...methods, oidc: null }),
    })
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible()
    await expect.poll(() => api.requests.some(({ path }) => path === '/session/methods')).toBe(true)
    expect(screen.queryByRole('link', { name: /Sign in with/ })).toBeNull()
  })

  test('explains why one was not let in, and believes no other text', async () => {
    renderApp('/sign-in?problem=oidc_no_role', signedOut)
    expect(await screen.findByRole('alert')).toHaveTextContent('You have no role here')
  })

  test('leads on who is signed in, and came back to an answer that was used', async () => {
    renderApp('/sign-in?problem=oidc_flow_lost', known)
    await expect.poll(() => window.location.pathname).toBe('/')
    expect(await screen.findByRole('button', { name: /^Account of/ })).toBeVisible()
  })

  test('says that to who is signed out', async () => {
    renderApp('/sign-in?problem=oidc_flow_lost', signedOut)
    expect(await screen.findByRole('alert')).toHaveTextContent('no longer active')
  })

  test('says nothing about a problem nobody has', async () => {
    renderApp('/sign-in?problem=toString', signedOut)
    expect(await screen.findByRole('link', { name: /Sign in with/ })).toBeVisible()
    expect(screen.queryByRole('alert')).toBeNull()
  })
})

describe('the identity of one’s account', () => {
  test('is unlinked', async () => {
    const api = renderApp(AT, {
      ...known,
      'GET /session/oidc/identity': () => json({ identity: linked, canUnlink: true }),
      'DELETE /session/oidc/identity': () => new Response(null, { status: 204 }),
    })
    expect(await screen.findByText('sub-ana')).toBeVisible()
    const none = { identity: null, canUnlink: false }
    api.answer({ 'GET /session/oidc/identity': () => json(none) })
    await userEvent.click(screen.getByRole('button', { name: 'Unlink Company account' }))
    expect(await screen.findByRole('button', { name: 'Link Company account' })).toBeVisible()
  })

  test('stays when it is the only way in, and says so', async () => {
    renderApp(AT, {
      ...known,
      'GET /session/oidc/identity': () => json({ identity: linked, canUnlink: false }),
    })
    expect(await screen.findByRole('button', { name: /Unlink/ })).toBeDisabled()
    expect(screen.getByText(/your account has no password/)).toBeVisible()
  })

  test('is not linked while the provider is away', async () => {
    renderApp(`${AT}?problem=oidc_identity_taken`, {
      ...known,
      'GET /session/oidc/identity': () => json({ identity: null, canUnlink: false }),
      'POST /session/oidc/identity': () => problem(503, 'oidc_away', 'It does not answer.'),
    })
    expect(await screen.findByText(/belongs to another account here/)).toBeVisible()
    await userEvent.click(await screen.findByRole('button', { name: 'Link Company account' }))
    expect(await screen.findByText(/It does not answer/)).toBeVisible()
  })

  test('is no subject without a provider', async () => {
    renderApp(AT, { 'GET /session/methods': () => json({ ...methods, oidc: null }) })
    expect(await screen.findByText('No identity provider')).toBeVisible()
  })
})

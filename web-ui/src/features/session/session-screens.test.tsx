// SPDX-License-Identifier: MIT
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { session } from '../../test/samples.ts'

const signedOut = { 'GET /session': () => problem(401, 'not_signed_in', 'This needs a session.') }
const oneTime = { ...session, passwordChangeRequired: true }

async function signIn(username: string, password: string) {
  const user = userEvent.setup()
  await user.type(await screen.findByLabelText('User name'), username)
  await user.type(screen.getByLabelText('Password'), password)
  await user.click(screen.getByRole('button', { name: 'Sign in' }))
  return user
}

describe('sign in', () => {
  test('leads back to where one was', async () => {
    const api = renderApp('/rollouts?x=1', signedOut)
    await screen.findByText(/Sign in to go on where you were/)
    api.answer({ 'POST /session': () => json(session), 'GET /session': () => json(session) })
    await signIn('ana', 'secret')
    expect(await screen.findByRole('heading', { name: 'Rollouts', level: 1 })).toBeVisible()
    expect(document.title).toBe('Rollouts · Farmstead')
  })

  test('takes the answer that its document asked for, so that nobody is given it later', async () => {
    const api = renderApp('/sign-in', signedOut)
    await screen.findByLabelText('User name')
    expect(api.requests.filter(({ path }) => path === '/session')).toHaveLength(1)
  })

  test('says at the field that the pair is wrong', async () => {
    renderApp('/', {
      ...signedOut,
      'POST /session': () => problem(401, 'wrong_credentials', 'They do not belong together.'),
    })
    await signIn('ana', 'wrong')
    const field = await screen.findByLabelText('Password')
    expect(field).toBeInvalid()
    expect(screen.getByRole('alert')).toHaveTextContent('password is wrong')
  })

  test('asks for what is missing before it asks the server', async () => {
    const api = renderApp('/', signedOut)
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Sign in' }))
    expect(screen.getByText('Enter your user name.')).toBeVisible()
    expect(screen.getByText('Enter your password.')).toBeVisible()
    expect(api.requests.filter((request) => request.method === 'POST')).toEqual([])
  })

  test('shows why it must wait, with the request to look for', async () => {
    renderApp('/', {
      ...signedOut,
      'POST /session': () => problem(429, 'too_many_attempts', 'Wait 30 s, then try again.'),
    })
    await signIn('ana', 'again')
    expect(await screen.findByText(/Wait 30 s/)).toBeVisible()
    expect(screen.getByText('req-7')).toBeVisible()
  })
})

describe('the second factor', () => {
  test('is asked for when it is needed, and said to be wrong at its field', async () => {
    const api = renderApp('/', {
      ...signedOut,
      'POST /session': () => problem(401, 'second_factor_required', 'A code is needed.'),
    })
    const user = await signIn('ana', 'secret')
    await user.type(await screen.findByLabelText('Code'), '000000')
    api.answer({ 'POST /session': () => problem(401, 'wrong_code', 'Not the code.') })
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByText(/Wait for the next one/)).toBeVisible()
    api.answer({ 'POST /session': () => json(session), 'GET /session': () => json(session) })
    await user.click(screen.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    expect(api.requests.findLast(({ method }) => method === 'POST')?.body).toEqual({
      username: 'ana',
      password: 'secret',
      code: '000000',
    })
  })

  test('is added with a QR code, and its recovery codes are shown', async () => {
    renderApp('/settings/security', {
      'GET /session/list': () => json({ items: [] }),
      'POST /session/second-factor': () => json({ secret: 'ABCDEF', uri: 'otpauth://totp/x' }),
      'PUT /session/second-factor': () => json({ recoveryCodes: ['aaaaa-bbbbb-ccccc'] }),
    })
    const user = userEvent.setup()
    await user.type(await screen.findByLabelText('Your password'), 'secret')
    await user.click(screen.getByRole('button', { name: 'Add a second factor' }))
    expect(await screen.findByText('ABCDEF')).toBeVisible()
    expect(screen.getByTitle('QR code of the secret')).toBeInTheDocument()
    await user.type(screen.getByLabelText('Code'), '123456')
    await user.click(screen.getByRole('button', { name: 'Switch on' }))
    expect(await screen.findByText('aaaaa-bbbbb-ccccc')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Remove the second factor' })).toBeVisible()
  })
})

test('sessions elsewhere are shown, and ended', async () => {
  const one = {
    signedInAt: session.expiresAt,
    expiresAt: session.expiresAt,
    userAgent: 'Browser/1',
  }
  const items = [
    { ...one, id: 'a'.repeat(64), address: '192.0.2.1', current: true },
    { ...one, id: 'b'.repeat(64), address: '192.0.2.2', current: false },
  ]
  const api = renderApp('/settings/security', {
    'GET /session/list': () => json({ items }),
    [`DELETE /session/list/${'b'.repeat(64)}`]: () => new Response(null, { status: 204 }),
  })
  const user = userEvent.setup()
  const button = await screen.findByRole('button', { name: 'End the session from 192.0.2.2' })
  expect(screen.getByText('This session')).toBeVisible()
  api.answer({ 'GET /session/list': () => json({ items: items.slice(0, 1) }) })
  await user.click(button)
  await waitFor(() => expect(screen.queryByText('192.0.2.2')).toBeNull())
})

describe('the one-time password', () => {
  test('must be replaced before anything else is seen', async () => {
    const api = renderApp('/settings', { 'GET /session': () => json(oneTime) })
    const user = userEvent.setup()
    await user.type(await screen.findByLabelText('One-time password'), 'one-time')
    await user.type(screen.getByLabelText('New password'), 'short')
    await user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(screen.getByText('At least 12 characters; this has 5.')).toBeVisible()
    expect(screen.getByText('This differs from the new password.')).toBeVisible()

    api.answer({
      'PUT /session/password': () => json(session),
      'GET /session': () => json(session),
      'GET /system': () => problem(503, 'busy', 'Later.'),
      'GET /health': () => problem(503, 'busy', 'Later.'),
    })
    await user.type(screen.getByLabelText('New password'), ' but longer')
    await user.type(screen.getByLabelText('New password again'), 'short but longer')
    await user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    const put = api.requests.find((request) => request.method === 'PUT')
    expect(put?.body).toEqual({
      currentPassword: 'one-time',
      newPassword: 'short but longer',
      revokeTokens: false,
    })
  })
})

test('a session that ends while one is at work leads to the sign-in', async () => {
  let over = false
  // From a page that asks for no configs itself.
  renderApp('/audit', {
    'GET /session': () => (over ? problem(401, 'not_signed_in', 'No session.') : json(session)),
    'GET /configs': () => {
      over = true
      return problem(401, 'not_signed_in', 'No session.')
    },
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('link', { name: 'Configs' }))
  expect(await screen.findByText(/Your session has ended/)).toBeVisible()
  expect(window.location.search).toContain('next=%2Fconfigs')
})

test('signing out that fails says so and leaves one signed in', async () => {
  renderApp('/', { 'DELETE /session': () => problem(507, 'storage_full', 'The disk is full.') })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Account of ana' }))
  await user.click(await screen.findByRole('button', { name: 'Sign out' }))
  expect(await screen.findByText(/Not signed out/)).toHaveTextContent('The disk is full.')
  expect(screen.getByRole('button', { name: 'Account of ana' })).toBeVisible()
})

test('a console that cannot read its session says so, and starts at another try', async () => {
  const api = renderApp('/', { 'GET /session': () => problem(400, 'odd', 'It is odd.') })
  expect(await screen.findByRole('heading', { name: 'The console cannot start' })).toBeVisible()
  expect(screen.getByRole('alert')).toHaveTextContent('It is odd.')
  api.answer({ 'GET /session': () => json(session) })
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
})

describe('the set-up', () => {
  test('makes the first administrator with the token of the link, and opens the console', async () => {
    const api = renderApp('/setup#fss_printed', {
      ...signedOut,
      'GET /setup': () => json({ required: true }),
      'POST /setup': () => json(session, {}, 201),
    })
    const user = userEvent.setup()
    expect(await screen.findByLabelText('Set-up token')).toHaveValue('fss_printed')
    await user.type(screen.getByLabelText('Password'), 'short')
    await user.click(screen.getByRole('button', { name: 'Make the administrator' }))
    expect(screen.getByText('At least 12 characters; this has 5.')).toBeVisible()
    await user.type(screen.getByLabelText('Password'), ' but longer')
    await user.type(screen.getByLabelText('Password again'), 'short but longer')
    api.answer({ 'GET /session': () => json(session) })
    await user.click(screen.getByRole('button', { name: 'Make the administrator' }))
    expect(await screen.findByRole('heading', { name: 'Overview', level: 1 })).toBeVisible()
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      token: 'fss_printed',
      username: 'admin',
      password: 'short but longer',
    })
  })

  test('says that the token is an old one', async () => {
    renderApp('/setup#fss_old', {
      ...signedOut,
      'GET /setup': () => json({ required: true }),
      'POST /setup': () => problem(401, 'wrong_setup_token', 'Use the newest link.'),
    })
    const user = userEvent.setup()
    await user.type(await screen.findByLabelText('Password'), 'long enough for it')
    await user.type(screen.getByLabelText('Password again'), 'long enough for it')
    await user.click(screen.getByRole('button', { name: 'Make the administrator' }))
    expect(
      await screen.findByText(/Each start of the control plane prints a new one/),
    ).toBeVisible()
  })

  test('is told of at the sign-in, and is over when it is done', async () => {
    renderApp('/', { ...signedOut, 'GET /setup': () => json({ required: true }) })
    expect(await screen.findByText('Nobody can sign in yet')).toBeVisible()
    cleanup()
    renderApp('/setup', signedOut)
    expect(await screen.findByRole('heading', { name: 'The set-up is done' })).toBeVisible()
  })
})

// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Token } from '../../lib/api-types.ts'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, session } from '../../test/samples.ts'

const AT = '/settings/tokens'
const permissions = ['session:own', 'tokens:own', 'nodes:read', 'metrics:read']
const me = { ...session, permissions }
const signedIn = { 'GET /session': () => json(me) }
const hour = 3600_000
const secret = `fsa_01jd4q6v2m8w3x5y7z9abcdefg_${'s'.repeat(43)}`

function token(change: Partial<Token> = {}): Token {
  return {
    id: 'token_01jd4q6v2m8w3x5y7z9abcdefg',
    name: 'nightly report',
    user: { id: me.user.id, username: me.user.username },
    permissions: ['nodes:read'],
    madeWith: null,
    createdAt: new Date(Date.now() - hour).toISOString(),
    expiresAt: new Date(Date.now() + hour).toISOString(),
    lastUsedAt: null,
    lastUsedFrom: null,
    ...change,
  }
}

describe('a new token', () => {
  test('has a name, permissions one has and an end; its secret is shown once', async () => {
    const api = renderApp(AT, {
      ...signedIn,
      'GET /tokens': () => json(page()),
      'POST /tokens': () => json({ ...token(), secret }, {}, 201),
    })
    const user = userEvent.setup()
    const make = await screen.findByRole('button', { name: 'Make a token' })
    await user.click(make)
    expect(screen.getByText('Enter a name.')).toBeVisible()
    expect(screen.getByText('Choose at least one.')).toBeVisible()
    expect(screen.queryByRole('checkbox', { name: 'users:write' })).toBeNull()
    expect(screen.queryByRole('checkbox', { name: 'session:own' })).toBeNull()
    await user.type(screen.getByRole('textbox', { name: /Name/ }), ' nightly report ')
    await user.selectOptions(screen.getByLabelText('Good for'), '7 days')
    await user.click(screen.getByRole('checkbox', { name: 'metrics:read' }))
    await user.click(screen.getByRole('checkbox', { name: 'nodes:read' }))
    await user.click(screen.getByRole('checkbox', { name: 'metrics:read' }))
    await user.type(screen.getByLabelText('Your password'), 'my own password')
    await user.click(make)
    expect(await screen.findByText(secret)).toBeVisible()
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'nightly report',
      permissions: ['nodes:read'],
      expiresInDays: 7,
      password: 'my own password',
    })
    await user.click(screen.getByRole('button', { name: 'I have copied it' }))
    expect(screen.queryByText(secret)).toBeNull()
  })

  test('is not made with a wrong password; what was typed stays, and so does the session', async () => {
    const api = renderApp(AT, {
      ...signedIn,
      'GET /tokens': () => json(page()),
      'POST /tokens': () => problem(401, 'wrong_credentials', 'They do not belong together.'),
    })
    const user = userEvent.setup()
    await user.type(await screen.findByRole('textbox', { name: /Name/ }), 'cli')
    await user.selectOptions(screen.getByLabelText('What it may do'), 'All I may')
    await user.type(screen.getByLabelText('Your password'), 'wrong')
    await user.click(screen.getByRole('button', { name: 'Make a token' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('do not belong together')
    expect(screen.getByRole('textbox', { name: /Name/ })).toHaveValue('cli')
    const asked = api.requests.filter(({ method, path }) => method === 'GET' && path === '/session')
    expect(asked).toHaveLength(1)
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.headers.get('farmstead-user')).toBe(session.user.id)
  })

  test('may have all one may', async () => {
    const api = renderApp(AT, {
      ...signedIn,
      'GET /tokens': () => json(page()),
      'POST /tokens': () => problem(409, 'too_many_tokens', 'A user has at most 50 tokens.'),
    })
    const user = userEvent.setup()
    await user.type(await screen.findByRole('textbox', { name: /Name/ }), 'cli')
    await user.selectOptions(screen.getByLabelText('What it may do'), 'All I may')
    expect(screen.queryByRole('checkbox', { name: 'nodes:read' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Make a token' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('at most 50 tokens')
    expect(screen.getByRole('textbox', { name: /Name/ })).toHaveValue('cli')
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
      name: 'cli',
      permissions: null,
      expiresInDays: 90,
    })
  })
})

describe('the tokens there are', () => {
  test('loading', async () => {
    renderApp(AT, { ...signedIn, 'GET /tokens': never })
    expect(await screen.findByRole('status', { name: 'The tokens: loading' })).toBeVisible()
  })

  test('failing', async () => {
    renderApp(AT, { ...signedIn, 'GET /tokens': () => problem(403, 'not_allowed', 'Not you.') })
    expect(await screen.findByRole('alert')).toHaveTextContent('Not you.')
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  test('none, until another window makes one', async () => {
    const api = renderApp(AT, { ...signedIn, 'GET /tokens': () => json(page()) })
    expect(await screen.findByText('No token yet')).toBeVisible()
    api.answer({ 'GET /tokens': () => json(page(token())) })
    sayChanged('token')
    expect(await screen.findByText('nightly report')).toBeVisible()
  })

  test('each with what it may, whether it is good, and its last use', async () => {
    const used = { lastUsedAt: new Date().toISOString(), lastUsedFrom: '192.0.2.7' }
    const old = token({
      id: 'token_2',
      name: 'old',
      permissions: null,
      expiresAt: new Date(Date.now() - 1000).toISOString(),
      ...used,
    })
    renderApp(AT, { ...signedIn, 'GET /tokens': () => json(page(token(), old)) })
    const row = async (name: RegExp) => within(await screen.findByRole('row', { name }))
    const good = await row(/nightly report/)
    expect(good.getByText('Good')).toBeVisible()
    expect(good.getByText('nodes:read')).toBeVisible()
    expect(good.getByText('Never')).toBeVisible()
    const expired = await row(/^old/)
    expect(expired.getByText('Expired')).toBeVisible()
    expect(expired.getByText('All its owner may')).toBeVisible()
    expect(expired.getByText('from 192.0.2.7')).toBeVisible()
  })

  test('one is revoked after a question', async () => {
    const api = renderApp(AT, {
      ...signedIn,
      'GET /tokens': () => json(page(token())),
      [`DELETE /tokens/${token().id}`]: () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Revoke nightly report' }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('It was never used.')
    api.answer({ 'GET /tokens': () => json(page()) })
    await userEvent.click(within(dialog).getByRole('button', { name: 'Revoke 1 token' }))
    expect(await screen.findByText('No token yet')).toBeVisible()
  })

  test('everybody’s, for who may see them; what one may not revoke says why', async () => {
    const others = token({ user: { id: 'user_2', username: 'ben' } })
    renderApp(AT, {
      'GET /session': () => json({ ...me, permissions: [...permissions, 'tokens:read'] }),
      'GET /tokens': ({ query }) => json(query.get('all') === '1' ? page(others) : page()),
    })
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Show everybody’s' }))
    expect(await screen.findByText('ben')).toBeVisible()
    expect(screen.getByText(/needs the permission tokens:write/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Revoke/ })).toBeNull()
  })
})

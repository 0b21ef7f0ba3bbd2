// SPDX-License-Identifier: MIT
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { User } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { page, session } from '../../test/samples.ts'

const bo: User = {
  id: 'user_01jd4q6v2m8w3x5y7z9abcdefh',
  username: 'bo',
  roles: ['operator'],
  scope: 'zone=eu',
  disabled: false,
  passwordChangeRequired: false,
  secondFactor: true,
  createdAt: session.expiresAt,
}
const permissions = [...session.permissions, 'users:read', 'users:write']
const asAdmin = {
  'GET /session': () => json({ ...session, permissions }),
  'GET /users': () => json(page(bo)),
  [`GET /users/${bo.id}`]: () => json(bo, { etag: '"3"' }),
}

test('a user is added, and the one-time password is shown', async () => {
  const api = renderApp('/settings/users', {
    ...asAdmin,
    'POST /users': () =>
      json({ ...bo, username: 'cy', oneTimePassword: 'abcde-fghij' }, { etag: '"1"' }, 201),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Add a user' }))
  await user.type(await screen.findByLabelText('User name'), 'cy')
  await user.click(screen.getByRole('checkbox', { name: 'editor' }))
  await user.type(screen.getByLabelText('Scope'), 'zone=eu')
  await user.click(screen.getByRole('button', { name: 'Add the user' }))
  expect(await screen.findByText('abcde-fghij')).toBeVisible()
  expect(api.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    username: 'cy',
    roles: ['viewer', 'editor'],
    scope: 'zone=eu',
  })
})

test('a change goes out over what was shown, and a refusal is shown', async () => {
  const api = renderApp('/settings/users', {
    ...asAdmin,
    [`PATCH /users/${bo.id}`]: () => problem(409, 'last_admin', '"bo" is the last one.'),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Change bo' }))
  await user.click(await screen.findByRole('button', { name: 'Disable' }))
  expect(await screen.findByText(/is the last one/)).toBeVisible()
  const patch = api.requests.find(({ method }) => method === 'PATCH')
  expect(patch?.body).toEqual({ disabled: true })
  expect(patch?.headers.get('if-match')).toBe('"3"')
})

test('a scope that was narrowed while the dialog was open is not widened again', async () => {
  const api = renderApp('/settings/users', {
    ...asAdmin,
    [`GET /users/${bo.id}`]: () => json({ ...bo, scope: null }, { etag: '"3"' }),
    [`PATCH /users/${bo.id}`]: ({ headers }) =>
      headers.get('if-match') === '"4"'
        ? json({ ...bo, scope: 'zone=us' }, { etag: '"5"' })
        : problem(412, 'precondition_failed', 'It changed.'),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Change bo' }))
  expect(await screen.findByLabelText('Scope')).toHaveValue('')
  const narrowed = { ...bo, scope: 'zone=us' }
  api.answer({ [`GET /users/${bo.id}`]: () => json(narrowed, { etag: '"4"' }) })
  await user.click(screen.getByRole('checkbox', { name: 'editor' }))
  await user.click(screen.getByRole('button', { name: 'Save roles and scope' }))
  expect(await screen.findByText('Someone else has changed bo')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Reload' }))
  expect(await screen.findByDisplayValue('zone=us')).toBeVisible()
  await user.click(screen.getByRole('checkbox', { name: 'editor' }))
  await user.click(screen.getByRole('button', { name: 'Save roles and scope' }))
  const sent = api.requests.filter(({ method }) => method === 'PATCH')
  expect(sent.map(({ headers }) => headers.get('if-match'))).toEqual(['"3"', '"4"'])
  expect(sent.at(-1)?.body).toMatchObject({ scope: 'zone=us' })
})

test('who may only look is told why they cannot add', async () => {
  renderApp('/settings/users', {
    ...asAdmin,
    'GET /session': () => json({ ...session, permissions: ['users:read'] }),
  })
  expect(await screen.findByText(/It needs the permission users:write/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Change bo' })).toBeNull()
})

test('who may not see users is told so, and nothing is asked for', async () => {
  const api = renderApp('/settings/users', {
    ...asAdmin,
    'GET /session': () => json({ ...session, permissions: ['nodes:read'] }),
  })
  expect(await screen.findByText('You may not see users')).toBeVisible()
  expect(screen.getByText(/It needs the permission users:read/)).toBeVisible()
  expect(api.requests.some(({ path }) => path === '/users')).toBe(false)
})

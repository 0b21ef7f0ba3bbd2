// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { config, group, impact, page, session } from '../../test/samples.ts'

const europe = group({ name: 'europe', selector: 'zone=eu', config: 'edge', nodes: 3 })
const last = group({ name: 'default', position: 2, isDefault: true })
const two = {
  'GET /groups': () => json(page(europe, last)),
  'GET /group-order': () => json({ names: ['europe'] }, { etag: '"order-1"' }),
  'GET /configs': () => json(page(config({ name: 'edge' }))),
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })

describe('the groups', () => {
  test('stand in their order, with selector, config and nodes', async () => {
    renderApp('/groups', two)
    const table = await screen.findByRole('region', { name: 'Groups, table' })
    const rows = within(table).getAllByRole('row').slice(1)
    expect(rows[0]).toHaveTextContent(/europe.*zone=eu.*edge.*3 nodes/)
    expect(rows[1]).toHaveTextContent(/default.*all others.*none of its own/)
    expect(within(table).queryByRole('button', { name: 'Remove default' })).toBeNull()
    const nodes = within(table).getByRole('link', { name: '3 nodes' })
    expect(nodes).toHaveAttribute('href', '/nodes?group=europe')
  })

  test('of a hundred only some are drawn, and all of them are counted', async () => {
    const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(36)
    onTestFinished(() => heights.mockRestore())
    const many = Array.from({ length: 99 }, (_, i) =>
      group({ name: `rack-${i}`, selector: `rack=${i}` }),
    )
    renderApp('/groups', { ...two, 'GET /groups': () => json(page(...many, last)) })
    const table = await screen.findByRole('table')
    expect(table).toHaveAttribute('aria-rowcount', '101')
    expect(within(table).getAllByRole('row').length).toBeLessThan(60)
  })

  test('loading', async () => {
    renderApp('/groups', { ...two, 'GET /groups': never })
    expect(await screen.findByRole('status', { name: 'The groups: loading' })).toBeVisible()
  })

  test('failing', async () => {
    renderApp('/groups', { ...two, 'GET /groups': () => problem(403, 'not_allowed', 'Not you.') })
    expect(await screen.findByRole('alert')).toHaveTextContent('Not you.')
  })

  test('are changed by who may only', async () => {
    renderApp('/groups', {
      ...two,
      'GET /session': () => json({ ...session, permissions: ['groups:read'] }),
    })
    expect(await button('New group')).toBeDisabled()
    expect(screen.getAllByText(/groups:write/)[0]).toBeVisible()
  })

  test('are put into another order', async () => {
    const first = group({ name: 'first', selector: 'canary' })
    const api = renderApp('/groups', {
      ...two,
      'GET /groups': () => json(page(first, europe, last)),
      'GET /group-order': () => json({ names: ['first', 'europe'] }, { etag: '"order-2"' }),
      'PUT /group-order': () => json({ names: ['europe', 'first'] }),
    })
    const up = await button('Ask europe earlier')
    await expect.poll(() => up.hasAttribute('disabled')).toBe(false)
    await userEvent.click(up)
    const put = api.requests.find(({ method }) => method === 'PUT')
    expect(put?.body).toEqual({ names: ['europe', 'first'] })
    expect(put?.headers.get('if-match')).toBe('"order-2"')
  })
})

describe('a new group', () => {
  test('shows what it would do before it is saved', async () => {
    const api = renderApp('/groups', {
      ...two,
      'POST /groups': ({ query }) =>
        query.get('dryRun') === '1' ? json(impact()) : json(europe, {}, 201),
    })
    const user = userEvent.setup()
    await user.click(await button('New group'))
    expect(await button('Save group')).toBeDisabled()
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'europe')
    await user.type(screen.getByRole('textbox', { name: 'Selector' }), 'zone=eu')
    const told = await screen.findByText(
      'Saving: 1 node changes group, 12 nodes get another text with the next rollout',
    )
    expect(told).toBeVisible()
    expect(screen.getByText(/from default to europe/)).toBeVisible()
    expect(screen.getByText('and 11 more')).toBeVisible()
    expect(api.requests.some(({ query }) => query.get('dryRun') === '0')).toBe(false)
    await user.click(await button('Save group'))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    const saved = api.requests.find(({ query }) => query.get('dryRun') === '0')
    expect(saved?.body).toEqual({
      name: 'europe',
      description: '',
      selector: 'zone=eu',
      config: null,
      mergePatch: {},
      forgetAfterHours: null,
    })
  })

  test('may forget its nodes, and names those that would go at once', async () => {
    const gone = { nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg', nodeName: 'edge-1' }
    const items = [{ ...gone, afterHours: 6, by: 'group' as const }]
    const none = { total: 0, items: [] }
    const found = impact({ moves: none, changes: none, forgets: { total: 1, items } })
    const api = renderApp('/groups', {
      ...two,
      'POST /groups': ({ query }) =>
        query.get('dryRun') === '1' ? json(found) : json(europe, {}, 201),
    })
    const user = userEvent.setup()
    await user.click(await button('New group'))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'spot')
    const hours = screen.getByRole('textbox', { name: /Forget nodes after hours/ })
    await user.type(hours, '1.5')
    expect(screen.getByText('A whole number of hours from 1 to 8760, or nothing.')).toBeVisible()
    expect(await button('Save group')).toBeDisabled()
    await user.clear(hours)
    await user.type(hours, '6')
    expect(
      await screen.findByText('Saving: 1 node is decommissioned within a minute'),
    ).toBeVisible()
    expect(screen.getByText(/away for more than 6 hours, so its group/)).toBeVisible()
    await user.click(await button('Save group'))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    const saved = api.requests.find(({ query }) => query.get('dryRun') === '0')
    expect(saved?.body).toMatchObject({ name: 'spot', forgetAfterHours: 6 })
  })

  test('says while one types what is wrong with its selector', async () => {
    renderApp('/groups', {
      ...two,
      'POST /groups': () => problem(422, 'selector_invalid', 'Column 6: a value is expected.'),
    })
    const user = userEvent.setup()
    await user.click(await button('New group'))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'europe')
    await user.type(screen.getByRole('textbox', { name: 'Selector' }), 'zone=')
    expect((await screen.findAllByText('Column 6: a value is expected.'))[0]).toBeVisible()
    expect(await button('Save group')).toBeDisabled()
  })
})

test('a group is removed after what that does was shown', async () => {
  const api = renderApp('/groups', {
    ...two,
    'GET /groups/europe': () => json(europe, { etag: '"7"' }),
    'DELETE /groups/europe': ({ query }) =>
      query.get('dryRun') === '1' ? json(impact()) : new Response(null, { status: 204 }),
  })
  await userEvent.click(await button('Remove europe'))
  const dialog = await screen.findByRole('dialog')
  expect(await within(dialog).findByText(/1 node changes group/)).toBeVisible()
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove group' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  const sent = api.requests.filter(({ method }) => method === 'DELETE')
  expect(sent.map(({ headers }) => headers.get('if-match'))).toEqual(['"7"', '"7"'])
})

test('a group that somebody else changed meanwhile is not written over', async () => {
  renderApp('/groups', {
    ...two,
    'GET /groups/europe': () => json(europe, { etag: '"7"' }),
    'PUT /groups/europe': ({ query }) =>
      query.get('dryRun') === '1'
        ? json(impact())
        : problem(412, 'precondition_failed', 'It has changed since you read it.'),
  })
  await userEvent.click(await button('Edit europe'))
  await userEvent.type(await screen.findByRole('textbox', { name: /Description/ }), 'EU')
  await screen.findByText(/1 node changes group/)
  await userEvent.click(await button('Save group'))
  expect(await screen.findByText('It has changed since you read it.')).toBeVisible()
  expect(screen.getByRole('textbox', { name: /Description/ })).toHaveValue('EU')
})

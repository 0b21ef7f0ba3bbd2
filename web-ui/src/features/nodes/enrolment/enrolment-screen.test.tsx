// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, never, problem } from '../../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../../test/render-app.tsx'
import { createdToken, node, page, session } from '../../../test/samples.ts'

const { secret: _, token: __, command: ___, ...listed } = createdToken()
const noTokens = { 'GET /enrolment-tokens': () => json(page()) }
const nobody = { total: 0, items: [] }
const label = (name: RegExp) => screen.findByRole('textbox', { name })

describe('a token', () => {
  test('for new nodes: labels, uses and expiry; then the command, and who has come', async () => {
    const created = createdToken({ maxUses: 3, labels: { rack: 'b2' } })
    const api = renderApp('/enrolment', {
      ...noTokens,
      'POST /enrolment-tokens': () => json(created, {}, 201),
      [`GET /enrolment-tokens/${created.id}`]: () => json({ ...created, joined: nobody }),
    })
    const user = userEvent.setup()
    await user.type(await label(/Labels/), 'rack')
    const uses = await label(/Uses/)
    await user.clear(uses)
    await user.click(screen.getByRole('button', { name: /Make a token/ }))
    expect(screen.getByText('"rack" is not of the form key=value.')).toBeVisible()
    expect(screen.getByText('A whole number from 1 to 1000.')).toBeVisible()
    await user.type(await label(/Labels/), '=b2')
    await user.type(uses, '3')
    await user.selectOptions(screen.getByLabelText('Good for'), '1 day')
    await user.click(screen.getByRole('button', { name: 'Make a token for 3 nodes' }))
    expect(await screen.findByText(created.command)).toBeVisible()
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ labels: { rack: 'b2' }, maxUses: 3, expiresInSeconds: 86_400 })
    expect(screen.getByText('Waiting for the node…')).toBeVisible()
    expect(screen.queryByText(/over plain HTTP/)).toBeNull()

    const newcomer = node({ id: 'node_2', name: 'edge-2' })
    const joined = { total: 1, items: [{ nodeId: 'node_2', nodeName: 'edge-2' }] }
    api.answer({
      [`GET /enrolment-tokens/${created.id}`]: () => json({ ...created, uses: 1, joined }),
      'GET /nodes/node_2': () => json(newcomer),
    })
    sayChanged('node')
    expect(await screen.findByText('edge-2 has joined')).toBeVisible()
  })

  test('for a known node: no labels and no uses to choose', async () => {
    const { id } = node()
    const created = createdToken({ nodeId: id, nodeName: 'edge-1' })
    const api = renderApp(`/enrolment?node=${id}`, {
      ...noTokens,
      'POST /enrolment-tokens': () => json(created, {}, 201),
      [`GET /nodes/${id}`]: () => json(node()),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Make a token for edge-1' }))
    expect(await screen.findByText('Run this on edge-1’s machine')).toBeVisible()
    expect(screen.getByText(/Stop farmstead-node there first/)).toBeVisible()
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.body).toEqual({ nodeId: id, expiresInSeconds: 3600 })
  })

  test('for plain HTTP says so', async () => {
    renderApp('/enrolment', {
      ...noTokens,
      'POST /enrolment-tokens': () => json(createdToken({ token: 'fst_secret' }), {}, 201),
      [`GET /enrolment-tokens/${createdToken().id}`]: () =>
        json({ ...createdToken(), joined: nobody }),
    })
    await userEvent.click(await screen.findByRole('button', { name: /Make a token/ }))
    expect(await screen.findByText('This command talks over plain HTTP')).toBeVisible()
  })

  test('that is refused: why, and nothing typed is lost', async () => {
    renderApp('/enrolment', {
      ...noTokens,
      'POST /enrolment-tokens': () => problem(503, 'busy', 'The database is busy.'),
    })
    await userEvent.type(await label(/Labels/), 'rack=b2')
    await userEvent.click(screen.getByRole('button', { name: /Make a token/ }))
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is busy.')
    expect(await label(/Labels/)).toHaveValue('rack=b2')
  })

  test('is not made by who may not', async () => {
    renderApp('/enrolment', { 'GET /session': () => json({ ...session, permissions: [] }) })
    expect(await screen.findByText('You may not add nodes')).toBeVisible()
    expect(screen.getByText(/nodes:enrol/)).toBeVisible()
  })
})

describe('the tokens there are', () => {
  test('none', async () => {
    renderApp('/enrolment', noTokens)
    expect(await screen.findByText('No token has been made yet')).toBeVisible()
  })

  test('loading', async () => {
    renderApp('/enrolment', { 'GET /enrolment-tokens': never })
    expect(await screen.findByRole('status', { name: 'The tokens: loading' })).toBeVisible()
  })

  test('failing', async () => {
    renderApp('/enrolment', {
      'GET /enrolment-tokens': () => problem(403, 'not_allowed', 'Not you.'),
    })
    expect(await screen.findByRole('alert')).toHaveTextContent('Not you.')
  })

  test('each with its state, its node and how often it was used; a page at a time', async () => {
    const bound = { ...listed, id: 'token_2', nodeId: node().id, nodeName: 'edge-1', uses: 1 }
    renderApp('/enrolment', {
      'GET /enrolment-tokens': ({ query }) =>
        query.get('cursor') === 'next'
          ? json(page(bound))
          : json({ items: [listed], nextCursor: 'next' }),
    })
    const table = await screen.findByRole('region', { name: 'Tokens, table' })
    expect(within(table).getByText('0 of 1 use')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Show older tokens' }))
    expect(await within(table).findByText('Used up')).toBeVisible()
    expect(within(table).getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Show older tokens' })).toBeNull()
  })

  test('one is deleted after a question', async () => {
    const api = renderApp('/enrolment', {
      'GET /enrolment-tokens': () => json(page(listed)),
      [`DELETE /enrolment-tokens/${listed.id}`]: () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: /^Delete the token made/ }))
    const dialog = await screen.findByRole('dialog')
    expect(dialog).toHaveTextContent('that already joined stay')
    api.answer(noTokens)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete 1 token' }))
    expect(await screen.findByText('No token has been made yet')).toBeVisible()
  })
})

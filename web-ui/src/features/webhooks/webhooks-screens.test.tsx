// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Webhook, WebhookDelivery } from '../../lib/api-types.ts'
import { type ApiRequest, json, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, session } from '../../test/samples.ts'
import { failureWords, parseEvents, urlTrouble } from './rules.ts'

const permissions = ['webhooks:read', 'webhooks:write']
const signedIn = { 'GET /session': () => json({ ...session, permissions }) }
const id = 'webhook_01jd4q6v2m8w3x5y7z9abcdefg'
const path = `/webhooks/${id}`
const at = new Date().toISOString()

function webhook(change: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id, url: 'https://hooks.example.org/x', description: 'pager', events: ['rollout'] },
    ...{ disabledAt: null, disabledReason: null, failingSince: null, failedAttempts: 0 },
    ...{ lastError: null, oldSecretUntil: null, createdAt: at, createdBy: 'ana' },
    ...change,
  }
}
const delivery: WebhookDelivery = {
  ...{ id: 'delivery_1', eventId: 42, type: 'rollout.done', at, attempt: 1 },
  ...{ delivered: false, status: 500, durationMs: 12, error: 'Answered 500', response: 'no' },
}
const one = (change: Partial<Webhook> = {}) => ({
  ...signedIn,
  [`GET ${path}`]: () => json(webhook(change), { etag: '"1"' }),
  [`GET ${path}/deliveries`]: () => json(page(delivery)),
})

describe('webhooks', () => {
  test('one is made, its secret shown once', async () => {
    const api = renderApp('/settings/webhooks', {
      ...signedIn,
      'GET /webhooks': () => json(page()),
      'POST /webhooks': () => json({ ...webhook(), secret: 'whsec_abc' }, { etag: '"1"' }, 201),
    })
    expect(await screen.findByText('Nobody is told yet')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Make the webhook' }))
    expect(screen.getByText(/An address as in/)).toBeVisible()
    await userEvent.type(screen.getByLabelText('Address'), 'https://hooks.example.org/x')
    await userEvent.click(screen.getByRole('button', { name: 'Make the webhook' }))
    expect(await screen.findByText('whsec_abc')).toBeVisible()
    expect(api.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
      url: 'https://hooks.example.org/x',
      events: ['rollout', 'config', 'node.disconnected'],
    })
  })

  test('one that was given up is said to be', async () => {
    const given = webhook({ disabledAt: at, failingSince: at, disabledReason: 'Three days' })
    renderApp('/settings/webhooks', { ...signedIn, 'GET /webhooks': () => json(page(given)) })
    expect(await screen.findByText(/is told nothing any more/)).toBeVisible()
    const table = screen.getByRole('region', { name: 'Webhooks, table' })
    expect(within(table).getByText('Disabled')).toBeVisible()
  })
})

describe('a webhook', () => {
  test('that begins to fail while its page is open is shown to', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const api = renderApp(`/settings/webhooks/${id}`, one())
    expect(await screen.findByText('Works')).toBeVisible()
    api.answer(one({ failingSince: at, failedAttempts: 1, lastError: 'Answered 500' }))
    await vi.advanceTimersByTimeAsync(5000)
    expect(await screen.findByText('Failing')).toBeVisible()
  })

  test('is tested, and what came of it shown', async () => {
    renderApp(`/settings${path}`, {
      ...one(),
      [`POST ${path}/actions/test`]: () => json({ ...delivery, eventId: null }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Send a test' }))
    expect(await screen.findByRole('alert')).toHaveTextContent(/The test failedAnswered 500no/)
  })

  test('tells an event again', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one(),
      [`POST ${path}/actions/redeliver`]: () => json(delivery),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Send rollout.done 42 again' }))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ eventId: 42 })
  })

  test('is enabled with the ETag it was read with; a refusal is shown', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one({ disabledAt: at, disabledReason: 'Disabled by ana' }),
      [`PATCH ${path}`]: () => problem(412, 'precondition_failed', 'It changed.'),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Enable, from now on' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('It changed.')
    const patch = api.requests.find(({ method }) => method === 'PATCH')
    expect([patch?.body, patch?.headers.get('if-match')]).toEqual([{ disabled: false }, '"1"'])
  })

  test('is not changed by a form that is older than what is there', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one(),
      [`PATCH ${path}`]: ({ headers }) =>
        headers.get('if-match') === '"2"'
          ? json(webhook(), { etag: '"3"' })
          : problem(412, 'precondition_failed', 'It changed.'),
    })
    const address = await screen.findByLabelText('Address')
    const moved = { ...webhook(), url: 'https://moved.example.org/x' }
    api.answer({ [`GET ${path}`]: () => json(moved, { etag: '"2"' }) })
    api.answer({ [`POST ${path}/actions/test`]: () => json({ ...delivery, eventId: null }) })
    await userEvent.click(screen.getByRole('button', { name: 'Send a test' }))
    expect(await screen.findByText(moved.url)).toBeVisible()
    await userEvent.type(address, '/more')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/has changed this webhook/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Reload' }))
    expect(await screen.findByDisplayValue(moved.url)).toBeVisible()
    expect(screen.queryByText(/has changed this webhook/)).toBeNull()
  })

  test('is saved after it was disabled: that was nobody else’s change', async () => {
    const isNow = ({ headers }: ApiRequest, etag: string) => headers.get('if-match') === etag
    const off = { ...webhook(), disabledAt: at, disabledReason: 'Disabled by ana' }
    const changed = () => problem(412, 'precondition_failed', 'It changed.')
    const api = renderApp(`/settings${path}`, {
      ...one(),
      [`PATCH ${path}`]: (request) =>
        isNow(request, '"1"') ? json(off, { etag: '"2"' }) : changed(),
    })
    await userEvent.type(await screen.findByLabelText('Description (optional)'), ' of ana')
    api.answer({ [`GET ${path}`]: () => json(off, { etag: '"2"' }) })
    await userEvent.click(screen.getByRole('button', { name: 'Disable' }))
    expect(await screen.findByText('It is told nothing')).toBeVisible()
    api.answer({
      [`PATCH ${path}`]: (request) =>
        isNow(request, '"2"') ? json(off, { etag: '"3"' }) : changed(),
    })
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    const saved = () => api.requests.filter(({ method }) => method === 'PATCH').at(-1)
    await expect.poll(() => saved()?.body).toMatchObject({ description: 'pager of ana' })
    expect(saved()?.headers.get('if-match')).toBe('"2"')
    expect(screen.queryByText(/has changed this webhook/)).toBeNull()
  })

  test('that became another while it was asked about is not deleted', async () => {
    const api = renderApp(`/settings${path}`, {
      ...one(),
      [`DELETE ${path}`]: () => problem(412, 'precondition_failed', 'It changed.'),
    })
    await screen.findByLabelText('Address')
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
    const sure = await screen.findByRole('button', { name: 'Delete 1 webhook' })
    const moved = { ...webhook(), url: 'https://moved.example.org/x' }
    api.answer({ [`GET ${path}`]: () => json(moved, { etag: '"2"' }) })
    sayChanged('webhook')
    expect(await screen.findByText(moved.url)).toBeInTheDocument()
    await userEvent.click(sure)
    expect(await screen.findByText(/It changed\./)).toBeVisible()
    const sent = api.requests.find(({ method }) => method === 'DELETE')
    expect(sent?.headers.get('if-match')).toBe('"1"')
  })

  test('gets a new secret, and is deleted after a question', async () => {
    renderApp(`/settings${path}`, {
      ...one(),
      'GET /webhooks': () => json(page()),
      [`POST ${path}/actions/rotate-secret`]: () => json({ ...webhook(), secret: 'whsec_new' }),
      [`DELETE ${path}`]: () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Make a new secret' }))
    expect(await screen.findByText('whsec_new')).toBeVisible()
    // What is typed into the form of what goes is nothing to save.
    await userEvent.type(screen.getByLabelText('Address'), 'z')
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Delete 1 webhook' }))
    expect(await screen.findByText('Nobody is told yet')).toBeVisible()
  })
})

test('events and addresses are read as people type them', () => {
  expect(parseEvents('rollout, node.*  *')).toEqual({
    ok: true,
    events: ['rollout', 'node.*', '*'],
  })
  expect(parseEvents(' ')).toMatchObject({ ok: false })
  expect(parseEvents('Node!')).toMatchObject({ ok: false, message: expect.stringMatching(/Node!/) })
  expect([urlTrouble('https://a.example/'), urlTrouble('ftp://a')]).toEqual([
    null,
    expect.any(String),
  ])
})

test.each([
  ['getaddrinfo ENOTFOUND hooks.example.org', /^No machine has this name \(getaddrinfo/],
  ['connect ECONNREFUSED 127.0.0.1:9', /^Nothing listens there \(connect/],
  ['Answered 500', /^Answered 500$/],
])('why it failed is said in words: %s', (error, words) => {
  expect(failureWords(error)).toMatch(words)
})

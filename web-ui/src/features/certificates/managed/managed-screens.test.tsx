// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, never, noAnswer, problem } from '../../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../../test/render-app.tsx'
import {
  authority,
  authorityTest,
  certificateOrder,
  dnsWebhook,
  managed,
  page,
  session,
} from '../../../test/samples.ts'

const permissions = ['certificates:read', 'certificates:write', 'nodes:read']
const signedIn = { 'GET /session': () => json({ ...session, permissions }) }
const looksOnly = {
  'GET /session': () => json({ ...session, permissions: ['certificates:read'] }),
}
const lists = {
  ...signedIn,
  'GET /certificates': () => json(page()),
  'GET /certificate-authorities': () =>
    json(page(authority(), authority({ name: 'zerossl', usedBy: 0 }))),
  'GET /dns-webhooks': () => json(page(dnsWebhook())),
  'POST /managed-certificates/preflight': () => json({ items: [] }),
  'POST /certificate-authorities/lets-encrypt/actions/test': () => json(authorityTest()),
  'POST /certificate-authorities/zerossl/actions/test': () => json(authorityTest({ profiles: [] })),
}
const noCertificate = () => problem(404, 'certificate_not_found', 'There is none.')
const one = (change: Parameters<typeof managed>[0] = {}) => ({
  ...lists,
  'GET /certificates/shop': noCertificate,
  'GET /managed-certificates': () => json(page(managed(change))),
  'GET /managed-certificates/shop': () => json(managed(change), { etag: '"3"' }),
  'GET /managed-certificates/shop/orders': () => json(page()),
})
const button = (name: string | RegExp) => screen.findByRole('button', { name })

describe('the list', () => {
  test('says of each that is ordered here what happens next, and when', async () => {
    renderApp('/certificates', {
      ...lists,
      'GET /managed-certificates': () =>
        json(
          page(
            managed(),
            managed({
              ...{ name: 'blog', state: 'ordering', order: certificateOrder(), certificate: null },
              next: { action: 'continue', at: null, because: 'A node does not answer yet' },
            }),
          ),
        ),
    })
    // The first screen of a file is loaded with its code.
    const name = /ordered here, table/
    const table = await screen.findByRole('region', { name })
    const [, first, second] = within(table).getAllByRole('row')
    expect(first).toHaveTextContent(/Issued.*shop.*Renewed in 58 d .*three fifths/)
    expect(second).toHaveTextContent(
      /Being ordered.*blog.*The order goes on\. A node does not answer yet\..*none yet/,
    )
  })

  test('is filtered by state, which the address keeps', async () => {
    const api = renderApp('/certificates?state=paused', one())
    const state = await screen.findByRole('combobox', { name: 'State' })
    expect(state).toHaveValue('paused')
    await userEvent.selectOptions(state, 'Waiting')
    await expect.poll(() => window.location.search).toMatch(/state=waiting/)
    const asked = api.requests.filter(({ path }) => path === '/managed-certificates')
    expect(asked.map(({ query }) => query.get('state'))).toEqual(
      expect.arrayContaining(['paused', 'waiting']),
    )
  })

  test('begins with what was uploaded where nothing is ordered', async () => {
    renderApp('/certificates', { ...lists, 'GET /managed-certificates': () => json(page()) })
    expect(await screen.findByText('No certificate yet')).toBeVisible()
    await userEvent.click(screen.getByRole('radio', { name: 'Ordered here' }))
    expect(await screen.findByText('Nothing is ordered yet')).toBeVisible()
  })

  test('that cannot be read says so, and is tried again', async () => {
    const api = renderApp('/certificates?show=ordered', {
      ...lists,
      'GET /managed-certificates': () => problem(403, 'forbidden', 'You may not.'),
    })
    expect(await screen.findByText('You may not.')).toBeVisible()
    api.answer({ 'GET /managed-certificates': () => json(page(managed())) })
    sayChanged('certificate')
    expect(await screen.findByRole('link', { name: 'shop' })).toBeVisible()
  })
})

describe('the form of an order', () => {
  const fill = async () => {
    await userEvent.type(await screen.findByLabelText('Name'), 'shop')
    await userEvent.click(screen.getByLabelText('Hosts'))
    await userEvent.paste('shop.example, www.shop.example\nshop.example')
  }

  test('is filled in, and sends what was chosen', async () => {
    const api = renderApp('/order-certificate', {
      ...one({ state: 'ordering', certificate: null, order: certificateOrder() }),
      'POST /managed-certificates': () => json(managed(), {}, 201),
    })
    await fill()
    expect(screen.getByText(/2 hosts, 1 repetition left out/)).toBeVisible()
    await screen.findByRole('option', { name: 'shortlived' })
    await userEvent.selectOptions(screen.getByLabelText('Profile'), 'shortlived')
    expect(screen.getByText('Six days')).toBeVisible()
    await userEvent.click(await button('Add one for when the first fails'))
    expect(await screen.findByLabelText('Authority 2')).toHaveValue('zerossl')
    await userEvent.click(screen.getByRole('radio', { name: /DNS-01/ }))
    await userEvent.selectOptions(screen.getByLabelText('DNS webhook'), 'zones')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Roll out automatically' }))
    await userEvent.click(await button('Order the certificate'))
    expect(await screen.findByRole('heading', { level: 1, name: 'shop' })).toBeVisible()
    const sent = api.requests.find(
      ({ method, path }) => method === 'POST' && path === '/managed-certificates',
    )
    expect(sent?.body).toEqual({
      name: 'shop',
      names: ['shop.example', 'www.shop.example'],
      keyType: 'ecdsa-p256',
      authorities: [
        { name: 'lets-encrypt', profile: 'shortlived' },
        { name: 'zerossl', profile: null },
      ],
      challenge: { type: 'dns-01', webhook: 'zones' },
      preferredChain: null,
      rollOut: false,
    })
  })

  test('sends nothing while something is missing, and says what', async () => {
    const api = renderApp('/order-certificate', one())
    await userEvent.click(await button('Order the certificate'))
    expect(screen.getByLabelText('Name')).toBeInvalid()
    expect(screen.getByLabelText('Hosts')).toBeInvalid()
    await userEvent.type(screen.getByLabelText('Hosts'), '*.shop.example')
    expect(screen.getByText(/needs DNS-01/)).toBeVisible()
    const posts = api.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)
    expect(posts).not.toContain('/managed-certificates')
  })

  test('shows what the control plane refuses at the field it is about', async () => {
    const place = { line: 0, column: 0, endLine: 0, endColumn: 0, code: 'x' }
    const errors = [{ ...place, pointer: '/names/1', message: 'two orders have it', hint: '' }]
    renderApp('/order-certificate', {
      ...one(),
      'POST /managed-certificates': () =>
        json({ title: 'Not so', code: 'x', detail: 'One thing is wrong.', errors }, {}, 422),
    })
    await fill()
    await userEvent.click(await button('Order the certificate'))
    expect(await screen.findByText('www.shop.example: Two orders have it.')).toBeVisible()
    expect(screen.getByLabelText('Hosts')).toBeInvalid()
    expect(screen.getByLabelText('Name')).toBeValid()
    await userEvent.type(screen.getByLabelText('Hosts'), '{Enter}more.example')
    expect(screen.getByLabelText('Hosts')).toBeValid()
  })

  test('says which hosts no node serves yet, and what that means', async () => {
    const look = [
      { host: 'shop.example', nodes: 12, configs: ['main'] },
      { host: 'www.shop.example', nodes: 0, configs: ['draft'] },
      { host: 'new.example', nodes: 0, configs: [] },
    ]
    const api = renderApp('/order-certificate', {
      ...one(),
      'POST /managed-certificates/preflight': () => json({ items: look }),
    })
    await userEvent.click(await screen.findByLabelText('Hosts'))
    await userEvent.paste('shop.example www.shop.example new.example')
    expect(await screen.findByText('No node serves these 2 hosts yet')).toBeVisible()
    expect(screen.getByText(/Every connected node answers/)).toBeVisible()
    const items = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(items).toEqual(
      expect.arrayContaining([
        'shop.example (by 12 nodes; named by main)',
        'www.shop.example (named by draft)',
        'new.example (no config names it)',
      ]),
    )
    await userEvent.click(screen.getByRole('radio', { name: /DNS-01/ }))
    expect(screen.getByText(/once a config that names it is rolled out/)).toBeVisible()
    const asked = api.requests.filter(({ path }) => path === '/managed-certificates/preflight')
    expect(asked.map(({ body }) => body)).toEqual([{ names: look.map(({ host }) => host) }])
  })

  test('an authority that cannot be asked leaves its own choice, and says so', async () => {
    renderApp('/order-certificate', {
      ...one(),
      'POST /certificate-authorities/lets-encrypt/actions/test': () =>
        json(authorityTest({ reachable: false, profiles: [], error: 'no answer' })),
    })
    expect(await screen.findByText(/could not be asked what it offers/)).toBeVisible()
    expect(screen.getByLabelText('Profile')).toHaveValue('')
  })

  test('leads to the settings where there is no authority, or no webhook', async () => {
    const api = renderApp('/order-certificate', {
      ...one(),
      'GET /certificate-authorities': () => json(page()),
    })
    expect(await screen.findByRole('link', { name: 'Add a certificate authority' })).toBeVisible()
    api.answer({
      'GET /certificate-authorities': () => json(page(authority())),
      'GET /dns-webhooks': () => json(page()),
    })
    sayChanged('certificate-authority')
    sayChanged('dns-webhook')
    await userEvent.click(await screen.findByRole('radio', { name: /DNS-01/ }))
    expect(await screen.findByRole('link', { name: 'add one' })).toHaveAttribute(
      'href',
      '/settings/dns-webhooks',
    )
  })

  test('is not there for who may only look, and says why', async () => {
    renderApp('/order-certificate', { ...one(), ...looksOnly })
    expect(await screen.findByText('You may not order certificates')).toBeVisible()
    expect(screen.queryByLabelText('Hosts')).toBeNull()
  })

  test('waits for what it needs', async () => {
    renderApp('/order-certificate', { ...one(), 'GET /certificate-authorities': never })
    expect(await screen.findByRole('status', { name: /authorities: loading/ })).toBeVisible()
  })
})

describe('a certificate that is ordered', () => {
  test('shows its open order: the step, whom it waits for, the error, and what to do', async () => {
    renderApp(
      '/certificates/shop',
      one({
        state: 'ordering',
        certificate: null,
        order: certificateOrder({
          ...{ state: 'publishing', failures: 2 },
          waitingFor: {
            reason: '2 nodes that serve these names do not answer for the CA yet',
            nodes: [{ id: 'node_1', name: 'edge-7' }],
            more: 3,
          },
          lastError: 'urn:ietf:params:acme:error:connection: Timeout during connect',
        }),
      }),
    )
    expect(await screen.findByText('There is no certificate yet')).toBeVisible()
    const steps = await screen.findByRole('list', { name: 'Steps of the order' })
    expect(
      within(steps)
        .getByText(/Put the proof/)
        .closest('li'),
    ).toHaveAttribute('aria-current', 'step')
    expect(screen.getByRole('link', { name: 'edge-7' })).toHaveAttribute('href', '/nodes/node_1')
    expect(screen.getByText('and 3 more')).toBeVisible()
    expect(screen.getByText(/Timeout during connect/)).toBeVisible()
    expect(screen.getByText(/no firewall is in the way/)).toBeVisible()
    expect(screen.getByText('Next attempt')).toBeVisible()
    expect(await button('Order now')).toBeDisabled()
    expect(await button('Order now')).toHaveAccessibleDescription('An order is open already.')
  })

  test('is ordered now, paused, and an order is cancelled', async () => {
    const path = '/managed-certificates/shop/actions'
    const done = () => json(managed())
    const api = renderApp('/certificates/shop', {
      ...one(),
      [`POST ${path}/order-now`]: done,
      [`POST ${path}/pause`]: done,
      [`POST ${path}/cancel`]: () => problem(409, 'no_order', 'No order is open any more.'),
    })
    expect(await button('Cancel the order')).toHaveAccessibleDescription('No order is open.')
    await userEvent.click(await button('Order now'))
    await userEvent.click(await button('Pause'))
    api.answer(one({ paused: true, state: 'paused', order: certificateOrder() }))
    sayChanged('certificate')
    expect(await button('Resume')).toBeEnabled()
    await userEvent.click(await button('Cancel the order'))
    expect(await screen.findByText('No order is open any more.')).toBeVisible()
    const sent = api.requests.filter(({ method }) => method === 'POST').map(({ path }) => path)
    expect(sent).toEqual([`${path}/order-now`, `${path}/pause`, `${path}/cancel`])
  })

  test('shows the window that the authority suggests, and past orders', async () => {
    const window = {
      start: '2027-01-20T00:00:00Z',
      end: '2027-01-22T00:00:00Z',
      explanationUrl: 'https://authority.example/why',
    }
    renderApp('/certificates/shop', {
      ...one({ renewalWindow: window, lastError: { message: 'Limit', at: window.start } }),
      'GET /managed-certificates/shop/orders': () =>
        json(
          page(
            certificateOrder({ state: 'issued', endedAt: window.start, version: 2 }),
            certificateOrder({
              ...{ id: 'order_2', state: 'failed', endedAt: window.start },
              lastError: 'It said no.',
            }),
          ),
        ),
    })
    expect(await screen.findByRole('link', { name: 'its reason' })).toHaveAttribute(
      'href',
      window.explanationUrl,
    )
    expect(screen.getByText('The last attempt failed')).toBeVisible()
    const table = await screen.findByRole('region', { name: 'Past orders, table' })
    const [, first, second] = within(table).getAllByRole('row')
    expect(first).toHaveTextContent(/Issued.*Version 2.*lets-encrypt.*renewal/)
    expect(second).toHaveTextContent(/Failed.*It said no\./)
  })

  test('is no longer ordered after a question', async () => {
    const api = renderApp('/certificates/shop', {
      ...one(),
      'DELETE /managed-certificates/shop': () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await button('Stop ordering it'))
    const dialog = await screen.findByRole('dialog')
    await userEvent.click(within(dialog).getByRole('button', { name: 'Stop ordering it' }))
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    const sent = api.requests.find(({ method }) => method === 'DELETE')
    expect(sent?.headers.get('if-match')).toBe('"3"')
  })

  test('is seen by who may only look, who is told why it cannot be changed', async () => {
    renderApp('/certificates/shop', { ...one(), ...looksOnly })
    expect(await screen.findByText(/certificates:write/)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Order now' })).toBeNull()
  })

  test('is changed with the ETag it was read with; one that is old is read again', async () => {
    const api = renderApp('/certificates/shop/edit', {
      ...one(),
      'PATCH /managed-certificates/shop': ({ headers }) =>
        headers.get('if-match') === '"4"'
          ? json(managed())
          : problem(412, 'precondition_failed', 'It changed.'),
    })
    await userEvent.type(await screen.findByLabelText('Hosts'), '{Enter}api.shop.example')
    const moved = managed({ keyType: 'rsa-2048' })
    api.answer({ 'GET /managed-certificates/shop': () => json(moved, { etag: '"4"' }) })
    await userEvent.click(await button('Save'))
    expect(await screen.findByText(/has changed this certificate/)).toBeVisible()
    await userEvent.click(await button('Reload'))
    expect(await screen.findByDisplayValue('RSA 2048')).toBeVisible()
    await userEvent.type(screen.getByLabelText('Hosts'), '{Enter}api.shop.example')
    await userEvent.click(await button('Save'))
    await expect.poll(() => window.location.pathname).toBe('/certificates/shop')
    const patch = api.requests.findLast(({ method }) => method === 'PATCH')
    expect(patch?.body).toMatchObject({
      names: ['shop.example', 'www.shop.example', 'api.shop.example'],
      keyType: 'rsa-2048',
    })
  })

  test('that is not reached shows that, and not that it is uploaded', async () => {
    renderApp('/certificates/shop', {
      ...one(),
      'GET /managed-certificates/shop': () => problem(403, 'forbidden', 'Not for you.'),
      'GET /certificates/shop': noAnswer,
    })
    expect(await screen.findByText(/does not answer/)).toBeVisible()
    expect(screen.queryByText('You renew it yourself')).toBeNull()
  })
})

// SPDX-License-Identifier: MIT
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ConfigChange } from '../../lib/api-types.ts'
import { type Handlers, json, never, problem } from '../../test/fake-api.ts'
import { effect } from '../../test/open-editor.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { config, page, session, version } from '../../test/samples.ts'
import { soon } from '../../test/soon.ts'

const v1 = version({ number: 1, parent: null, nodes: 0, message: 'First', text: '{}\n' })
const v2 = version({ text: '{ "workers": 2 }\n' })
const lists = { 'GET /configs/default/versions': () => json(page(v2, v1)) }
const draft = {
  text: '{ "workers": 3 }\n',
  baseVersion: 2,
  updatedBy: null,
  updatedAt: v2.createdAt,
}

const change = (change: Partial<ConfigChange>): Partial<ConfigChange> => ({
  fromPointer: null,
  from: null,
  to: null,
  help: 'What it is for.',
  default: null,
  effect: 'live',
  ...change,
})

describe('the configs', () => {
  test('are listed with their draft’s state', async () => {
    renderApp('/configs', { 'GET /configs': () => json(page(config({ draftChanged: true }))) })
    expect(await screen.findByRole('link', { name: 'default' })).toBeVisible()
    expect(screen.getByText('Has changes not yet saved')).toBeVisible()
  })
  test('are found by name, and go on beyond a page', async () => {
    const api = renderApp('/configs', {
      'GET /configs': ({ query }) => {
        if (query.get('q') !== null) return json(page(config({ name: 'found' })))
        const more = query.get('cursor') === 'more'
        return json({
          items: [config({ name: more ? 'zz' : 'aa' })],
          nextCursor: more ? null : 'more',
        })
      },
    })
    await screen.findByRole('link', { name: 'aa' })
    await userEvent.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByRole('link', { name: 'zz' })).toBeVisible()
    await userEvent.type(screen.getByRole('textbox', { name: 'Find by name' }), 'fou')
    expect(await screen.findByRole('link', { name: 'found' })).toBeVisible()
    expect(screen.queryByRole('link', { name: 'aa' })).toBeNull()
    expect(api.requests.at(-1)?.query.get('q')).toBe('fou')
  })
  test('are none before the first is made, here or by the command that is named', async () => {
    renderApp('/configs', { 'GET /configs': () => json(page()) })
    expect(await screen.findByText('No config yet')).toBeVisible()
    expect(screen.getByText(/admin import-config --name default/)).toBeVisible()
    expect(screen.getAllByRole('button', { name: 'New config' })).toHaveLength(2)
  })
})

const nowhere = { pointer: '/sites', endLine: 2, endColumn: 4, code: 'required', hint: '' }

describe('a new config', () => {
  const open = async (answers: Handlers = {}) => {
    const api = renderApp('/configs', {
      'GET /configs': () => json(page(config())),
      'GET /configs/default/versions/2': () => json({ ...version(), text: '{ "copied": 1 }' }),
      'POST /configs/shop/versions': () => never(),
      ...answers,
    })
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'New config' }, soon))
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'shop')
    const make = () => user.click(screen.getByRole('button', { name: 'Create config' }))
    const sent = () =>
      api.requests.filter(({ method }) => method === 'POST').map(({ body }) => body)
    return { user, make, sent }
  }

  test('begins with a folder', async () => {
    const { user, make, sent } = await open()
    await user.type(screen.getByRole('textbox', { name: 'Folder' }), '/srv/shop')
    await make()
    expect(sent()).toMatchObject([{ message: 'First version', parent: null }])
    expect(JSON.parse((sent()[0] as { text: string }).text).sites[0].root).toBe('/srv/shop')
  })

  test('begins with another’s newest version', async () => {
    const { user, make, sent } = await open()
    await user.click(screen.getByRole('radio', { name: 'Copy of a config' }))
    await user.click(screen.getByRole('combobox', { name: 'Config' }))
    await user.click(await screen.findByRole('option', { name: 'default v2' }))
    await waitFor(() => expect(screen.getByRole('button', { name: 'Create config' })).toBeEnabled())
    await make()
    expect(sent()).toEqual([
      { text: '{ "copied": 1 }', message: 'A copy of default v2', parent: null },
    ])
  })

  test('that the node’s binary refuses says where, and is not lost', async () => {
    const { user, make } = await open({
      'POST /configs/shop/versions': () =>
        json(
          {
            ...{ title: 'Invalid', status: 422, code: 'config_invalid', detail: 'It has 1 error.' },
            errors: [{ ...nowhere, line: 2, column: 3, message: 'there must be a site' }],
          },
          { 'content-type': 'application/problem+json' },
          422,
        ),
    })
    await user.click(screen.getByRole('radio', { name: 'A file of yours' }))
    const file = new File(['{ "sites": [] }'], 'shop.jsonc')
    await user.upload(document.querySelector('input[type=file]') as HTMLInputElement, file)
    expect(screen.getByRole('textbox', { name: 'Text' })).toHaveValue('{ "sites": [] }')
    await make()
    expect(await screen.findByText(/there must be a site/)).toBeVisible()
    expect(screen.getByText('/sites 2:3')).toBeVisible()
    expect(screen.getByRole('textbox', { name: 'Text' })).toHaveValue('{ "sites": [] }')
  })
})

describe('the versions', () => {
  test('show who, why, when and on how many nodes', async () => {
    renderApp('/configs/default/versions', lists)
    const link = await screen.findByRole('link', { name: 'v2' }, soon)
    const row = within(link.closest('tr') as HTMLElement)
    for (const text of ['Longer caching', 'ana', '3 nodes'])
      expect(row.getByText(text)).toBeVisible()
    expect(row.getByRole('link', { name: 'with v1' })).toHaveAttribute(
      'href',
      '/configs/default/compare?from=1&to=2',
    )
  })
  test('lead to a rollout; the older ones to a way back, which says from where', async () => {
    renderApp('/configs/default/versions', {
      ...lists,
      'GET /configs/default/versions': () => json(page(version(), version({ number: 1 }))),
    })
    const hrefOf = async (name: string) =>
      (await screen.findByRole('link', { name }, soon)).getAttribute('href')
    expect(await hrefOf('New rollout of v2')).toBe('/rollouts/new?config=default&version=2')
    expect(await hrefOf('Back to v1')).toBe('/rollouts/new?config=default&version=1&backFrom=2')
  })
  test('lead nowhere who may not roll them out', async () => {
    const viewer = { ...session, permissions: ['configs:read'] }
    renderApp('/configs/default/versions', { ...lists, 'GET /session': () => json(viewer) })
    await screen.findByRole('link', { name: 'v2' }, soon)
    expect(screen.queryByRole('link', { name: /^New rollout|^Back to/ })).toBeNull()
  })
  test('are found by message, author and source, and the address says so', async () => {
    const api = renderApp('/configs/default/versions?author=ana', lists)
    const user = userEvent.setup()
    await user.type(await screen.findByRole('textbox', { name: 'Message or number' }, soon), '42')
    await user.selectOptions(screen.getByRole('combobox', { name: 'Source' }), 'cli')
    const wanted = 'limit=100&q=42&author=ana&source=cli'
    await waitFor(() => expect(api.requests.at(-1)?.query.toString()).toBe(wanted), soon)
    const address = new URLSearchParams(window.location.search)
    expect([address.get('author'), address.get('source')]).toEqual(['ana', 'cli'])
    api.answer({ 'GET /configs/default/versions': () => json(page()) })
    await user.type(screen.getByRole('textbox', { name: 'Author' }), 'x')
    await user.click(await screen.findByRole('button', { name: 'Show all versions' }, soon))
    expect(screen.getByRole('textbox', { name: 'Message or number' })).toHaveValue('')
  })
  test('of long ago come when they are asked for; of many only some are drawn', async () => {
    const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(36)
    onTestFinished(() => heights.mockRestore())
    const all = Array.from({ length: 150 }, (_, i) => version({ number: 150 - i }))
    renderApp('/configs/default/versions', {
      'GET /configs/default/versions': ({ query }) =>
        query.get('cursor') === 'more'
          ? json(page(...all.slice(100)))
          : json({ items: all.slice(0, 100), nextCursor: 'more' }),
    })
    expect(await screen.findByRole('table', {}, soon)).toHaveAttribute('aria-rowcount', '-1')
    await userEvent.click(screen.getByRole('button', { name: 'Show older versions' }))
    await waitFor(
      () => expect(screen.getByRole('table')).toHaveAttribute('aria-rowcount', '151'),
      soon,
    )
    expect(screen.queryByRole('button', { name: 'Show older versions' })).toBeNull()
    expect(screen.getAllByRole('row').length).toBeLessThan(60)
  })
  test('load', async () => {
    renderApp('/configs/default/versions', { 'GET /configs/default/versions': never })
    expect(await screen.findByRole('status', { name: 'The versions: loading' }, soon)).toBeVisible()
  })
  test('may be none', async () => {
    renderApp('/configs/default/versions', { 'GET /configs/default/versions': () => json(page()) })
    expect(await screen.findByText('No version yet', {}, soon)).toBeVisible()
  })
  test('may fail', async () => {
    renderApp('/configs/default/versions', {
      'GET /configs/default/versions': () => problem(500, 'internal', 'It failed.'),
    })
    expect(await screen.findByRole('alert', {}, soon)).toHaveTextContent('req-7')
  })
})

describe('comparing', () => {
  test('by option: what changed, from what to what, and what it does', async () => {
    renderApp('/configs/default/compare?from=1&to=2&view=options', {
      ...lists,
      'GET /configs/default/diff': () =>
        json({
          from: 1,
          to: 2,
          changes: [
            change({ pointer: '/workers', kind: 'added', from: null, to: 2, default: 'auto' }),
            change({ pointer: '/process/user', kind: 'removed', from: 'www', effect: 'restart' }),
            change({ pointer: '/sites/0', fromPointer: '/sites/2', kind: 'moved' }),
          ],
          moreChanges: 3,
        }),
    })
    const row = async (name: RegExp) => within(await screen.findByRole('row', { name }, soon))
    const added = await row(/\/workers/)
    for (const text of ['Added', 'not set: "auto" by default', '2', 'What it is for.']) {
      expect(added.getByText(text)).toBeVisible()
    }
    expect((await row(/process/)).getByText(/when the node restarts/)).toBeVisible()
    expect((await row(/sites/)).getByText('/sites/2')).toBeVisible()
    expect(screen.getByText(/3 changes more/)).toBeVisible()
    const back = screen.getByRole('link', { name: 'Back to v1' })
    expect(back).toHaveAttribute('href', '/rollouts/new?config=default&version=1&backFrom=2')
    // At the head of the page, where one looks for what may be done.
    const tabs = screen.getByRole('link', { name: 'Versions' })
    expect(back.compareDocumentPosition(tabs)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })
  test('by option with a draft that is not JSON yet says so', async () => {
    const api = renderApp('/configs/default/compare?from=2&to=draft&view=options', {
      ...lists,
      'GET /configs/default/diff': () => json({ changes: null, moreChanges: 0 }),
    })
    expect(await screen.findByText('The draft is not JSON yet', {}, soon)).toBeVisible()
    const asked = api.requests.find(({ path }) => path === '/configs/default/diff')
    expect(asked?.query.toString()).toBe('from=2&to=draft')
  })
  test('without a choice and with nothing in the draft: the latest with the one before', async () => {
    renderApp('/configs/default/compare', {
      ...lists,
      'GET /configs/default': () => json(config({ draftChanged: false })),
      'GET /configs/default/draft': () => json(draft, { etag: '"4"' }),
      'GET /configs/default/versions/1': () => json(v1),
      'GET /configs/default/versions/2': () => json(v2),
    })
    await waitFor(
      () => expect(screen.getByRole('combobox', { name: 'To' })).toHaveValue('v2'),
      soon,
    )
    expect(screen.getByRole('combobox', { name: 'From' })).toHaveValue('v1')
  })
  test('with a version of long ago, looked for by its number', async () => {
    const long = version({ number: 17, message: 'Long ago', text: '{ "workers": 17 }\n' })
    const api = renderApp('/configs/default/compare?from=1&to=2', {
      'GET /configs/default/versions': ({ query }) =>
        json(query.get('q') === '17' ? page(long) : page(v2, v1)),
      'GET /configs/default/versions/1': () => json(v1),
      'GET /configs/default/versions/2': () => json(v2),
      'GET /configs/default/versions/17': () => json(long),
    })
    const user = userEvent.setup()
    const from = await screen.findByRole('combobox', { name: 'From' }, soon)
    await user.click(from)
    await user.clear(from)
    await user.type(from, '17')
    await user.click(await screen.findByRole('option', { name: 'v17: Long ago' }, soon))
    await waitFor(() => expect(from).toHaveValue('v17'), soon)
    expect(new URLSearchParams(window.location.search).get('from')).toBe('17')
    await waitFor(() =>
      expect(api.requests.map(({ path }) => path)).toContain('/configs/default/versions/17'),
    )
  })
  test('equal texts are said to be equal', async () => {
    renderApp('/configs/default/compare?from=2&to=2', {
      ...lists,
      'GET /configs/default/versions/2': () => json(v2),
    })
    expect(await screen.findByText('No difference', {}, soon)).toBeVisible()
  })
})

test('restoring an old version warns of unsaved changes and carries the draft’s ETag', async () => {
  const api = renderApp('/configs/default/versions/1', {
    'GET /configs/default/versions/1': () => json(v1),
    'GET /configs/default': () => json(config({ draftChanged: true })),
    'GET /configs/default/draft': () => json(draft, { etag: '"4"' }),
    'PUT /configs/default/draft': () => json({ ...draft, text: '{}\n' }, { etag: '"5"' }),
    'GET /config-schema': () => json({}),
    'POST /configs/validate': () => json({ ok: true, digest: null, errors: [] }),
    'POST /configs/default/effect': () => json(effect()),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Restore' }, soon))
  const dialog = within(await screen.findByRole('dialog'))
  expect(await dialog.findByText('The draft has changes that are in no version')).toBeVisible()
  await user.click(await dialog.findByRole('button', { name: 'Replace the draft with v1' }))
  await waitFor(() => expect(window.location.pathname).toBe('/configs/default'))
  const put = api.requests.find((request) => request.method === 'PUT')
  expect(put?.body).toEqual({ text: '{}\n' })
  expect(put?.headers.get('if-match')).toBe('"4"')
})

test('an old version is restored as a new one in one step, with a reason', async () => {
  const v3 = version({ number: 3, message: 'Ports' })
  const api = renderApp('/configs/default/versions/1', {
    'GET /configs/default/versions/1': () => json(v1),
    'GET /configs/default': () => json(config({ latestVersion: 3 })),
    'GET /configs/default/draft': () => json(draft, { etag: '"4"' }),
    'POST /configs/default/versions/1/actions/restore': () =>
      json(version({ number: 4, source: 'revert' }), {}, 201),
    'GET /configs/default/versions/4': () => json(version({ ...v3, number: 4 })),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Restore' }, soon))
  const dialog = within(await screen.findByRole('dialog'))
  const message = await dialog.findByRole('textbox', { name: /Message/ })
  await user.clear(message)
  await user.click(dialog.getByRole('button', { name: 'Save it as version 4' }))
  expect(dialog.getByText('Say why.')).toBeVisible()
  await user.type(message, 'It was right')
  await user.click(dialog.getByRole('button', { name: 'Save it as version 4' }))
  await waitFor(() => expect(window.location.pathname).toBe('/configs/default/versions/4'))
  const post = api.requests.find((request) => request.method === 'POST')
  expect(post?.body).toEqual({ message: 'It was right', parent: 3 })
})

test('what others do while it is asked about a restore is not written over', async () => {
  const api = renderApp('/configs/default/versions/1', {
    'GET /configs/default/versions/1': () => json(v1),
    'GET /configs/default': () => json(config({ latestVersion: 3, draftChanged: false })),
    'GET /configs/default/draft': () => json(draft, { etag: '"4"' }),
    'PUT /configs/default/draft': () => problem(412, 'precondition_failed', 'It changed.'),
    'POST /configs/default/versions/1/actions/restore': () => problem(409, 'stale', 'It changed.'),
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Restore' }, soon))
  const dialog = within(await screen.findByRole('dialog'))
  await dialog.findByRole('button', { name: 'Save it as version 4' })
  await dialog.findByRole('button', { name: 'Replace the draft with v1' })
  api.answer({
    'GET /configs/default': () => json(config({ latestVersion: 4, draftChanged: true })),
    'GET /configs/default/draft': () => json(draft, { etag: '"5"' }),
  })
  sayChanged('config')
  // What is known by now is shown; what is ordered stays what was asked about.
  expect(await dialog.findByText('The draft has changes that are in no version')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Replace the draft with v1' }))
  await user.click(dialog.getByRole('button', { name: 'Save it as version 4' }))
  const sent = (method: string) => api.requests.find((request) => request.method === method)
  await waitFor(() => expect(sent('POST')?.body).toMatchObject({ parent: 3 }))
  expect(sent('PUT')?.headers.get('if-match')).toBe('"4"')
})

test('a version is exported by a link to its bytes', async () => {
  renderApp('/configs/default/versions/1', { 'GET /configs/default/versions/1': () => json(v1) })
  const link = await screen.findByRole('link', { name: 'Export' }, soon)
  expect(link).toHaveAttribute('download')
  expect(link.getAttribute('href')).toMatch(/\/api\/v1\/configs\/default\/versions\/1\/text$/)
})

test('a config that is not there has its own page that says so', async () => {
  const none = () => problem(404, 'config_not_found', 'There is no config "gone".')
  renderApp('/configs/gone', { 'GET /configs/gone': none, 'GET /configs/gone/draft': none })
  expect(await screen.findByRole('heading', { name: 'gone', level: 1 }, soon)).toBeVisible()
  expect(await screen.findByRole('alert')).toHaveTextContent('There is no config "gone".')
})

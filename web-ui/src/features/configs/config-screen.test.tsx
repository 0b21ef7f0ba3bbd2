// SPDX-License-Identifier: MIT

import { redo, undo, undoDepth } from '@codemirror/commands'
import { EditorView } from '@codemirror/view'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Draft } from '../../lib/api-types.ts'
import { keptTextKey } from '../../lib/kept-texts.ts'
import { type FakeApi, type Handlers, json, noAnswer, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { config, page, session, version } from '../../test/samples.ts'

const LOADS_WITHIN_MS = 5000
const SAVES_WITHIN_MS = 3000

const draft = (text: string, change: Partial<Draft> = {}): Draft => ({
  text,
  baseVersion: 2,
  updatedBy: 'ana',
  updatedAt: new Date().toISOString(),
  ...change,
})
const fine = { ok: true, digest: null, errors: [] }
const schema = {
  type: 'object',
  properties: { workers: { type: 'integer', minimum: 1, maximum: 64 } },
  additionalProperties: false,
}

function openEditor(handlers: Handlers = {}): FakeApi {
  return renderApp('/configs/default', {
    'GET /configs/default': () => json(config()),
    'GET /configs/default/draft': () => json(draft('{}\n'), { etag: '"1"' }),
    'GET /config-schema': () => json(schema),
    'POST /configs/validate': () => json(fine),
    'PUT /configs/default/draft': ({ body }) =>
      json(draft((body as { text: string }).text), { etag: '"2"' }),
    ...handlers,
  })
}

async function editor(): Promise<EditorView> {
  const box = await screen.findByRole(
    'textbox',
    { name: 'Draft of config default' },
    { timeout: LOADS_WITHIN_MS },
  )
  const view = EditorView.findFromDOM(box)
  if (view === null) throw new Error('the editor has no view')
  return view
}

/** As if the whole text were typed anew. */
const write = (view: EditorView, insert: string) =>
  act(() => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }))
const puts = (api: FakeApi) => api.requests.filter((request) => request.method === 'PUT')
const soon = { timeout: SAVES_WITHIN_MS }

const KEPT = keptTextKey(session.user.id, 'default')

describe('the draft', () => {
  test('is saved by itself, with the ETag the typing began on', async () => {
    const api = openEditor()
    write(await editor(), '{ "workers": 2 }')
    expect(screen.getByText('Saving the draft…')).toBeVisible()
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: '{ "workers": 2 }' })
    expect(puts(api)[0]?.headers.get('if-match')).toBe('"1"')
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())

    write(await editor(), '{ "workers": 3 }')
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.headers.get('if-match')).toBe('"2"')
  })

  test('that cannot be saved stays, says why, and is saved on another try', async () => {
    const api = openEditor({ 'PUT /configs/default/draft': noAnswer })
    write(await editor(), '{ "workers": 2 }')
    const box = await screen.findByText(/The draft was not saved/, {}, soon)
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 2 }')
    expect(sessionStorage.getItem(KEPT)).toContain('workers')
    api.answer({
      'PUT /configs/default/draft': () => json(draft('{ "workers": 2 }'), { etag: '"2"' }),
    })
    const alert = box.closest('[role=alert]') as HTMLElement
    await userEvent.click(within(alert).getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByText(/The draft was not saved/)).toBeNull())
    expect(sessionStorage.getItem(KEPT)).toBeNull()
  })

  test('of somebody else who used this tab is neither shown nor saved, and is gone', async () => {
    const foreign = keptTextKey('user_01jd4q6v2m8w3x5y7z9abcdefh', 'default')
    sessionStorage.setItem(foreign, JSON.stringify({ text: '{ "theirs": 7 }', baseEtag: '"1"' }))
    const api = openEditor()
    expect((await editor()).state.doc.toString()).not.toContain('theirs')
    expect(sessionStorage.getItem(foreign)).toBeNull()
    expect(puts(api)).toEqual([])
  })

  test('goes with its author at sign-out, after a question', async () => {
    const api = openEditor({ 'PUT /configs/default/draft': noAnswer })
    write(await editor(), '{ "workers": 2 }')
    await screen.findByText(/The draft was not saved/, {}, soon)
    api.answer({
      'DELETE /session': () => new Response(null, { status: 204 }),
      'GET /session': () => problem(401, 'not_signed_in', 'Sign in.'),
    })
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Account of ana' }))
    await user.click(await screen.findByRole('button', { name: 'Sign out' }))
    expect(await screen.findByText(/is not saved yet/)).toBeVisible()
    expect(api.requests.some(({ method }) => method === 'DELETE')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Sign out, and lose it' }))
    await waitFor(() => expect(sessionStorage.getItem(KEPT)).toBeNull())
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible()
  })

  test('that was never saved is there again after a reload', async () => {
    const unsaved = { text: '{ "workers": 7 }', baseEtag: '"1"' }
    sessionStorage.setItem(KEPT, JSON.stringify(unsaved))
    const api = openEditor()
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 7 }')
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
  })
})

test('saving is no step of its own for Undo', async () => {
  const api = openEditor()
  const view = await editor()
  write(view, '{ "workers": 2 }')
  await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
  await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())
  expect(undoDepth(view.state)).toBe(1)
  act(() => void undo(view))
  expect(view.state.doc.toString()).toBe('{}\n')
})

describe('what somebody else saves meanwhile', () => {
  const first = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
  /** Two was made 20 here and is saved; then somebody else changes what stands before and after. */
  async function changedByTwo() {
    const api = openEditor({
      'GET /configs/default/draft': () => json(draft(first), { etag: '"1"' }),
    })
    const view = await editor()
    const at = first.indexOf('2')
    act(() => view.dispatch({ changes: { from: at, to: at + 1, insert: '20' } }))
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())
    const both = '// theirs\n{\n  "a": 1,\n  "b": 20,\n  "c": 30\n}\n'
    const theirs = draft(both, { updatedBy: 'ben' })
    api.answer({ 'GET /configs/default/draft': () => json(theirs, { etag: '"3"' }) })
    sayChanged('config')
    await waitFor(() => expect(view.state.doc.toString()).toBe(both), soon)
    return { api, view, both }
  }

  test('is not undone by who undoes what they did', async () => {
    const { api, view, both } = await changedByTwo()
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe(both.replace('20', '2'))
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe(both.replace('20', '2'))
    act(() => void redo(view))
    expect(view.state.doc.toString()).toBe(both)
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull(), soon)
    expect(
      puts(api)
        .slice(1)
        .every(({ headers }) => headers.get('if-match') !== '"1"'),
    ).toBe(true)
  })

  test('leaves nothing to undo for who did nothing', async () => {
    const api = openEditor()
    const view = await editor()
    const theirs = draft('{ "workers": 9 }\n', { updatedBy: 'ben' })
    api.answer({ 'GET /configs/default/draft': () => json(theirs, { etag: '"3"' }) })
    sayChanged('config')
    await waitFor(() => expect(view.state.doc.toString()).toBe('{ "workers": 9 }\n'), soon)
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe('{ "workers": 9 }\n')
    expect(puts(api)).toEqual([])
  })
})

describe('the author’s bytes', () => {
  const texts = {
    'CR LF': '{\r\n  "workers": 1\r\n}\r\n',
    'CR alone': '{\r  "workers": 1\r}\r',
    'mixed line ends': '{\r\n  // one\n  // two\r  "workers": 1\r\n}\r\n',
    'no last line end': '{\n  "workers": 1\n}',
    'a byte order mark': '\ufeff{\r\n  "workers": 1\r\n}\r\n',
    'several empty lines': '\r\n\n\r\r\n{ "workers": 1 }\n\r\n',
  }
  const opened = async (text: string) => {
    const api = openEditor({
      'GET /configs/default/draft': () => json(draft(text), { etag: '"1"' }),
    })
    return { api, view: await editor() }
  }
  const typeAt = (view: EditorView, found: string, insert: string, over = 0) => {
    const from = view.state.doc.toString().indexOf(found) + found.length
    act(() => view.dispatch({ changes: { from: from - over, to: from, insert } }))
  }

  test.each(Object.entries(texts))('with %s: a key changes what it changes', async (_, text) => {
    const { api, view } = await opened(text)
    typeAt(view, '"workers": 1', '2', 1)
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: text.replace('1', '2') })
  })

  test.each(Object.entries(texts))(
    'with %s: what is deleted comes back as it was',
    async (_, text) => {
      const { api, view } = await opened(text)
      typeAt(view, '"workers": 1', '2', 1)
      write(view, '')
      act(() => void undo(view))
      act(() => void undo(view))
      typeAt(view, '"workers": 1', '0')
      await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
      expect(puts(api)[0]?.body).toEqual({ text: text.replace('1', '10') })
    },
  )

  test('a new line ends as the others do, and so do lines that are pasted', async () => {
    const { api, view } = await opened(texts['CR LF'])
    typeAt(view, '"workers": 1', ',\n"listen": [\n]')
    expect(view.state.doc.lines).toBe(6)
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    const text = '{\r\n  "workers": 1,\r\n"listen": [\r\n]\r\n}\r\n'
    expect(puts(api)[0]?.body).toEqual({ text })
  })

  test('a text that comes from elsewhere is kept as it came', async () => {
    const { api, view } = await opened('{}\n')
    api.answer({
      'PUT /configs/default/draft': () =>
        json(
          {
            ...{ code: 'precondition_failed', detail: 'ben changed it.', etag: '"5"' },
            ...{ current: draft(texts['mixed line ends'], { updatedBy: 'ben' }), base: null },
            ...{ changes: null, moreChanges: 0, merged: null },
          },
          {},
          412,
        ),
    })
    write(view, '{ }')
    await userEvent.click(await screen.findByRole('button', { name: 'Take ben’s text' }, soon))
    api.answer({
      'PUT /configs/default/draft': ({ body }) =>
        json(draft((body as { text: string }).text), { etag: '"6"' }),
    })
    typeAt(view, '"workers": 1', '2', 1)
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.body).toEqual({ text: texts['mixed line ends'].replace('1', '2') })
  })
})

describe('what is typed is not lost', () => {
  test('when the control plane was away: it is tried again by itself, and said', async () => {
    const api = openEditor({ 'PUT /configs/default/draft': noAnswer })
    write(await editor(), '{ "workers": 2 }')
    expect(await screen.findByText(/not saved; trying again by itself/, {}, soon)).toBeVisible()
    expect(screen.getByText('Draft not saved, trying again')).toBeVisible()
    api.answer({
      'PUT /configs/default/draft': ({ body }) =>
        json(draft((body as { text: string }).text), { etag: '"2"' }),
    })
    await waitFor(() => expect(screen.queryByText(/trying again/)).toBeNull(), soon)
    expect(puts(api).at(-1)?.body).toEqual({ text: '{ "workers": 2 }' })
  })

  test('when it is refused: the same is not sent again and again', async () => {
    const api = openEditor({
      'PUT /configs/default/draft': () => problem(422, 'too_large', 'The text is too long.'),
    })
    write(await editor(), '{ "workers": 2 }')
    expect(await screen.findByText(/The text is too long/, {}, soon)).toBeVisible()
    expect(screen.getByText('Draft not saved')).toBeVisible()
    expect(screen.queryByText(/trying again/)).toBeNull()
    expect(puts(api)).toHaveLength(1)
  })

  test.each(['pagehide', 'visibilitychange'])(
    'when the tab is left (%s): it is sent at once',
    async (away) => {
      const api = openEditor()
      write(await editor(), '{ "workers": 2 }')
      expect(puts(api)).toEqual([])
      act(() => void (away === 'pagehide' ? window : document).dispatchEvent(new Event(away)))
      await waitFor(() => expect(puts(api)).toHaveLength(1), { timeout: 400 })
      expect(puts(api)[0]?.body).toEqual({ text: '{ "workers": 2 }' })
    },
  )

  test('when the tab is closed: one is asked while anything is not saved, and only then', async () => {
    const closing = () => {
      const event = new Event('beforeunload', { cancelable: true })
      act(() => void window.dispatchEvent(event))
      return event.defaultPrevented
    }
    const api = openEditor()
    const view = await editor()
    expect(closing()).toBe(false)
    write(view, '{ "workers": 2 }')
    expect(closing()).toBe(true)
    await waitFor(() => expect(puts(api)).toHaveLength(1))
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())
    expect(closing()).toBe(false)
  })

  test('when one goes to another page: it is saved first', async () => {
    const api = openEditor({ 'GET /configs': () => json(page(config())) })
    write(await editor(), '{ "workers": 2 }')
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Configs' })).toBeVisible()
    expect(puts(api)).toHaveLength(1)
    expect(sessionStorage.getItem(KEPT)).toBeNull()
  })

  test('when it cannot be saved then: one is asked, and may stay or come back', async () => {
    openEditor({
      'GET /configs': () => json(page(config())),
      'PUT /configs/default/draft': noAnswer,
    })
    write(await editor(), '{ "workers": 2 }')
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    const dialog = await screen.findByRole('dialog', { name: 'Your last changes are not saved' })
    await userEvent.click(within(dialog).getByRole('button', { name: 'Stay here' }))
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 2 }')
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Leave all the same' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'Configs' })).toBeVisible()
    expect(sessionStorage.getItem(KEPT)).toContain('workers')
  })

  test('two saves are never under way at once', async () => {
    const answers: (() => void)[] = []
    let etag = 1
    const api = openEditor({
      'PUT /configs/default/draft': ({ body }) =>
        new Promise((resolve) => {
          etag += 1
          const saved = json(draft((body as { text: string }).text), { etag: `"${etag}"` })
          answers.push(() => resolve(saved))
        }),
    })
    const view = await editor()
    write(view, '{ "workers": 2 }')
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    write(view, '{ "workers": 3 }')
    act(() => void window.dispatchEvent(new Event('pagehide')))
    expect(puts(api)).toHaveLength(1)
    act(() => answers[0]?.())
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.headers.get('if-match')).toBe('"2"')
    expect(puts(api)[1]?.body).toEqual({ text: '{ "workers": 3 }' })
  })
})

describe('Ctrl+S', () => {
  const pressSave = () => {
    const event = new KeyboardEvent('keydown', { key: 's', ctrlKey: true, cancelable: true })
    act(() => void window.dispatchEvent(event))
    return event.defaultPrevented
  }

  test('saves the draft at once, and never the page as a file', async () => {
    const api = openEditor({
      'POST /configs/validate': () => problem(409, 'node_check_failed', 'It is missing.'),
    })
    write(await editor(), '{ "workers": 2 }')
    expect(pressSave()).toBe(true)
    await waitFor(() => expect(puts(api)).toHaveLength(1), { timeout: 400 })
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('goes on to saving a version where one can be saved', async () => {
    openEditor({ 'GET /configs/default': () => json(config({ draftChanged: true })) })
    await editor()
    await screen.findByText('farmstead-node takes this text', {}, soon)
    expect(pressSave()).toBe(true)
    expect(await screen.findByRole('dialog', { name: 'Save version 3 of default' })).toBeVisible()
  })
})

describe('two people on one draft', () => {
  const theirs = draft('{\n  "workers": 9\n}\n', { updatedBy: 'ben' })
  const change = {
    pointer: '/workers',
    fromPointer: '/workers',
    kind: 'changed',
    from: 1,
    to: 9,
    help: '',
    default: null,
    effect: 'live',
    by: 'ben',
    at: theirs.updatedAt,
  }
  const clean = { text: '{\n  "workers": 9,\n  "charset": "utf-8"\n}\n', conflicts: [] }
  const marked = {
    text: '{\n<<<<<<< your text\n  "workers": 2\n=======\n  "workers": 9\n>>>>>>> ben’s text\n}\n',
    conflicts: [{ startLine: 2, mine: [], base: [], current: [] }],
  }
  const refused = (merged: object | null) =>
    json(
      {
        code: 'precondition_failed',
        detail: 'ben changed this draft.',
        current: theirs,
        etag: '"5"',
        base: merged && { text: '{}', etag: '"1"' },
        changes: merged && [change],
        moreChanges: 0,
        merged,
      },
      {},
      412,
    )

  async function conflict(merged: object | null = clean): Promise<FakeApi> {
    const api = openEditor({ 'PUT /configs/default/draft': () => refused(merged) })
    const view = await editor()
    write(view, '{ "workers": 2 }')
    await screen.findByText('ben changed the draft while you were typing', {}, soon)
    api.answer({ 'GET /configs/default/draft': () => json(theirs, { etag: '"5"' }) })
    return api
  }
  const takesSaves = (api: FakeApi) =>
    api.answer({
      'PUT /configs/default/draft': ({ body }) =>
        json(draft((body as { text: string }).text), { etag: '"6"' }),
    })

  test('it is said who changed what', async () => {
    await conflict()
    const list = within(screen.getByRole('list', { name: 'Changed meanwhile' }))
    expect(list.getByRole('listitem')).toHaveTextContent('/workers changed by ben')
  })

  test('mine can be kept: it is saved on top of theirs', async () => {
    const api = await conflict()
    takesSaves(api)
    await userEvent.click(screen.getByRole('button', { name: /Keep mine/ }))
    await waitFor(() => expect(puts(api).at(-1)?.headers.get('if-match')).toBe('"5"'))
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 2 }')
  })

  test('who typed in another tab is told so, and not of somebody with the same name', async () => {
    openEditor({
      'PUT /configs/default/draft': () =>
        json(
          {
            ...{ code: 'precondition_failed', detail: 'ana changed this draft.', etag: '"5"' },
            ...{ current: { ...theirs, updatedBy: 'ana' }, base: null },
            ...{ changes: null, moreChanges: 0, merged: null },
          },
          {},
          412,
        ),
    })
    write(await editor(), '{ "workers": 2 }')
    expect(await screen.findByText(/^You changed the draft elsewhere/, {}, soon)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Take your other tab’s text' })).toBeEnabled()
  })

  test('theirs can be taken, and mine be brought back', async () => {
    await conflict()
    await userEvent.click(screen.getByRole('button', { name: 'Take ben’s text' }))
    expect((await editor()).state.doc.toString()).toBe(theirs.text)
    await userEvent.click(screen.getByRole('button', { name: 'Bring it back' }))
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 2 }')
  })

  test('theirs, once taken, can be undone', async () => {
    await conflict()
    await userEvent.click(screen.getByRole('button', { name: 'Take ben’s text' }))
    const view = await editor()
    expect(view.state.doc.toString()).toBe(theirs.text)
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe('{ "workers": 2 }')
  })

  test('both can be merged: the merged text is saved on top of theirs, and mine can be had back', async () => {
    const api = await conflict()
    takesSaves(api)
    await userEvent.click(screen.getByRole('button', { name: 'Merge both' }))
    expect((await editor()).state.doc.toString()).toBe(clean.text)
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.body).toEqual({ text: clean.text })
    expect(puts(api)[1]?.headers.get('if-match')).toBe('"5"')
    await userEvent.click(screen.getByRole('button', { name: 'Bring it back' }))
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 2 }')
  })

  test('what was typed after the refusal is merged, too', async () => {
    const api = await conflict()
    write(await editor(), '{ "workers": 3 }')
    const later = { text: '{ "workers": 3 } // and theirs', conflicts: [] }
    api.answer({ 'PUT /configs/default/draft': () => refused(later) })
    await userEvent.click(screen.getByRole('button', { name: 'Merge both' }))
    await waitFor(async () => expect((await editor()).state.doc.toString()).toBe(later.text))
    const [, second] = puts(api)
    expect(second?.body).toEqual({ text: '{ "workers": 3 }' })
    expect(second?.headers.get('if-match')).toBe('"1"')
  })

  test('a merge with conflicts is not saved before they are resolved', async () => {
    const api = await conflict(marked)
    takesSaves(api)
    await userEvent.click(screen.getByRole('button', { name: 'Merge both, 1 conflict to resolve' }))
    const view = await editor()
    expect(view.state.doc.toString()).toBe(marked.text)
    expect(screen.getByText(/^1 conflict to resolve/)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Save version' })).toHaveAccessibleDescription(
      'Resolve the 1 conflict first.',
    )
    await userEvent.click(screen.getByRole('button', { name: 'Show line 2' }))
    expect(view.state.selection.main.head).toBe(2)
    write(view, '{ "workers": 4 }')
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.body).toEqual({ text: '{ "workers": 4 }' })
    expect(screen.queryByText(/conflict to resolve/)).toBeNull()
  })

  test('begun too long ago to be merged says so, and the other two ways are left', async () => {
    await conflict(null)
    expect(screen.getByText(/too long ago for the two to be merged/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Merge/ })).toBeNull()
    expect(screen.getByRole('button', { name: 'Take ben’s text' })).toBeEnabled()
  })

  test('a version is not saved before the choice', async () => {
    await conflict()
    const button = screen.getByRole('button', { name: 'Save version' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription('Choose between the two texts first.')
  })
})

test('what was changed in the draft can be discarded, and be brought back', async () => {
  const api = openEditor({
    'GET /configs/default': () => json(config({ draftChanged: true })),
    'GET /configs/default/draft': () => json(draft('{ "mine": 1 }'), { etag: '"7"' }),
    'DELETE /configs/default/draft': () => json(draft('{}\n'), { etag: '"8"' }),
  })
  await editor()
  await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }))
  const dialog = within(await screen.findByRole('dialog'))
  await userEvent.click(dialog.getByRole('button', { name: 'Discard the changes' }))
  await waitFor(async () => expect((await editor()).state.doc.toString()).toBe('{}\n'))
  const request = api.requests.find(({ method }) => method === 'DELETE')
  expect(request?.headers.get('if-match')).toBe('"7"')
  await userEvent.click(screen.getByRole('button', { name: 'Bring it back' }))
  expect((await editor()).state.doc.toString()).toBe('{ "mine": 1 }')
})

describe('discarding the draft', () => {
  const open = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Discard changes' }))
    const dialog = within(await screen.findByRole('dialog'))
    return () => userEvent.click(dialog.getByRole('button', { name: 'Discard the changes' }))
  }
  const mine = {
    'GET /configs/default': () => json(config({ draftChanged: true })),
    'GET /configs/default/draft': () => json(draft('{ "mine": 1 }'), { etag: '"7"' }),
  }
  const sent = (api: FakeApi) =>
    api.requests.find(({ method }) => method === 'DELETE')?.headers.get('if-match')

  test('spares what somebody else saves while the question is open', async () => {
    const theirs = draft('{ "theirs": 1 }', { updatedBy: 'ben' })
    const api = openEditor({
      ...mine,
      'DELETE /configs/default/draft': () => problem(412, 'changed', 'It was changed meanwhile.'),
    })
    await editor()
    const agree = await open()
    api.answer({ 'GET /configs/default/draft': () => json(theirs, { etag: '"8"' }) })
    sayChanged('config')
    await waitFor(async () => expect((await shown()).textContent).toContain('theirs'), soon)
    await agree()
    expect(await screen.findByText(/It was changed meanwhile/)).toBeVisible()
    expect(sent(api)).toBe('"7"')
  })

  test('takes along what one has typed oneself just before', async () => {
    const api = openEditor({
      ...mine,
      'DELETE /configs/default/draft': () => json(draft('{}\n'), { etag: '"9"' }),
    })
    write(await editor(), '{ "mine": 2 }')
    const agree = await open()
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())
    await agree()
    await waitFor(async () => expect(sent(api)).toBe('"2"'))
  })

  /** Behind the dialog, where it is hidden from who uses the dialog. */
  const shown = async () =>
    await screen.findByRole('textbox', { name: 'Draft of config default', hidden: true })
})

describe('problems', () => {
  const refused = {
    ok: false,
    digest: null,
    errors: [
      {
        pointer: '/workers',
        line: 1,
        column: 14,
        endLine: 1,
        endColumn: 16,
        code: 'out_of_range',
        message: '"workers" must be 1 to 64, found 99',
        hint: 'use "auto"',
      },
    ],
  }

  test('are the console’s own until the node has spoken, then the node’s', async () => {
    let answer: (response: Response) => void = () => {}
    const late = new Promise<Response>((resolve) => {
      answer = resolve
    })
    openEditor({
      'POST /configs/validate': ({ body }) =>
        (body as { text: string }).text.includes('99') ? late : json(fine),
    })
    write(await editor(), '{ "workers": 99 }')
    expect(await screen.findByText(/must be a whole number 1–64, got 99/)).toBeVisible()
    expect(screen.getByText('1 problem so far, checking…')).toBeVisible()
    await waitFor(() => expect(screen.getByText(/so far/)).toBeVisible())
    answer(json(refused))
    expect(await screen.findByText('"workers" must be 1 to 64, found 99', {}, soon)).toBeVisible()
    expect(screen.getByText('1 problem, by farmstead-node')).toBeVisible()
    expect(screen.queryByText(/got 99/)).toBeNull()
    expect(screen.getByRole('button', { name: 'Save version' })).toHaveAccessibleDescription(
      'Mend the 1 problem first.',
    )
  })

  test('lead to their place', async () => {
    openEditor({ 'POST /configs/validate': () => json(refused) })
    const view = await editor()
    write(view, '{ "workers": 99 }')
    await userEvent.click(await screen.findByRole('button', { name: /1:14/ }, soon))
    expect(view.state.selection.main.head).toBe(13)
  })

  test('a node binary that cannot be asked is said, and no version is saved unchecked', async () => {
    openEditor({
      'GET /configs/default': () => json(config({ draftChanged: true })),
      'POST /configs/validate': () =>
        problem(409, 'node_check_failed', 'farmstead-node is missing.'),
    })
    await editor()
    expect(await screen.findByText(/not checked by farmstead-node/, {}, soon)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Save version' })).toBeDisabled()
  })
})

describe('saving a version', () => {
  const open = () =>
    openEditor({ 'GET /configs/default': () => json(config({ draftChanged: true })) })

  test('needs a message, and leads to the plan', async () => {
    const api = open()
    await editor()
    await screen.findByText('farmstead-node takes this text', {}, soon)
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Save version' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.click(dialog.getByRole('button', { name: 'Save version 3' }))
    expect(dialog.getByText('Say what changes and why.')).toBeVisible()
    api.answer({
      'POST /configs/default/versions': () => json(version({ number: 3 }), {}, 201),
      'GET /configs/default': () => json(config({ latestVersion: 3 })),
    })
    await user.type(dialog.getByRole('textbox', { name: /Message/ }), ' Two loops ')
    await user.click(dialog.getByRole('button', { name: 'Save version 3' }))
    expect(await screen.findByText('Version 3 is saved')).toBeVisible()
    const post = api.requests.find((request) => request.path === '/configs/default/versions')
    expect(post?.body).toEqual({ text: '{}\n', message: 'Two loops', parent: 2 })
    const [link] = await screen.findAllByRole('link', { name: 'Plan rollout of v3' })
    expect(link).toHaveAttribute('href', '/rollouts/new?config=default&version=3')
  })

  test('on top of one the draft has not seen wants a decision first', async () => {
    const api = openEditor({
      'GET /configs/default': () => json(config({ latestVersion: 3, draftChanged: true })),
      'POST /configs/default/versions': () => json(version({ number: 4 }), {}, 201),
    })
    await editor()
    await screen.findByText('farmstead-node takes this text', {}, soon)
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Save version' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: /Message/ }), 'Two loops')
    await user.click(dialog.getByRole('button', { name: 'Save version 4' }))
    expect(dialog.getByText('Compare first, then tick this or cancel.')).toBeVisible()
    const sent = () => api.requests.filter((one) => one.path === '/configs/default/versions')
    expect(sent().filter((one) => one.method === 'POST')).toEqual([])
    await user.click(dialog.getByRole('checkbox', { name: /on top of version 3/ }))
    await user.click(dialog.getByRole('button', { name: 'Save version 4' }))
    expect(await screen.findByText('Version 4 is saved')).toBeVisible()
    expect(sent().at(-1)?.body).toEqual({ text: '{}\n', message: 'Two loops', parent: 3 })
  })

  test('that somebody was faster with stays in the dialog', async () => {
    open().answer({
      'POST /configs/default/versions': () =>
        problem(409, 'parent_not_latest', 'Version 3 was saved by ben meanwhile.'),
    })
    await editor()
    await screen.findByText('farmstead-node takes this text', {}, soon)
    const user = userEvent.setup()
    await user.click(screen.getByRole('button', { name: 'Save version' }))
    const dialog = within(await screen.findByRole('dialog'))
    await user.type(dialog.getByRole('textbox', { name: /Message/ }), 'Two loops')
    await user.click(dialog.getByRole('button', { name: 'Save version 3' }))
    expect(await dialog.findByText(/saved by ben meanwhile/)).toBeVisible()
  })
})

describe('the form', () => {
  const inForm = (text: string) => {
    const api = openEditor({
      'GET /configs/default/draft': () => json(draft(text), { etag: '"1"' }),
    })
    act(() => window.history.pushState(null, '', '/configs/default?view=form'))
    return api
  }

  test('changes the draft’s text, comments and all, and saves it', async () => {
    const api = inForm('{\n  // why\n  "workers": 2\n}\n')
    const field = await screen.findByRole('textbox', { name: /workers/ }, soon)
    await userEvent.type(field, '4', { initialSelectionStart: 0, initialSelectionEnd: 1 })
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: '{\n  // why\n  "workers": 4\n}\n' })
    await userEvent.click(screen.getByRole('radio', { name: 'Text' }))
    expect((await editor()).state.doc.toString()).toContain('"workers": 4')
  })

  test('and the text have one history: what was done in either is undone in either', async () => {
    const first = '{\n  "workers": 2\n}\n'
    inForm(first)
    const field = await screen.findByRole('textbox', { name: /workers/ }, soon)
    await userEvent.type(field, '4', { initialSelectionStart: 0, initialSelectionEnd: 1 })
    await userEvent.click(screen.getByRole('radio', { name: 'Text' }))
    const view = await editor()
    expect(view.state.doc.toString()).toContain('"workers": 4')
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe(first)
    act(() => void redo(view))
    write(view, '{ "workers": 7 }')
    await userEvent.click(screen.getByRole('radio', { name: 'Form' }))
    const workers = () => screen.getByRole('textbox', { name: /workers/ })
    expect(await screen.findByRole('textbox', { name: /workers/ })).toHaveValue('7')
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(workers()).toHaveValue('4')
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(workers()).toHaveValue('2')
    expect(screen.getByRole('button', { name: 'Undo' })).toBeDisabled()
    await userEvent.click(screen.getByRole('button', { name: 'Redo' }))
    expect(workers()).toHaveValue('4')
    workers().focus()
    await userEvent.keyboard('{Control>}z{/Control}')
    expect(workers()).toHaveValue('2')
    await userEvent.keyboard('{Control>}{Shift>}z{/Shift}{/Control}')
    expect(workers()).toHaveValue('4')
  })

  test('leads to the text where the form has no field for a problem', async () => {
    inForm('{\n  "workers": \n}\n')
    expect(await screen.findByText('The text is not JSON yet.', {}, soon)).toBeVisible()
    expect(screen.queryByRole('textbox', { name: 'Draft of config default' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Show the text' }))
    expect((await editor()).state.doc.toString()).toContain('workers')
  })
})

test('who may only read sees the text and cannot change it', async () => {
  openEditor({ 'GET /session': () => json({ ...session, permissions: [] }) })
  const view = await editor()
  expect(view.state.readOnly).toBe(true)
  expect(screen.getByRole('button', { name: 'Save version' })).toBeDisabled()
})

test('an address with a place opens the editor there', async () => {
  openEditor({
    'GET /configs/default/draft': () => json(draft('{\n  "workers": 2\n}'), { etag: '"1"' }),
  })
  await editor()
  act(() => window.history.pushState(null, '', '/configs/default?pointer=%2Fworkers&line=9'))
  const view = await editor()
  await waitFor(() => expect(view.state.selection.main.head).toBe(4))
})

test('a config that is not there says so in its box', async () => {
  openEditor({
    'GET /configs/default': () => problem(404, 'config_not_found', 'There is no config.'),
  })
  expect(await screen.findByText('There is no config.', {}, soon)).toBeVisible()
  // It is no failure that another try or the log would tell more of.
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  expect(screen.queryByText('req-7')).toBeNull()
})

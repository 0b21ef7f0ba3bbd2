// SPDX-License-Identifier: MIT
import { redo, undo } from '@codemirror/commands'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { type FakeApi, json, problem } from '../../test/fake-api.ts'
import { draft, editor, openEditor, puts, soon, write } from '../../test/open-editor.ts'
import { sayChanged } from '../../test/render-app.tsx'
import { config } from '../../test/samples.ts'
import { conflict, takesSaves, theirs } from '../../test/two-on-a-draft.ts'

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

describe('two people on one draft', () => {
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

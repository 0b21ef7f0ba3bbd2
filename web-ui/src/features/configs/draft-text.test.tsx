// SPDX-License-Identifier: MIT
import { redo, undo } from '@codemirror/commands'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { draft, editor, fine, openEditor, puts, soon, write } from '../../test/open-editor.ts'
import { config, session, version } from '../../test/samples.ts'

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
      'Fix the 1 problem first.',
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
    await screen.findByText('farmstead-node accepts this text', {}, soon)
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
    const [link] = await screen.findAllByRole('link', { name: 'New rollout of v3' })
    expect(link).toHaveAttribute('href', '/rollouts/new?config=default&version=3')
  })

  test('on top of one the draft has not seen wants a decision first', async () => {
    const api = openEditor({
      'GET /configs/default': () => json(config({ latestVersion: 3, draftChanged: true })),
      'POST /configs/default/versions': () => json(version({ number: 4 }), {}, 201),
    })
    await editor()
    await screen.findByText('farmstead-node accepts this text', {}, soon)
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
    await screen.findByText('farmstead-node accepts this text', {}, soon)
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

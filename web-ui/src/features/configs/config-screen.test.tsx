// SPDX-License-Identifier: MIT
import { undo, undoDepth } from '@codemirror/commands'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { keptTextKey } from '../../lib/kept-texts.ts'
import { json, noAnswer, problem } from '../../test/fake-api.ts'
import { draft, editor, KEPT, openEditor, puts, soon, write } from '../../test/open-editor.ts'
import { config, page } from '../../test/samples.ts'

/** From now on no timer ends: what is sent was not waited for. */
function standStill() {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

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
    expect(await screen.findByText(/are not saved yet/)).toBeVisible()
    expect(api.requests.some(({ method }) => method === 'DELETE')).toBe(false)
    await user.click(screen.getByRole('button', { name: 'Sign out and discard it' }))
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

describe('what is typed is not lost', () => {
  test('when the control plane was away: it is tried again by itself, and said', async () => {
    const api = openEditor({ 'PUT /configs/default/draft': noAnswer })
    write(await editor(), '{ "workers": 2 }')
    expect(await screen.findByText(/not saved; trying again automatically/, {}, soon)).toBeVisible()
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
      const view = await editor()
      standStill()
      write(view, '{ "workers": 2 }')
      expect(puts(api)).toEqual([])
      act(() => void (away === 'pagehide' ? window : document).dispatchEvent(new Event(away)))
      await expect.poll(() => puts(api)).toHaveLength(1)
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
    await userEvent.click(await screen.findByRole('button', { name: 'Leave anyway' }))
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
    const view = await editor()
    standStill()
    write(view, '{ "workers": 2 }')
    expect(pressSave()).toBe(true)
    await expect.poll(() => puts(api)).toHaveLength(1)
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test('goes on to saving a version where one can be saved', async () => {
    openEditor({ 'GET /configs/default': () => json(config({ draftChanged: true })) })
    await editor()
    await screen.findByText('farmstead-node accepts this text', {}, soon)
    expect(pressSave()).toBe(true)
    expect(await screen.findByRole('dialog', { name: 'Save version 3 of default' })).toBeVisible()
  })
})

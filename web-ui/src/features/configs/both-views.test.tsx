// SPDX-License-Identifier: MIT
// Form and text side by side, where the window has room for both.
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { draft, editor, openEditor, puts, soon, write } from '../../test/open-editor.ts'

const TEXT = '{\n  // why\n  "workers": 2\n}\n'

/** A window of so many pixels. */
function openAt(width: number, search: string) {
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => {
    const [, least] = /min-width: (\d+)px/.exec(query) ?? []
    const target = new EventTarget()
    const matches = least !== undefined && width >= Number(least)
    return Object.assign(target, { matches, media: query }) as unknown as MediaQueryList
  })
  return openEditor(
    { 'GET /configs/default/draft': () => json(draft(TEXT), { etag: '"1"' }) },
    search,
  )
}
const field = () => screen.findByRole('textbox', { name: /workers/ }, soon)

describe('form and text side by side', () => {
  test('are one text: what is typed in either is in the other, and saved once', async () => {
    const api = openAt(1440, '?view=both')
    const view = await editor()
    await userEvent.type(await field(), '4', { initialSelectionStart: 0, initialSelectionEnd: 1 })
    expect(view.state.doc.toString()).toBe(TEXT.replace('2', '4'))
    write(view, TEXT.replace('2', '8'))
    await waitFor(async () => expect(await field()).toHaveValue('8'), soon)
    await waitFor(
      () => expect(puts(api).at(-1)?.body).toEqual({ text: TEXT.replace('2', '8') }),
      soon,
    )
  })

  test('the text shows the option that one is at, and the field keeps the focus', async () => {
    openAt(1440, '?view=both')
    const view = await editor()
    const workers = await field()
    await userEvent.click(workers)
    const line = view.state.doc.lineAt(view.state.selection.main.head)
    expect(line.text).toContain('"workers"')
    expect(workers).toHaveFocus()
  })

  test('come in turn where there is no room', async () => {
    openAt(1280, '?view=both')
    await editor()
    expect(screen.queryByRole('textbox', { name: /workers/ })).toBeNull()
    expect(screen.queryByRole('radio', { name: 'Both' })).toBeNull()
    expect(screen.getByRole('radio', { name: 'Text' })).toBeChecked()
  })

  test('are chosen beside the others, and the address says so', async () => {
    openAt(1440, '')
    await editor()
    await userEvent.click(screen.getByRole('radio', { name: 'Both' }))
    await field()
    expect(window.location.search).toBe('?view=both')
  })
})

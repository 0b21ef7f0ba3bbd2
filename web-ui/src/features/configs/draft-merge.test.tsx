// SPDX-License-Identifier: MIT
import { undo } from '@codemirror/commands'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { editor, puts, soon, write } from '../../test/open-editor.ts'
import { clean, conflict, marked, refused, takesSaves } from '../../test/two-on-a-draft.ts'

describe('two people on one draft', () => {
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

  test('each conflict is chosen from: mine, theirs or both, and a choice can be undone', async () => {
    const api = await conflict(marked)
    takesSaves(api)
    await userEvent.click(screen.getByRole('button', { name: 'Merge both, 1 conflict to resolve' }))
    const view = await editor()
    await userEvent.click(screen.getByRole('button', { name: 'Keep both, your text first' }))
    expect(view.state.doc.toString()).toBe('{\n  "workers": 2\n  "workers": 9\n}\n')
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe(marked.text)
    await userEvent.click(screen.getByRole('button', { name: 'Keep your text' }))
    expect(view.state.doc.toString()).toBe('{\n  "workers": 2\n}\n')
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(screen.queryByRole('region', { name: 'Conflicts' })).toBeNull()
  })

  test('begun too long ago to be merged says so, and the other two ways are left', async () => {
    await conflict(null)
    expect(screen.getByText(/too long ago for the two to be merged/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Merge/ })).toBeNull()
    expect(screen.getByRole('button', { name: 'Take ben’s text' })).toBeEnabled()
  })
})

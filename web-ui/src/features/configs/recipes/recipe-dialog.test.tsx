// SPDX-License-Identifier: MIT
import { undo } from '@codemirror/commands'
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json } from '../../../test/fake-api.ts'
import { draft, editor, openEditor, puts, soon } from '../../../test/open-editor.ts'

const ONE = '{ "sites": [{ "hosts": ["a.example.org"], "root": "/srv/a" }] }\n'
const open = async (text: string) => {
  const api = openEditor({
    'GET /configs/default/draft': () => json(draft(text), { etag: '"1"' }),
  })
  const view = await editor()
  await userEvent.click(screen.getByRole('button', { name: 'Add a recipe' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add a recipe' }))
  return { api, view, dialog }
}

describe('a recipe', () => {
  test('is seen as a change, and in the draft only once it is taken; Undo takes it back', async () => {
    const { api, view, dialog } = await open(ONE)
    await userEvent.click(dialog.getByRole('radio', { name: 'Downloads' }))
    const field = dialog.getByRole('textbox', { name: 'Paths' })
    await userEvent.clear(field)
    expect(dialog.getByText('Say what it is.')).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Put it into the draft' })).toBeDisabled()
    await userEvent.type(field, '*.zip')
    expect(await dialog.findByRole('region', { name: 'The change' })).toHaveTextContent('*.zip')
    expect(view.state.doc.toString()).toBe(ONE)
    await userEvent.click(dialog.getByRole('button', { name: 'Put it into the draft' }))
    expect(view.state.doc.toString()).toContain('"downloads": [{ "paths": ["*.zip"] }]')
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    act(() => void undo(view))
    expect(view.state.doc.toString()).toBe(ONE)
  })

  test('goes to the site that is chosen', async () => {
    const two = ONE.replace('] }\n', ', { "hosts": ["b.example.org"], "root": "/srv/b" }] }\n')
    const { view, dialog } = await open(two)
    await userEvent.click(dialog.getByRole('combobox', { name: 'Site' }))
    await userEvent.click(await screen.findByRole('option', { name: 'b.example.org' }))
    await userEvent.click(dialog.getByRole('radio', { name: 'Images' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Put it into the draft' }))
    expect(view.state.doc.toString()).toMatch(/"root": "\/srv\/b",? .*image/)
    expect(view.state.doc.toString()).toContain('"root": "/srv/a" },')
  })

  test('that the site has is not put in again', async () => {
    const has = ONE.replace('"/srv/a"', '"/srv/a", "downloads": [{ "paths": ["/downloads/**"] }]')
    const { dialog } = await open(has)
    await userEvent.click(dialog.getByRole('radio', { name: 'Downloads' }))
    expect(dialog.getByText('The site has all of this already.')).toBeVisible()
    expect(dialog.getByRole('button', { name: 'Put it into the draft' })).toBeDisabled()
  })
})

test('without a site there is none, and it is said why', async () => {
  openEditor()
  await editor()
  expect(screen.getByRole('button', { name: 'Add a recipe' })).toHaveAccessibleDescription(
    'Add a site first.',
  )
})

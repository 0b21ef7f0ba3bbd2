// SPDX-License-Identifier: MIT
import { undo } from '@codemirror/commands'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { type FakeApi, json, problem } from '../../test/fake-api.ts'
import { draft, editor, openEditor, puts, soon } from '../../test/open-editor.ts'
import { config, version } from '../../test/samples.ts'

const MINE = '{ "workers": 2 }\n'
const MERGED = '{ "workers": 2 }\n// theirs\n'
const merged = { version: 3, author: 'ben', message: 'Theirs', text: MERGED, conflicts: [] }

/** The draft was begun on v2; ben has saved v3 since. */
function behind(merge: () => Response = () => json(merged)): FakeApi {
  let base = 2
  return openEditor({
    'GET /configs/default': () => json(config({ latestVersion: 3, draftChanged: true })),
    'GET /configs/default/draft': () => json(draft(MINE), { etag: '"1"' }),
    'GET /configs/default/versions/3': () =>
      json(version({ number: 3, author: 'ben', message: 'Theirs' })),
    'POST /configs/default/merge': merge,
    'PUT /configs/default/draft': ({ body }) => {
      const { text, baseVersion } = body as { text: string; baseVersion?: number }
      base = baseVersion ?? base
      return json(draft(text, { baseVersion: base }), { etag: '"2"' })
    },
  })
}
const mergeButton = () => screen.findByRole('button', { name: 'Merge v3 into the draft' })

describe('a version that somebody saved meanwhile', () => {
  test('is told with its author and why, and is merged into the draft', async () => {
    const api = behind()
    await editor()
    expect(await screen.findByText('ben saved v3 after this draft was begun on v2')).toBeVisible()
    expect(screen.getByText(/“Theirs”/)).toBeVisible()
    await userEvent.click(await mergeButton())
    await waitFor(async () => expect((await editor()).state.doc.toString()).toBe(MERGED))
    expect(api.requests.find(({ path }) => path.endsWith('/merge'))?.body).toEqual({
      text: MINE,
      baseVersion: 2,
    })
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: MERGED, baseVersion: 3 })
    expect(screen.queryByText(/saved v3 after/)).toBeNull()
  })

  test('counts as missed again once the merge is undone', async () => {
    const api = behind()
    await userEvent.click(await mergeButton())
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    await waitFor(() => expect(screen.queryByText('Saving the draft…')).toBeNull())
    const view = await editor()
    act(() => void undo(view))
    await waitFor(() => expect(puts(api)).toHaveLength(2), soon)
    expect(puts(api)[1]?.body).toEqual({ text: MINE, baseVersion: 2 })
    expect(await mergeButton()).toBeVisible()
  })

  test('that changed the same lines is chosen from, conflict by conflict', async () => {
    const text =
      '<<<<<<< your text\n{ "workers": 2 }\n=======\n{ "workers": 9 }\n>>>>>>> v3 by ben\n'
    const api = behind(() => json({ ...merged, text, conflicts: [] }))
    await userEvent.click(await mergeButton())
    const conflict = await screen.findByRole('group', { name: 'Conflict 1 of 1, line 1' })
    expect(conflict).toHaveTextContent('{ "workers": 9 }')
    expect(puts(api)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Keep v3 by ben' }))
    expect((await editor()).state.doc.toString()).toBe('{ "workers": 9 }\n')
    await waitFor(() => expect(puts(api)).toHaveLength(1), soon)
    expect(puts(api)[0]?.body).toEqual({ text: '{ "workers": 9 }\n', baseVersion: 3 })
  })

  test('says why it could not be merged', async () => {
    behind(() => problem(503, 'overloaded', 'Try again in a moment.'))
    await userEvent.click(await mergeButton())
    expect(await screen.findByText(/Try again in a moment/)).toBeVisible()
    expect(await mergeButton()).toBeEnabled()
  })
})

// SPDX-License-Identifier: MIT
// What holds of every dialog, so that each can be worked with the keyboard and without looking:
// it begins at its first field or, without one, at the way out; Enter in a field does what the
// dialog is for; it can be left without doing anything, though not by a click that missed, once
// something was typed; and then the focus is where it came from.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test } from 'vitest'
import { CordonDialog } from '../features/nodes/cordon/cordon-dialog.tsx'
import { NewTokenDialog } from '../features/nodes/identity/new-token-dialog.tsx'
import { OneTimePasswordDialog } from '../features/users/new-user-dialog.tsx'
import { DIALOGS, edge, type Row } from './every-dialog.tsx'
import { fakeApi, json, never, problem } from './fake-api.ts'
import { createdToken, page } from './samples.ts'

function Stage({ row }: { row: Row }) {
  const [isOpen, setOpen] = useState(false)
  if (row.opens !== undefined) return row.show(() => {})
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open it
      </button>
      {isOpen && row.show(() => setOpen(false))}
    </>
  )
}

/** Opens the dialog with the keyboard and waits until it has begun. */
async function open(row: Row) {
  const api = fakeApi({
    'GET /nodes': () => json(page(edge)),
    ...(row.sends !== undefined && { [row.sends]: never }),
    ...row.answers,
  })
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <Stage row={row} /> }),
    history: createMemoryHistory(),
  })
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const keys = userEvent.setup()
  const name = row.opens === undefined ? 'Open it' : new RegExp(`^${row.opens}`)
  const opener = await screen.findByRole(row.opensBy ?? 'button', { name })
  opener.focus()
  await keys.keyboard('{Enter}')
  const dialog = await screen.findByRole('dialog')
  const start = await waitFor(() => {
    const { role, name } = row.field ?? { role: 'button' as const, name: row.leave ?? 'Cancel' }
    const found = within(dialog).getByRole(role, { name })
    expect(found).toHaveFocus()
    return found
  })
  return { api, keys, opener, dialog, start }
}

describe.each(Object.entries(DIALOGS))('the dialog to %s', (_, row) => {
  test('begins where one goes on, and Cancel leads back to what opened it', async () => {
    const { api, keys, opener, dialog } = await open(row)
    const cancel = within(dialog).getByRole('button', { name: row.leave ?? 'Cancel' })
    cancel.focus()
    await keys.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(opener).toHaveFocus())
    const asked = api.requests.filter(
      ({ method, query }) => method !== 'GET' && query.get('dryRun') !== '1',
    )
    expect(asked).toEqual([])
  })

  test('is left with Escape, too', async () => {
    const { keys, opener } = await open(row)
    await keys.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(opener).toHaveFocus())
  })
})

const sending = Object.entries(DIALOGS).filter(([, { sends }]) => sends !== undefined)

test.each(sending)('Enter in the first field of the dialog to %s does it', async (_, row) => {
  const { api, keys, dialog, start } = await open(row)
  if (row.field?.type !== undefined) await keys.type(start, row.field.type)
  // What is asked first, as what a change would do, is answered before.
  await waitFor(() => {
    const submit = within(dialog)
      .getAllByRole('button')
      .filter((one) => one.getAttribute('type') === 'submit')
    expect(submit).toHaveLength(1)
    expect(submit[0]).toBeEnabled()
  })
  start.focus()
  await keys.keyboard(
    start instanceof HTMLTextAreaElement ? '{Control>}{Enter}{/Control}' : '{Enter}',
  )
  const sent = () =>
    api.requests
      .filter(({ query }) => query.get('dryRun') !== '1')
      .map(({ method, path }) => `${method} ${path}`)
  await waitFor(() => expect(sent()).toContain(row.sends))
  expect(screen.getByRole('dialog')).toBeVisible()
})

/** The dimmed page beside the dialog. */
function besideDialog(): Element {
  const found = document.querySelector('.mantine-Modal-overlay')
  if (found === null) throw new Error('the kit names it otherwise now')
  return found
}

const typedIn = Object.entries(DIALOGS).filter(([, { field }]) => field?.type !== undefined)

test.each(typedIn)('a click beside the dialog to %s costs nobody their words', async (_, row) => {
  const { keys, dialog, start } = await open(row)
  await keys.type(start, row.field?.type ?? '')
  await keys.click(besideDialog())
  expect(start).toBeVisible()
  expect(start).toHaveValue(row.field?.type)
  await keys.keyboard('{Escape}')
  await waitFor(() => expect(dialog).not.toBeInTheDocument())
})

test('a click beside a dialog in which nothing was typed leaves it', async () => {
  const row = DIALOGS['cordon a node']
  if (row === undefined) throw new Error('no such row')
  const { keys, dialog } = await open(row)
  await keys.click(besideDialog())
  await waitFor(() => expect(dialog).not.toBeInTheDocument())
})

const shownOnce: Record<string, Row & { submit: string }> = {
  'a one-time password': {
    file: '',
    show: (onClose) => (
      <OneTimePasswordDialog username="bo" password="pwskx-ebdkg" onClose={onClose} />
    ),
    leave: 'Done',
    submit: '',
  },
  'a token for a node': {
    file: '',
    show: (onClose) => <NewTokenDialog node={edge} onClose={onClose} />,
    field: { role: 'combobox', name: 'Good for' },
    answers: { 'POST /enrolment-tokens': () => json(createdToken(), {}, 201) },
    submit: 'Make a token for edge-1',
  },
}

test.each(Object.entries(shownOnce))('%s stays until one is done with it', async (_, row) => {
  const { keys, dialog } = await open(row)
  if (row.submit !== '') {
    await keys.click(within(dialog).getByRole('button', { name: row.submit }))
  }
  const done = await within(dialog).findByRole('button', { name: 'Done' })
  await keys.click(besideDialog())
  await keys.keyboard('{Escape}')
  expect(done).toBeVisible()
  await keys.click(done)
  await waitFor(() => expect(dialog).not.toBeInTheDocument())
})

test('a dialog that is refused keeps what was typed, and the focus in it', async () => {
  const row = DIALOGS['cordon a node']
  if (row === undefined) throw new Error('no such row')
  const refuse = {
    [`PUT /nodes/${edge.id}/cordon`]: () => problem(409, 'conflict', 'Somebody was faster.'),
  }
  const { keys, dialog, start } = await open({ ...row, answers: refuse })
  await keys.type(start, 'A new disk{Enter}')
  expect(await within(dialog).findByText('Somebody was faster.')).toBeVisible()
  expect(start).toHaveValue('A new disk')
  expect(dialog).toContainElement(document.activeElement as HTMLElement)
})

test('what opened a dialog and went with what was done leaves the focus to the page', async () => {
  fakeApi({ [`PUT /nodes/${edge.id}/cordon`]: () => new Response(null, { status: 204 }) })
  function Gone() {
    const [state, setState] = useState<'closed' | 'open' | 'done'>('closed')
    return (
      <main id="main" tabIndex={-1}>
        {state !== 'done' && (
          <button type="button" onClick={() => setState('open')}>
            Cordon
          </button>
        )}
        {state === 'open' && <CordonDialog node={edge} onClose={() => setState('done')} />}
      </main>
    )
  }
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={new QueryClient()}>
        <Gone />
      </QueryClientProvider>
    </MantineProvider>,
  )
  const keys = userEvent.setup()
  await keys.click(screen.getByRole('button', { name: 'Cordon' }))
  await waitFor(() => expect(screen.getByRole('textbox', { name: 'Why' })).toHaveFocus())
  await keys.keyboard('A new disk{Enter}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(screen.getByRole('main')).toHaveFocus())
})

test('every dialog of the console is held to this', () => {
  const features = join(import.meta.dirname, '../features')
  const files = readdirSync(features, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx$/.test(file) && !/\.test\./.test(file))
    .filter((file) =>
      /<(Dialog|DeleteDialog|Modal)\b/.test(readFileSync(join(features, file), 'utf8')),
    )
  const held = new Set(Object.values(DIALOGS).map(({ file }) => file))
  expect(files.filter((file) => !held.has(file))).toEqual([])
  expect(files.length).toBeGreaterThan(15)
})

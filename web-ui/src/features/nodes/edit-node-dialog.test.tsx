// SPDX-License-Identifier: MIT
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { type Handlers, json, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { node, session } from '../../test/samples.ts'

const one = node()
const path = `/nodes/${one.id}`
const noText = { text: null, generation: null, digest: null, releases: [], desiredText: null }

async function openDialog(handlers: Handlers) {
  const api = renderApp(path, {
    [`GET ${path}`]: () => json(one, { etag: '"7"' }),
    [`GET ${path}/effective-config`]: () => json(noText),
    [`GET ${path}/override`]: () => json({ mergePatch: {} }, { etag: '"7"' }),
    ...handlers,
  })
  const user = userEvent.setup()
  await user.click(await screen.findByRole('button', { name: 'Rename or label' }))
  const name = await screen.findByRole('textbox', { name: 'Name' })
  const labels = screen.getByRole('textbox', { name: 'Labels' })
  const save = () => user.click(screen.getByRole('button', { name: 'Save name and labels' }))
  return { api, user, name, labels, save }
}
const patches = (api: Awaited<ReturnType<typeof openDialog>>['api']) =>
  api.requests.filter(({ method, query }) => method === 'PATCH' && query.get('dryRun') === '0')

describe('changing a node’s name and labels', () => {
  test('sends both with the ETag they were read with, and closes', async () => {
    const { api, user, name, labels, save } = await openDialog({
      [`PATCH ${path}`]: () => json({ ...one, name: 'edge-9' }, { etag: '"8"' }),
    })
    expect(labels).toHaveValue('rack=b2')
    await user.clear(name)
    await user.type(name, 'edge-9')
    await user.type(labels, ' site=fra')
    await save()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    const [patch] = patches(api)
    expect(patch?.headers.get('if-match')).toBe('"7"')
    expect(patch?.body).toEqual({ name: 'edge-9', labels: { rack: 'b2', site: 'fra' } })
  })

  test('says in place what is wrong, and sends nothing', async () => {
    const { api, user, name, labels, save } = await openDialog({})
    await user.clear(name)
    await user.type(name, 'Edge 9')
    await user.type(labels, ' site')
    await save()
    expect(name).toHaveAccessibleDescription(/a–z, 0–9/)
    expect(labels).toHaveAccessibleDescription(/"site" is not of the form key=value/)
    expect(patches(api)).toEqual([])
  })

  test('a name that another node has is an error of the field, until it is changed', async () => {
    const { user, name, save } = await openDialog({
      [`PATCH ${path}`]: () => problem(409, 'name_taken', 'Another node is called "edge-2".'),
    })
    await user.clear(name)
    await user.type(name, 'edge-2')
    await save()
    await waitFor(() => expect(name).toHaveAccessibleDescription(/Another node has this name/))
    await user.type(name, '0')
    expect(name).not.toHaveAccessibleDescription(/Another node/)
  })

  test('a change by someone else is shown before it may be replaced', async () => {
    const { api, user, name, save } = await openDialog({
      [`PATCH ${path}`]: () => problem(412, 'precondition_failed', 'It changed meanwhile.'),
    })
    await user.type(name, '-mine')
    await save()
    api.answer({ [`GET ${path}`]: () => json({ ...one, name: 'edge-theirs' }, { etag: '"8"' }) })
    await user.click(await screen.findByRole('button', { name: 'Reload' }))
    expect(await screen.findByText('It is called edge-theirs now')).toBeVisible()
    expect(name).toHaveValue('edge-1-mine')
    api.answer({ [`PATCH ${path}`]: () => json(one, { etag: '"9"' }) })
    await save()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(patches(api).at(-1)?.headers.get('if-match')).toBe('"8"')
  })

  test('is off for who may not, and says why', async () => {
    renderApp(path, {
      'GET /session': () => json({ ...session, permissions: [] }),
      [`GET ${path}`]: () => json(one),
      [`GET ${path}/effective-config`]: () => json(noText),
      [`GET ${path}/override`]: () => json({ mergePatch: {} }, { etag: '"7"' }),
    })
    const button = await screen.findByRole('button', { name: 'Rename or label' })
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(/nodes:write/)
  })
})

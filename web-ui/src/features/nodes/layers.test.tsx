// SPDX-License-Identifier: MIT
// A node's page: its group, what makes its text, and what a change of it would do before it is made.
import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { type ApiRequest, type Handlers, json, never, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { impact, node, rendered, session } from '../../test/samples.ts'

const { id } = node()
const noText = { text: null, generation: null, digest: null, releases: [], desiredText: null }
const override = `/nodes/${id}/override`

function open(handlers: Handlers = {}) {
  return renderApp(`/nodes/${id}`, {
    [`GET /nodes/${id}`]: () => json(node({ group: 'europe' }), { etag: '"7"' }),
    [`GET /nodes/${id}/effective-config`]: () => json(noText),
    [`GET ${override}`]: () => json({ mergePatch: {} }, { etag: '"7"' }),
    ...handlers,
  })
}
const panel = async (name: string) => within(await screen.findByRole('region', { name }))
const isDry = ({ query }: ApiRequest) => query.get('dryRun') === '1'
const answerDry =
  (whole: object, found = impact()) =>
  (request: ApiRequest) =>
    json(isDry(request) ? found : whole, { etag: '"8"' })

describe('how its text is made', () => {
  test('is asked for when somebody wants to know, layer by layer', async () => {
    const api = open({ [`GET /nodes/${id}/rendered`]: () => json(rendered()) })
    const shown = await panel('How its text is made')
    expect(api.requests.some(({ path }) => path.endsWith('/rendered'))).toBe(false)
    await userEvent.click(shown.getByRole('button', { name: 'Show' }))
    expect(await shown.findByText('default v2')).toBeVisible()
    expect(shown.getByText('Override of europe')).toBeVisible()
    expect(shown.getByText('{"workers":2}')).toBeVisible()
    expect(shown.getByText('node.label.zone = eu')).toBeVisible()
    expect(await screen.findByLabelText('What edge-1 would get now')).toBeVisible()
  })

  test('names the variable that has no value, and where it is written', async () => {
    const place = { line: 3, column: 15, endLine: 3, endColumn: 33 }
    const error = { pointer: '/sites/0/root', ...place, code: 'undefined_variable', hint: '' }
    const message = 'the node has no label "zone"'
    open({
      [`GET /nodes/${id}/rendered`]: () =>
        json(rendered({ digest: null, errors: [{ ...error, message }] })),
    })
    const shown = await panel('How its text is made')
    await userEvent.click(shown.getByRole('button', { name: 'Show' }))
    expect(await shown.findByText(/the node has no label "zone"/)).toBeVisible()
    expect(shown.getByRole('link', { name: '/sites/0/root 3:15' })).toBeVisible()
    expect(shown.getByText('none: it has errors')).toBeVisible()
  })

  test('loading, and of a node that nothing was rolled out to', async () => {
    const api = open({ [`GET /nodes/${id}/rendered`]: never })
    const shown = await panel('How its text is made')
    await userEvent.click(shown.getByRole('button', { name: 'Show' }))
    expect(shown.getByRole('status', { name: 'How its text is made: loading' })).toBeVisible()
    api.answer({
      [`GET /nodes/${id}/rendered`]: () => problem(404, 'nothing_assigned', 'Push a version.'),
    })
    await userEvent.click(shown.getByRole('button', { name: 'Hide' }))
    expect(shown.queryByRole('status')).toBeNull()
  })

  test('its group leads to the groups', async () => {
    open()
    expect(await screen.findByRole('link', { name: 'europe' })).toHaveAttribute('href', '/groups')
  })
})

describe('what a change of a node would do', () => {
  const typeOverride = async (text: string) => {
    const field = await screen.findByRole('textbox', { name: /Override of edge-1/ })
    await userEvent.clear(field)
    await userEvent.click(field)
    await userEvent.paste(text)
  }
  const save = () => screen.getByRole('button', { name: 'Save override of 1 node' })

  test('is shown before its override is saved', async () => {
    const mergePatch = { workers: 3 }
    const api = open({
      [`PUT ${override}`]: answerDry(
        { mergePatch },
        impact({ moves: { total: 0, items: [] }, changes: { ...impact().changes, total: 1 } }),
      ),
    })
    await typeOverride('{ "workers": 3 }')
    expect(save()).toBeDisabled()
    const told = await screen.findByText('Saving: 1 node gets another text with the next rollout')
    expect(told).toBeVisible()
    expect(api.requests.filter(({ method }) => method === 'PUT').every(isDry)).toBe(true)
    await userEvent.click(save())
    await waitFor(() => {
      const puts = api.requests.filter((one) => one.method === 'PUT' && !isDry(one))
      expect(puts.map(({ body }) => body)).toEqual([{ mergePatch }])
    })
  })

  test('of its override says so once it is saved, and shows what is there then', async () => {
    const api = open({ [`PUT ${override}`]: answerDry({ mergePatch: { workers: 3 } }) })
    await typeOverride('{"workers":3}')
    await waitFor(() => expect(save()).toBeEnabled())
    const now = { mergePatch: { workers: 3 } }
    api.answer({ [`GET ${override}`]: () => json(now, { etag: '"8"' }) })
    await userEvent.click(save())
    expect(await screen.findByText('Override saved')).toBeVisible()
    expect(screen.getByRole('textbox', { name: /Override of edge-1/ })).toHaveValue(
      JSON.stringify(now.mergePatch, null, 2),
    )
  })

  /** As when one comes back to the tab after a while. */
  const readAnew = async (mergePatch: object, api: ReturnType<typeof open>) => {
    api.answer({ [`GET ${override}`]: () => json({ mergePatch }, { etag: '"9"' }) })
    const reads = () =>
      api.requests.filter(({ method, path }) => method === 'GET' && path === override).length
    const before = reads()
    const later = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000)
    act(() => void window.dispatchEvent(new Event('visibilitychange')))
    await waitFor(() => expect(reads()).toBeGreaterThan(before))
    later.mockRestore()
  }

  test('stays typed when somebody has changed the labels, which share its ETag', async () => {
    const api = open({ [`PUT ${override}`]: answerDry({ mergePatch: {} }) })
    await typeOverride('{ "workers": 3 }')
    await readAnew({}, api)
    await waitFor(() => expect(save()).toBeEnabled())
    await userEvent.click(save())
    const puts = () => api.requests.filter((one) => one.method === 'PUT' && !isDry(one))
    await waitFor(() => expect(puts()).toHaveLength(1))
    expect(puts()[0]?.headers.get('if-match')).toBe('"9"')
    expect(puts()[0]?.body).toEqual({ mergePatch: { workers: 3 } })
  })

  test('stays typed when somebody has changed the override, and is not saved over it', async () => {
    const api = open({ [`PUT ${override}`]: answerDry({ mergePatch: {} }) })
    await typeOverride('{ "workers": 3 }')
    await readAnew({ workers: 5 }, api)
    expect(await screen.findByText('Someone else has changed edge-1')).toBeVisible()
    const field = screen.getByRole('textbox', { name: /Override of edge-1/ })
    expect(field).toHaveValue('{ "workers": 3 }')
    expect(save()).toHaveAccessibleDescription('Reload it first.')
    await userEvent.click(screen.getByRole('button', { name: 'Reload' }))
    await waitFor(() => expect(field).toHaveValue('{\n  "workers": 5\n}'))
  })

  test('that was typed and not saved is asked for when one leaves', async () => {
    open({ [`PUT ${override}`]: answerDry({ mergePatch: {} }) })
    await typeOverride('{ "workers": 3 }')
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.click(dialog.getByRole('button', { name: 'Stay here' }))
    expect(window.location.pathname).toBe(`/nodes/${id}`)
    expect(screen.getByRole('textbox', { name: /Override of edge-1/ })).toHaveValue(
      '{ "workers": 3 }',
    )
    await userEvent.click(screen.getByRole('button', { name: 'Undo changes' }))
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    await waitFor(() => expect(window.location.pathname).toBe('/configs'))
  })

  test('that would be refused says why, and cannot be saved', async () => {
    open({ [`PUT ${override}`]: () => problem(422, 'override_too_large', 'It is too large.') })
    await typeOverride('{ "workers": 3 }')
    expect((await screen.findAllByText('It is too large.'))[0]).toBeVisible()
    expect(save()).toBeDisabled()
  })

  test('is not asked for by who may not change it', async () => {
    const api = open({ 'GET /session': () => json({ ...session, permissions: [] }) })
    await typeOverride('{ "workers": 3 }')
    expect(save()).toHaveAccessibleDescription(/nodes:write/)
    expect(api.requests.some(({ method }) => method === 'PUT')).toBe(false)
  })

  test('is shown while its labels are typed', async () => {
    open({ [`PATCH /nodes/${id}`]: answerDry(node()) })
    await userEvent.click(await screen.findByRole('button', { name: 'Rename or label' }))
    await userEvent.type(await screen.findByRole('textbox', { name: 'Labels' }), ' zone=eu')
    expect(await screen.findByText(/Saving: 1 node changes group/)).toBeVisible()
    expect(screen.getByText(/from default to europe/)).toBeVisible()
  })
})

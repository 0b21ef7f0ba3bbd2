// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, plan, rollout, session, task } from '../../test/samples.ts'

const LOADS_WITHIN_MS = 5000
const soon = { timeout: LOADS_WITHIN_MS }
const one = rollout()
const address = `/rollouts/${one.id}`
const endpoint = `GET /rollouts/${one.id}`
const error = {
  pointer: '/sites/0/root',
  line: 9,
  column: 15,
  endLine: 9,
  endColumn: 30,
  code: 'no_such_folder',
  message: 'there is no folder /srv/wwww',
  hint: '',
}

describe('a rollout', () => {
  test('says its state, why, and what each node does; and goes on live', async () => {
    const api = renderApp(address, { [endpoint]: () => json(one) })
    const state = within(await screen.findByRole('region', { name: 'State of the rollout' }, soon))
    expect(state.getByText('Running')).toBeVisible()
    expect(state.getByText('Waiting for edge-1 to confirm.')).toBeVisible()
    expect(screen.getByText('Applying')).toBeVisible()
    const done = rollout({
      state: 'succeeded',
      tasks: [task({ state: 'done' })],
      endedAt: one.createdAt,
    })
    api.answer({ [endpoint]: () => json(done) })
    sayChanged('rollout')
    expect(await state.findByText('Succeeded')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Freeze/ })).toBeNull()
  })

  test('shows a refusal with its place, which leads into the editor', async () => {
    const refused = task({
      state: 'nacked',
      code: 'semantic',
      message: 'It refused.',
      errors: [error],
    })
    renderApp(address, { [endpoint]: () => json(rollout({ tasks: [refused] })) })
    expect(await screen.findByText('Refused', {}, soon)).toBeVisible()
    const link = screen.getByRole('link', { name: /\/sites\/0\/root 9:15/ })
    expect(link.getAttribute('href')).toContain('/configs/default?pointer=')
    expect(screen.getByText(/there is no folder/)).toBeVisible()
  })

  test('is frozen with the state it was seen in; a stale page is told', async () => {
    const api = renderApp(address, {
      [endpoint]: () => json(one),
      [`POST /rollouts/${one.id}/actions/freeze`]: () =>
        problem(409, 'stale_state', 'It moved on meanwhile.'),
    })
    await userEvent.click(await screen.findByRole('button', { name: /Freeze/ }, soon))
    expect(await screen.findByText(/It moved on meanwhile/)).toBeVisible()
    const post = api.requests.find((request) => request.method === 'POST')
    expect(post?.body).toEqual({ stateVersion: 4 })
  })

  test('by waves shows which one is under way', async () => {
    const waves = [
      { index: 0, nodes: 1, done: 1 },
      { index: 1, nodes: 4, done: 2 },
      { index: 2, nodes: 9, done: 0 },
    ]
    const policy = { ...one.policy, maxParallel: 2, soakSeconds: 120 }
    renderApp(address, { [endpoint]: () => json(rollout({ waves, wave: 1, policy })) })
    const table = within(await screen.findByRole('region', { name: 'Waves' }, soon))
    expect(table.getByText(/at most 2 nodes at a time, each wave watched for 120 s/)).toBeVisible()
    const rows = table.getAllByRole('row').slice(1)
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringMatching(/Through.*1 of 1/),
      expect.stringMatching(/Under way.*2 of 4/),
      expect.stringMatching(/turn has not come.*0 of 9/),
    ])
    const skip = screen.getByRole('button', { name: 'Skip gate' })
    expect(skip).toHaveAccessibleDescription('No gate is being waited for.')
  })

  test('shows what a verdict rests on', async () => {
    const gate = {
      metric: 'firstByteP99' as const,
      max: 1.5,
      verdict: 'fail' as const,
      canary: { nodes: 1, samples: 700, probed: 0, value: 0.09 },
      control: { nodes: 8, samples: 6100, probed: 0, value: 0.04 },
      value: 2.25,
      low: 1.9,
      high: 2.6,
      message: 'first byte p99 is 2.25 times the others’',
    }
    const evidence = {
      wave: 1,
      at: one.createdAt,
      verdict: 'fail' as const,
      message: '',
      gates: [gate],
    }
    renderApp(address, { [endpoint]: () => json(rollout({ evidence })) })
    const panel = within(await screen.findByRole('region', { name: 'Evidence of wave 2' }, soon))
    const [, row] = panel.getAllByRole('row')
    expect(row).toHaveTextContent('First byte p99')
    expect(row).toHaveTextContent('Fails')
    expect(row).toHaveTextContent('2.25 times')
    expect(row).toHaveTextContent('6100')
  })

  test('goes past a gate only with a reason', async () => {
    const waves = [0, 1].map((index) => ({ index, nodes: 1, done: 0 }))
    const soaking = rollout({ waves, phase: 'soaking' })
    const api = renderApp(address, {
      [endpoint]: () => json(soaking),
      [`POST /rollouts/${one.id}/actions/skip-gate`]: () => json(soaking),
    })
    const user = userEvent.setup()
    await user.click(await screen.findByRole('button', { name: 'Skip gate' }, soon))
    const go = await screen.findByRole('button', { name: /without waiting/ })
    expect(go).toBeDisabled()
    await user.type(screen.getByRole('textbox', { name: /Why/ }), 'No traffic at night')
    await user.click(go)
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ stateVersion: 4, reason: 'No traffic at night' })
  })

  test('that is paused can be resumed', async () => {
    const api = renderApp(address, {
      [endpoint]: () => json(rollout({ state: 'paused' })),
      [`POST /rollouts/${one.id}/actions/resume`]: () => json(one),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Resume' }, soon))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ stateVersion: 4 })
  })

  test('loads', async () => {
    renderApp(address, { [endpoint]: never })
    expect(await screen.findByRole('status', { name: 'The rollout: loading' }, soon)).toBeVisible()
  })

  test('may not be there', async () => {
    renderApp(address, { [endpoint]: () => problem(404, 'rollout_not_found', 'No such rollout.') })
    expect(await screen.findByRole('alert', {}, soon)).toHaveTextContent('No such rollout.')
  })
})

describe('the plan', () => {
  const plans = '/rollouts/new?config=default&version=2'
  const answer = (planned: object) => ({
    'POST /rollouts': ({ query }: { query: URLSearchParams }) =>
      query.get('dry_run') === '1' ? json(planned) : json(one, {}, 201),
  })

  test('shows each node before anything happens, then starts', async () => {
    const api = renderApp(plans, { ...answer(plan()), [endpoint]: () => json(one) })
    expect(await screen.findByText('Takes it now', {}, soon)).toBeVisible()
    expect(screen.getByRole('link', { name: 'What differs from v1' })).toBeVisible()
    expect(
      api.requests
        .filter(({ query }) => query.get('dry_run') === null && query.size === 0)
        .filter(({ method }) => method === 'POST'),
    ).toEqual([])
    const user = userEvent.setup()
    await user.type(screen.getByRole('textbox', { name: /Message/ }), 'Now')
    await user.click(screen.getByRole('button', { name: 'Start rollout to 1 node' }))
    expect(
      await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon),
    ).toBeVisible()
    const started = api.requests.filter(
      ({ method, query }) => method === 'POST' && query.size === 0,
    )
    expect(started.map(({ body }) => body)).toEqual([
      { config: 'default', version: 2, message: 'Now' },
    ])
  })

  test.each([
    ['a node would refuse it', plan({ errors: [error] }), /errors on edge-1/],
    ['every node has it', plan({ changes: false }), /nothing to do/],
  ])('cannot be started when %s, and says why', async (_when, planned, why) => {
    renderApp(plans, answer(planned))
    const button = await screen.findByRole('button', { name: /Start rollout/ }, soon)
    expect(button).toBeDisabled()
    expect(button).toHaveAccessibleDescription(why)
  })

  test('says who is left out and why, and is narrowed by a selector', async () => {
    const reason = 'The rollout is only for canary.'
    const who = { nodeId: 'node_2', nodeName: 'edge-2', group: 'default', reason }
    const narrow = { ...plan(), excluded: { total: 1, items: [who] } }
    const api = renderApp(plans, {
      'POST /rollouts': ({ body }) => json(Object(body).selector === 'canary' ? narrow : plan()),
    })
    await screen.findByText('Takes it now', {}, soon)
    expect(screen.getByRole('button', { name: 'Plan again' })).toBeDisabled()
    await userEvent.type(screen.getByRole('textbox', { name: /Only to nodes/ }), 'canary')
    await userEvent.click(screen.getByRole('button', { name: 'Plan again' }))
    expect(await screen.findByText('It does not go to 1 other node')).toBeVisible()
    expect(screen.getByText(`edge-2: ${reason}`)).toBeVisible()
    expect(window.location.search).toContain('selector=canary')
    api.answer({ 'POST /rollouts': () => json(one, {}, 201), [endpoint]: () => json(one) })
    await userEvent.click(screen.getByRole('button', { name: /Start rollout/ }))
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    expect(api.requests.findLast(({ method }) => method === 'POST')?.body).toEqual({
      config: 'default',
      version: 2,
      selector: 'canary',
    })
  })

  test('cannot be started when it is for none of the nodes', async () => {
    const reason = 'Its group europe gets the config edge.'
    const who = { nodeId: 'node_2', nodeName: 'edge-2', group: 'europe', reason }
    renderApp(plans, answer({ ...plan(), nodes: [], excluded: { total: 1, items: [who] } }))
    const button = await screen.findByRole('button', { name: /Start rollout/ }, soon)
    expect(button).toHaveAccessibleDescription('It is for none of the nodes.')
    expect(screen.getByText(`edge-2: ${reason}`)).toBeVisible()
  })

  test('cannot be started while another is under way, and leads there', async () => {
    renderApp(plans, { ...answer(plan()), 'GET /rollouts': () => json(page(one)) })
    expect(
      await screen.findByRole('link', { name: 'Look at the one under way' }, soon),
    ).toBeVisible()
    expect(screen.getByRole('button', { name: /Start rollout/ })).toBeDisabled()
  })

  test('is only looked at by who may not start it', async () => {
    renderApp(plans, {
      ...answer(plan()),
      'GET /session': () => json({ ...session, permissions: [] }),
    })
    const button = await screen.findByRole('button', { name: /Start rollout/ }, soon)
    expect(button).toHaveAccessibleDescription(/rollouts:run/)
  })
})

describe('the rollouts', () => {
  test('are listed with state and progress', async () => {
    renderApp('/rollouts', { 'GET /rollouts': () => json(page(one)) })
    expect(await screen.findByRole('link', { name: 'default v2' })).toBeVisible()
    expect(screen.getByText('0 of 1')).toBeVisible()
  })
  test('may be none', async () => {
    renderApp('/rollouts')
    expect(await screen.findByText('Nothing has been rolled out yet')).toBeVisible()
  })
  test('may fail', async () => {
    renderApp('/rollouts', { 'GET /rollouts': () => problem(403, 'not_allowed', 'Not yours.') })
    expect(await screen.findByRole('alert')).toHaveTextContent('Not yours.')
  })
})

// SPDX-License-Identifier: MIT
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { NodeTask, RolloutTasks } from '../../lib/api-types.ts'
import { type Handlers, json, never, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { config, node, page, rollout, session, task, tasksOf, wave } from '../../test/samples.ts'
import { soon } from '../../test/soon.ts'

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

const rows = `${endpoint}/tasks`
/** The rollout of these nodes, with them. */
const of = (tasks: NodeTask[], change: Parameters<typeof rollout>[0] = {}): Handlers => ({
  [endpoint]: () => json(rollout({ ...change, tasks })),
  [rows]: () => json(tasksOf(...tasks)),
})

const entry = (id: number, action: string, actor: string | null) => ({
  id,
  at: one.createdAt,
  kind: 'rollout',
  object: one.id,
  action,
  actor,
  by: 'service',
  via: 'service',
  tokenId: null,
  requestId: null,
  address: null,
})

describe('a rollout', () => {
  test.each([
    [1, true],
    [2, false],
  ])('that followed v%i of v2 leads to what changes: %s', async (previousVersion, leads) => {
    renderApp(address, { [endpoint]: () => json(rollout({ previousVersion })) })
    await screen.findByRole('region', { name: 'State of the rollout' }, soon)
    expect(screen.queryByRole('link', { name: /^What changes from/ }) !== null).toBe(leads)
  })

  test('says its state, why, and what each node does; and goes on live', async () => {
    const api = renderApp(address, { [endpoint]: () => json(one) })
    const state = within(await screen.findByRole('region', { name: 'State of the rollout' }, soon))
    expect(state.getByText('Running')).toBeVisible()
    expect(state.getByText('Waiting for edge-1 to confirm.')).toBeVisible()
    expect(await screen.findByText('Applying')).toBeVisible()
    api.answer(of([task({ state: 'done' })], { state: 'succeeded', endedAt: one.createdAt }))
    sayChanged('rollout')
    expect(await state.findByText('Succeeded')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Freeze/ })).toBeNull()
  })

  test('counts down what ends by time, and not what stands', async () => {
    const timer = { isRunning: true, node: null } as const
    const timers = [
      { ...timer, kind: 'soak' as const, leftSeconds: 90 },
      { ...timer, kind: 'progress' as const, leftSeconds: 599, isRunning: false },
    ]
    renderApp(address, { [endpoint]: () => json(rollout({ timers })) })
    const [soak, progress] = await screen.findAllByRole('timer', {}, soon)
    await waitFor(() => expect(soak).toHaveTextContent(/^1 min 2\d s$/), soon)
    expect(progress).toHaveTextContent('9 min 59 s')
  })

  test('says in a sentence what moves a paused one on, and what each button does', async () => {
    const paused = rollout({
      ...{ state: 'paused', reasonCode: 'gate_failed', previousVersion: 1 },
      headline: 'The share of 5xx is higher; it goes on only when somebody skips the gate.',
      reason: 'The share of 5xx is higher. Resume watches its nodes anew.',
      tasks: [task({ state: 'healthy' })],
    })
    renderApp(address, { [endpoint]: () => json(paused) })
    const state = within(await screen.findByRole('region', { name: 'State of the rollout' }, soon))
    expect(state.getByText(/^The share of 5xx is higher; it goes on/)).toBeVisible()
    expect(state.getByRole('button', { name: 'Revert' })).toHaveAccessibleDescription(
      '1 node gets v1 again; the others never had v2.',
    )
    expect(state.getByRole('button', { name: 'Resume' })).toHaveAccessibleDescription(
      /watched anew/,
    )
  })

  test('a change while it is first fetched is seen, and not what the answer says', async () => {
    const answer = Promise.withResolvers<Response>()
    const api = renderApp(address, { [endpoint]: () => answer.promise })
    const asked = (path: string) => api.requests.filter((request) => request.path === path).length
    await waitFor(() => expect(asked(`/rollouts/${one.id}`)).toBe(1), soon)
    await waitFor(() => expect(asked('/farm/summary')).toBe(1), soon)
    sayChanged('rollout')
    // What else is of this kind was asked for again: it was heard.
    await waitFor(() => expect(asked('/farm/summary')).toBe(2), soon)
    api.answer({ [endpoint]: () => json(rollout({ state: 'succeeded', tasks: [] })) })
    answer.resolve(json(one))
    const state = within(await screen.findByRole('region', { name: 'State of the rollout' }, soon))
    expect(await state.findByText('Succeeded')).toBeVisible()
  })

  test('shows a refusal with its place, which leads into the editor', async () => {
    const refused = task({
      state: 'nacked',
      code: 'semantic',
      message: 'It refused.',
      errors: [error],
    })
    renderApp(address, of([refused]))
    expect(await screen.findByText('Refused', {}, soon)).toBeVisible()
    const link = screen.getByRole('link', { name: /\/sites\/0\/root 9:15/ })
    expect(link.getAttribute('href')).toContain('/configs/default?pointer=')
    expect(screen.getByText(/there is no folder/)).toBeVisible()
  })

  test('says who is skipped for a cordon, or will be, apart from the others', async () => {
    const skipped = task({
      ...{ nodeId: 'node_2', nodeName: 'edge-2', state: 'skipped', code: 'cordoned' },
      message: 'cordoned by ben: new disk',
    })
    const next = task({ nodeId: 'node_3', nodeName: 'edge-3', state: 'pending', isCordoned: true })
    const offered = task({ isCordoned: true })
    renderApp(address, of([offered, skipped, next], { cordonedNodes: 1 }))
    expect(await screen.findByText('1 cordoned node skipped.', {}, soon)).toBeVisible()
    expect(await screen.findByText(/cordoned by ben: new disk/, {}, soon)).toBeVisible()
    expect(screen.getByText(/left out when its turn comes/)).toBeVisible()
    const marks = ['edge-1', 'edge-2', 'edge-3'].map((name) => {
      const line = screen.getByRole('link', { name }).closest('tr') as HTMLElement
      return within(line).queryAllByText('Cordoned').length
    })
    expect(marks).toEqual([0, 1, 1])
  })

  test('is frozen with the state it was seen in; a stale page is told', async () => {
    const api = renderApp(address, {
      [endpoint]: () => json(one),
      [`POST /rollouts/${one.id}/actions/freeze`]: () =>
        problem(409, 'stale_state', 'It moved on meanwhile.'),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Freeze…' }, soon))
    const dialog = within(await screen.findByRole('dialog', {}, soon))
    expect(
      dialog.getByText(/can’t be undone.*nodes that are not of it keep what they have/s),
    ).toBeVisible()
    expect(api.requests.filter(({ method }) => method === 'POST')).toEqual([])
    await userEvent.click(dialog.getByRole('button', { name: 'Freeze' }))
    expect(await screen.findByText(/It moved on meanwhile/)).toBeVisible()
    const post = api.requests.find((request) => request.method === 'POST')
    expect(post?.body).toEqual({ stateVersion: 4 })
  })

  test('that has more nodes to go to says before freezing that two versions stay', async () => {
    const more = ['b', 'c'].map((nodeId) => task({ nodeId, nodeName: nodeId, state: 'pending' }))
    renderApp(address, of([task({ state: 'healthy' }), ...more]))
    await userEvent.click(await screen.findByRole('button', { name: 'Freeze…' }, soon))
    const dialog = within(await screen.findByRole('dialog', {}, soon))
    expect(
      dialog.getByText(
        /1 node keeps v2, 2 others keep what they have: the farm stays on two versions until another rollout/,
      ),
    ).toBeVisible()
  })

  test('gives the nodes back what they had, offered beside freezing', async () => {
    const api = renderApp(address, {
      ...of([task({ state: 'healthy' }), task({ nodeId: 'b' })]),
      [`POST /rollouts/${one.id}/actions/revert`]: () => json(one),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Freeze…' }, soon))
    await userEvent.click(
      await screen.findByRole('button', { name: /^Instead, give \d nodes? v1 again/ }, soon),
    )
    await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
    const post = api.requests.find(({ method }) => method === 'POST')
    expect(post?.path).toMatch(/revert$/)
  })

  describe('that was frozen', () => {
    const left = task({ nodeId: 'b', nodeName: 'edge-2', state: 'done' })
    /** With these of its nodes running its version still. */
    const frozen = (running: RolloutTasks, change = {}): Handlers => ({
      [endpoint]: () =>
        json(rollout({ state: 'frozen', tasks: [task({ state: 'skipped' }), left], ...change })),
      [rows]: ({ query }) =>
        json(query.has('running') ? running : tasksOf(task({ state: 'skipped' }), left)),
    })

    test('says that the farm is on two versions, and gives those nodes the other again', async () => {
      const api = renderApp(address, {
        ...frozen(tasksOf(left)),
        'POST /rollouts': () => json(rollout({ id: 'rollout_back' })),
      })
      expect(await screen.findByText('The farm is on two versions', {}, soon)).toBeVisible()
      expect(screen.getByText(/1 of 2 nodes runs default v2: edge-2\./)).toBeVisible()
      await userEvent.click(screen.getByRole('button', { name: 'Give 1 node v1 again' }))
      await expect.poll(() => api.requests.some(({ method }) => method === 'POST')).toBe(true)
      const post = api.requests.find(({ method }) => method === 'POST')
      expect(post?.body).toMatchObject({ config: 'default', version: 1, nodes: ['b'] })
    })

    test('leaves two versions, too, when it was for some nodes only and all of them run it', async () => {
      renderApp(address, frozen(tasksOf(left), { tasks: [left], namesNodes: true }))
      expect(await screen.findByText('The farm is on two versions', {}, soon)).toBeVisible()
    })

    test('on more nodes than an order names says how to give them the other', async () => {
      const many = Array.from({ length: 1001 }, (_, i) => ({ ...left, nodeId: `n${i}` }))
      renderApp(address, frozen({ ...tasksOf(...many), total: 4000 }))
      const give = await screen.findByRole('button', { name: 'Give 4,000 nodes v1 again' }, soon)
      expect(give).toHaveAccessibleDescription(/names at most 1000 nodes/)
    })
  })

  test('calls nobody healthy whose wave fails its gate', async () => {
    renderApp(address, of([task({ state: 'healthy', code: 'gate_failed' })]))
    expect(await screen.findByText('Fails its gate', {}, soon)).toBeVisible()
    expect(screen.queryByText('Healthy')).toBeNull()
    expect(screen.getByText('0 of 1 node done')).toBeVisible()
  })

  test('by waves shows which one is under way', async () => {
    const waves = [
      wave({ index: 0, done: 1 }),
      wave({ index: 1, nodes: 4, done: 2 }),
      wave({ index: 2, nodes: 9 }),
    ]
    const policy = { ...one.policy, maxParallel: 2, soakSeconds: 120 }
    renderApp(address, { [endpoint]: () => json(rollout({ waves, wave: 1, policy })) })
    const table = within(await screen.findByRole('region', { name: 'Waves' }, soon))
    expect(table.getByText(/at most 2 nodes at a time, each wave watched for 120 s/)).toBeVisible()
    const steps = table.getAllByRole('listitem')
    expect(steps.map((step) => step.textContent)).toEqual([
      expect.stringMatching(/1 of 1.*Passed/),
      expect.stringMatching(/2 of 4.*Under way/),
      expect.stringMatching(/0 of 9.*Not started yet/),
    ])
    expect(steps.map((step) => step.getAttribute('aria-current'))).toEqual([null, 'step', null])
    const skip = screen.getByRole('button', { name: 'Skip gate' })
    expect(skip).toHaveAccessibleDescription('No gate is being waited for.')
  })

  test('shows what a verdict rests on', async () => {
    const gate = {
      metric: 'firstByteP99' as const,
      max: 1.5,
      verdict: 'fail' as const,
      canary: { nodes: 1, samples: 700, probed: 300, value: 0.09 },
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
    expect(row).toHaveTextContent('90 ms700 requests, 1 node')
    expect(row).toHaveTextContent('40 ms6,100 requests, 8 nodes')
    expect(row).toHaveTextContent('2.25 times1.9 to 2.6≤ 1.5 times')
    expect(within(row as HTMLElement).getAllByText(/^with \d+ probes?$/)).toHaveLength(1)
    expect(row).toHaveTextContent('with 300 probes')
    expect(panel.getByText(/^First byte p99 is 2.25 times the others’\.$/)).toBeVisible()
  })

  test('says how long a wave has been watched, and for what it waits then', async () => {
    const waves = [0, 1].map((index) => wave({ index }))
    const policy = { ...one.policy, soakSeconds: 120, maxSoakSeconds: 900 }
    const soaking = rollout({ waves, policy, phase: 'soaking', soakedSeconds: 40.4 })
    const api = renderApp(address, { [endpoint]: () => json(soaking) })
    const strip = within(await screen.findByRole('region', { name: 'Waves' }, soon))
    expect(strip.getByText('40 of 120 s')).toBeVisible()
    api.answer({ [endpoint]: () => json({ ...soaking, soakedSeconds: 130 }) })
    sayChanged('rollout')
    expect(await strip.findByText('130 s, waiting for evidence until 900 s')).toBeVisible()
  })

  test('tells what happened from the audit, and why on request', async () => {
    const entries = [
      entry(7, 'paused', task().nodeId),
      entry(6, 'task-nacked', 'node_1'),
      entry(5, 'task-acked', 'node_2'),
      entry(4, 'skip-gate', 'ana'),
      entry(3, 'wave-1', null),
      entry(1, 'created', 'ana'),
    ]
    const data = { from: 'running', to: 'paused', cause: 'nacked', reason: 'edge-1 refused it.' }
    const api = renderApp(address, {
      'GET /session': () => json({ ...session, permissions: ['audit:read', 'rollouts:run'] }),
      [endpoint]: () => json(one),
      'GET /audit': () => json(page(...entries)),
      [`GET /nodes/${task().nodeId}`]: () => json(node()),
      'GET /audit/7': () => json({ ...entries[0], data, previousHash: '', hash: '' }),
    })
    const panel = within(await screen.findByRole('region', { name: 'History' }, soon))
    await panel.findByText('Paused')
    await panel.findByRole('link', { name: node().name })
    expect(panel.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Paused.*by edge-1/),
      '2 steps of nodes',
      expect.stringMatching(/^Gone on without waiting.*by ana/),
      expect.stringMatching(/^Wave 2 begins/),
      expect.stringMatching(/^Ordered.*by ana/),
    ])
    const asked = api.requests.find(({ path }) => path === '/audit')?.query
    expect([asked?.get('kind'), asked?.get('object')]).toEqual(['rollout', one.id])
    await userEvent.click(panel.getByRole('button', { name: 'Show why: Paused' }))
    expect(await panel.findByText('edge-1 refused it.')).toBeVisible()
  })

  test('keeps what happened from who may not read the audit', async () => {
    renderApp(address, { [endpoint]: () => json(one) })
    const panel = within(await screen.findByRole('region', { name: 'History' }, soon))
    expect(panel.getByText(/needs the permission audit:read/)).toBeVisible()
  })

  test('goes past a gate only with a reason', async () => {
    const waves = [0, 1].map((index) => wave({ index }))
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

  test('says how far nodes are with the files that go first, and who refused them', async () => {
    const refusal = { code: 'resource_limit', message: 'no room for them' }
    const filesFirst = {
      ...{ isOver: false, heldNodes: 5, waitingNodes: 2, refusedNodes: 12, otherNodes: 1 },
      refusals: [{ nodeId: 'node_1', nodeName: 'edge-7', ...refusal }],
    }
    const waiting = rollout({ phase: 'files', filesFirst })
    renderApp(address, { [endpoint]: () => json(waiting) })
    const panel = within(await screen.findByRole('region', { name: 'Files first' }, soon))
    expect(panel.getByRole('progressbar', { name: '5 of 19 nodes have all files' })).toBeVisible()
    expect(panel.getByText('2 nodes')).toBeVisible()
    expect(panel.getByText('12 nodes refused them')).toBeVisible()
    expect(panel.getByText(/no room for them/)).toBeVisible()
    expect(panel.getByText('and 11 more nodes')).toBeVisible()
    // Also where there is one wave only.
    expect(screen.getByRole('button', { name: 'Do not wait for files' })).toBeEnabled()
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

  test('that awaits approval says who agreed, and is approved with its plan’s digest', async () => {
    const asked = rollout({
      state: 'awaiting_approval',
      author: 'bob',
      approvals: [{ by: 'eve', at: one.createdAt }],
      approvalsNeeded: 2,
    })
    const api = renderApp(address, {
      'GET /session': () => json({ ...session, permissions: ['rollouts:approve'] }),
      [endpoint]: () => json(asked),
      [`POST /rollouts/${one.id}/actions/approve`]: () => json(asked),
    })
    const waits = within(await screen.findByRole('region', { name: 'It has not begun' }, soon))
    expect(waits.getByText('eve')).toBeVisible()
    expect(waits.getByText('1 more person must agree')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Pause' })).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Approve this plan' }))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ stateVersion: 4, planDigest: one.planDigest })
  })

  test('is rejected with a reason only', async () => {
    const asked = rollout({ state: 'awaiting_approval', author: 'bob', approvalsNeeded: 1 })
    const api = renderApp(address, {
      'GET /session': () => json({ ...session, permissions: ['rollouts:approve'] }),
      [endpoint]: () => json(asked),
      [`POST /rollouts/${one.id}/actions/reject`]: () => json(asked),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Reject' }, soon))
    const dialog = within(await screen.findByRole('dialog'))
    expect(dialog.getByRole('button', { name: 'Reject this rollout' })).toBeDisabled()
    await userEvent.type(dialog.getByRole('textbox', { name: /Why/ }), 'Not on Friday')
    await userEvent.click(dialog.getByRole('button', { name: 'Reject this rollout' }))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ stateVersion: 4, reason: 'Not on Friday' })
  })

  test('is not approved by who ordered it', async () => {
    const own = rollout({ state: 'awaiting_approval', approvalsNeeded: 1 })
    renderApp(address, {
      'GET /session': () => json({ ...session, permissions: ['rollouts:approve'] }),
      [endpoint]: () => json(own),
    })
    const button = await screen.findByRole('button', { name: 'Approve this plan' }, soon)
    expect(button).toHaveAccessibleDescription('You ordered it. Somebody else must approve it.')
  })

  test('that is queued leads to what it waits for, and can be cancelled', async () => {
    const other = 'rollout_01jd4q6v2m8w3x5y7z9abcdefh'
    const queued = rollout({ state: 'queued', blockedBy: [other], startAt: one.createdAt })
    const api = renderApp(address, {
      [endpoint]: () => json(queued),
      'GET /rollouts': () => json(page(rollout({ id: other, version: 3 }))),
      [`POST /rollouts/${one.id}/actions/cancel`]: () => json(queued),
    })
    const link = await screen.findByRole('link', { name: 'default v3' }, soon)
    expect(link).toHaveAttribute('href', `/rollouts/${other}`)
    expect(screen.getByText('Not before')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: /^Cancel/ }))
    await expect
      .poll(() => api.requests.find(({ method }) => method === 'POST')?.body)
      .toEqual({ stateVersion: 4 })
  })

  test('that waits for some asks for those alone, and names one that it may not read by nothing', async () => {
    const other = 'rollout_01jd4q6v2m8w3x5y7z9abcdefh'
    const gone = 'rollout_01jd4q6v2m8w3x5y7z9abcdefj'
    const queued = rollout({ state: 'queued', blockedBy: [other, gone] })
    const api = renderApp(address, {
      [endpoint]: () => json(queued),
      'GET /rollouts': () => json(page(rollout({ id: other, config: 'shop', version: 3 }))),
    })
    const link = await screen.findByRole('link', { name: 'shop v3' }, soon)
    expect(link).toHaveAttribute('href', `/rollouts/${other}`)
    const unnamed = screen.getByRole('link', { name: 'Another rollout' })
    expect(unnamed).toHaveAttribute('href', `/rollouts/${gone}`)
    expect(api.requests.flatMap(({ query }) => query.get('ids') ?? [])).toEqual([
      `${other},${gone}`,
    ])
  })

  test('that ended before it began is ordered again by one click', async () => {
    const ended = rollout({ state: 'cancelled', startedAt: null, selector: 'zone=eu' })
    renderApp(address, { [endpoint]: () => json(ended) })
    const link = await screen.findByRole('link', { name: 'Order again' }, soon)
    const search = new URL(link.getAttribute('href') ?? '', 'http://console').searchParams
    expect(Object.fromEntries(search)).toEqual({
      config: 'default',
      version: '2',
      again: one.id,
      selector: 'zone=eu',
    })
  })

  test('that has begun is not', async () => {
    renderApp(address, { [endpoint]: () => json(rollout({ state: 'succeeded' })) })
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    expect(screen.queryByRole('link', { name: 'Order again' })).toBeNull()
  })

  test('says that it is on the fast path, and what that leaves out', async () => {
    renderApp(address, { [endpoint]: () => json(rollout({ isFastPath: true })) })
    expect(await screen.findByText(/^Fast path: .* gates that only pause/, {}, soon)).toBeVisible()
  })

  test('says that it is an emergency, and why', async () => {
    renderApp(address, { [endpoint]: () => json(rollout({ emergency: 'Keys leaked' })) })
    expect(await screen.findByText('Emergency: “Keys leaked”', {}, soon)).toBeVisible()
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

describe('the rollouts', () => {
  test('are listed with state and progress', async () => {
    renderApp('/rollouts', { 'GET /rollouts': () => json(page(one)) })
    expect(await screen.findByRole('link', { name: 'default v2' })).toBeVisible()
    expect(screen.getByText('0 of 1')).toBeVisible()
  })
  test('lead back from the last one of each config, and from no older one', async () => {
    const done = { state: 'succeeded', endedAt: one.createdAt } as const
    const all = page(
      rollout({ ...done, id: 'rollout_3', version: 3, previousVersion: 2 }),
      rollout({ ...done, id: 'rollout_2', version: 2, previousVersion: 1 }),
      rollout({ ...done, id: 'rollout_m', config: 'mirror', version: 8, previousVersion: 7 }),
    )
    const permissions = [...session.permissions, 'rollouts:run']
    const api = renderApp('/rollouts', {
      'GET /session': () => json({ ...session, permissions }),
      'GET /rollouts': () => json(all),
    })
    const back = await screen.findAllByRole('link', { name: /^Back to v/ }, { timeout: 20_000 })
    expect(back.map((link) => link.getAttribute('href'))).toEqual([
      '/rollouts/new?config=default&version=2&backFrom=3',
      '/rollouts/new?config=mirror&version=7&backFrom=8',
    ])
    // What is left out may be newer.
    api.answer({ 'GET /rollouts': () => json(all) })
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'State' }), 'succeeded')
    await waitFor(() => expect(screen.queryByRole('link', { name: /^Back to v/ })).toBeNull(), soon)
  }, 40_000)

  test('are narrowed by state, config and who ordered them, and the address says so', async () => {
    const api = renderApp('/rollouts?author=ana', {
      'GET /rollouts': () => json(page(one)),
      'GET /configs': () => json(page(config({ name: 'edge' }))),
    })
    const user = userEvent.setup()
    await user.selectOptions(await screen.findByRole('combobox', { name: 'State' }, soon), 'frozen')
    await user.click(screen.getByRole('combobox', { name: 'Config' }))
    await user.click(await screen.findByRole('option', { name: 'edge' }, soon))
    const last = () => api.requests.findLast(({ path }) => path === '/rollouts')?.query.toString()
    await waitFor(() => expect(last()).toBe('limit=100&state=frozen&config=edge&author=ana'), soon)
    const address = new URLSearchParams(window.location.search)
    expect([address.get('state'), address.get('config')]).toEqual(['frozen', 'edge'])
    api.answer({ 'GET /rollouts': () => json(page()) })
    await user.type(screen.getByRole('textbox', { name: 'By' }), 'x')
    await user.click(await screen.findByRole('button', { name: 'Show all rollouts' }, soon))
    expect(screen.getByRole('textbox', { name: 'By' })).toHaveValue('')
  })
  test('of long ago come when they are asked for', async () => {
    renderApp('/rollouts', {
      'GET /rollouts': ({ query }) =>
        query.get('cursor') === 'more'
          ? json(page(rollout({ id: 'rollout_old', version: 1 })))
          : json({ items: [one], nextCursor: 'more' }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Show older rollouts' }, soon))
    expect(await screen.findByRole('link', { name: 'default v1' })).toBeVisible()
    expect(screen.getByRole('link', { name: 'default v2' })).toBeVisible()
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

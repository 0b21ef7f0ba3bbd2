// SPDX-License-Identifier: MIT
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RolloutPlan, Session } from '../../lib/api-types.ts'
import { type ApiRequest, json, never, problem } from '../../test/fake-api.ts'
import {
  answer,
  byWaves,
  endpoint,
  error,
  isOrder,
  one,
  plans,
  policy,
  soon,
} from '../../test/plan-answers.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import {
  config,
  page,
  plan,
  plannedNode,
  planOf,
  rollout,
  session,
  task,
  version,
} from '../../test/samples.ts'

const found = (number: number) => version({ number, message: `What v${number} brings` })
const toChoose = {
  'GET /configs': () => json(page(config())),
  'GET /configs/default/versions': () => json(page(found(2), found(1))),
}

describe('a new rollout', () => {
  test.each(['/rollouts/new', '/rollouts/new?config=default', '/rollouts/new?config=a&version=x'])(
    '%s lets one choose, and plans nothing in its place',
    async (address) => {
      const api = renderApp(address, {
        ...toChoose,
        'GET /configs/a/versions': () => json(page()),
      })
      expect(await screen.findByRole('heading', { name: 'New rollout' }, soon)).toBeVisible()
      expect(await screen.findByRole('button', { name: 'Show the plan' })).toBeVisible()
      expect(api.requests.filter(({ method }) => method === 'POST')).toEqual([])
    },
  )

  test('of the only config and its newest version is one click; an older one is chosen', async () => {
    const user = userEvent.setup()
    renderApp('/rollouts/new?selector=zone%3Deu', { ...toChoose, ...answer(plan()) })
    expect(await screen.findByText(/saved by ana.*What v2 brings/, {}, soon)).toBeVisible()
    await user.click(screen.getByRole('combobox', { name: 'Version' }))
    await user.click(await screen.findByRole('option', { name: /^v1/ }))
    expect(screen.getByText(/saved by ana.*What v1 brings/)).toBeVisible()
    await user.click(screen.getByRole('button', { name: 'Show the plan' }))
    await expect
      .poll(() => window.location.search)
      .toBe('?config=default&version=1&selector=zone%3Deu')
  })

  test('of another config has nothing of the one before, while its versions are read', async () => {
    const user = userEvent.setup()
    renderApp('/rollouts/new?config=default', {
      ...toChoose,
      'GET /configs': () => json(page(config(), config({ name: 'shop' }))),
      'GET /configs/shop/versions': never,
    })
    expect(await screen.findByText(/saved by ana.*What v2 brings/, {}, soon)).toBeVisible()
    await user.click(screen.getByRole('combobox', { name: 'Config' }))
    await user.click(await screen.findByRole('option', { name: 'shop' }))
    expect(await screen.findByText('Its versions are being read…')).toBeVisible()
    expect(screen.queryByText(/What v2 brings/)).toBeNull()
  })

  test('whose versions can’t be read is not said to have none', async () => {
    renderApp('/rollouts/new?config=default', {
      ...toChoose,
      'GET /configs/default/versions': () => problem(400, 'odd', 'It is odd.'),
    })
    expect(await screen.findByText('Its versions could not be read.', {}, soon)).toBeVisible()
  })

  test('of nothing says what to make first', async () => {
    renderApp('/rollouts/new', { 'GET /configs': () => json(page()) })
    expect(await screen.findByText(/no config to roll out yet/, {}, soon)).toBeVisible()
    expect(screen.getByRole('link', { name: 'Show the configs' })).toBeVisible()
  })

  test('of a config without a version says why there is no plan', async () => {
    renderApp('/rollouts/new?config=default', {
      ...toChoose,
      'GET /configs/default/versions': () => json(page()),
    })
    expect(await screen.findByText('default has no saved version.', {}, soon)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Show the plan' })).toBeDisabled()
  })
})

describe('the way back to a version', () => {
  test('says from which one and starts nothing by itself', async () => {
    const user = userEvent.setup()
    const api = renderApp(`${plans}&backFrom=3`, { ...answer(plan()), [endpoint]: () => json(one) })
    expect(await screen.findByText(/takes the nodes back from v3 to v2/, {}, soon)).toBeVisible()
    const orders = () =>
      api.requests.filter((request) => isOrder(request) && request.query.size === 0)
    await user.click(await screen.findByRole('button', { name: 'Start rollout to 1 node' }))
    await expect
      .poll(() => orders().map(({ body }) => body))
      .toMatchObject([{ config: 'default', version: 2, message: 'Back from v3 to v2' }])
  })

  test('is left without a word when nothing was typed', async () => {
    renderApp(`${plans}&backFrom=3`, { ...answer(plan()), 'GET /configs': () => json(page()) })
    await screen.findByRole('button', { name: 'Start rollout to 1 node' }, soon)
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    await expect.poll(() => window.location.pathname).toBe('/configs')
  })
})

describe('the plan of what is not there', () => {
  test('says so, with nothing to fill in', async () => {
    renderApp('/rollouts/new?config=nope&version=9', {
      'POST /rollouts': () => problem(404, 'version_not_found', 'There is no version 9 of "nope".'),
    })
    expect(await screen.findByText('There is no v9 of nope', {}, soon)).toBeVisible()
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(screen.queryByRole('button', { name: /Start|Emergency/ })).toBeNull()
  })
})

describe('the plan', () => {
  test('does not say that a node goes from a version to the same one', async () => {
    renderApp(plans, answer(plan({ changes: false, fromVersion: 2 })))
    const row = await screen.findByRole('row', { name: /edge-1/ }, soon)
    expect(within(row).getByText('v2')).toBeVisible()
    expect(within(row).getByText('the same')).toBeVisible()
  })

  test('of an order that is made again is filled in as that was', async () => {
    const waves = [{ nodes: 1 }, { percent: 100 }]
    const gates = [{ metric: 'errors5xx' as const, max: 0.02, onFail: 'pause' as const }]
    const strategy = { waves, gates, soakSeconds: 30, onFailure: 'freeze' as const }
    const before = rollout({ state: 'cancelled', namesNodes: true, strategy })
    const api = renderApp(`${plans}&again=${one.id}`, {
      ...answer(plan()),
      [endpoint]: () => json(before),
    })
    expect(await screen.findByText('Takes it now', {}, soon)).toBeVisible()
    const asked = api.requests.filter(isOrder).map(({ body }) => body)
    expect(asked).toContainEqual({
      ...{ config: 'default', version: 2, strategy },
      nodes: [task().nodeId],
    })
  })

  test('shows each node before anything happens, then starts', async () => {
    const api = renderApp(plans, { ...answer(plan()), [endpoint]: () => json(one) })
    expect(await screen.findByText('Takes it now', {}, soon)).toBeVisible()
    expect(screen.getByRole('link', { name: 'What differs from v1' })).toBeVisible()
    expect(
      api.requests
        .filter(({ query }) => query.get('dryRun') === null && query.size === 0)
        .filter(isOrder),
    ).toEqual([])
    const user = userEvent.setup()
    await user.type(screen.getByRole('textbox', { name: /Message/ }), 'Now')
    await user.click(screen.getByRole('button', { name: 'Start rollout to 1 node' }))
    expect(
      await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon),
    ).toBeVisible()
    const started = api.requests.filter((request) => isOrder(request) && request.query.size === 0)
    expect(started.map(({ body }) => body)).toEqual([
      {
        config: 'default',
        version: 2,
        strategy: {},
        message: 'Now',
        planDigest: plan().planDigest,
      },
    ])
  })

  test.each([
    ['a node would refuse it', plan({ errors: [error] }), /errors on edge-1/],
    ['every node has it', plan({ changes: false }), /nothing to do/],
    [
      'all it would change are cordoned',
      plan({ cordon: { by: 'ben', at: one.createdAt, reason: 'New disk' } }),
      /is cordoned/,
    ],
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
    expect(api.requests.findLast(isOrder)?.body).toEqual({
      config: 'default',
      version: 2,
      selector: 'canary',
      strategy: {},
      planDigest: plan().planDigest,
    })
  })

  test('brings the versions of releases that are chosen, beside what is current', async () => {
    const versions = [41, 40, 39].map((number) => ({ number, message: `Made ${number}` }))
    const brings = (number: number) => ({
      ...plan(),
      releases: [
        {
          ...{ name: 'www', number, manifest: 'b'.repeat(64), changes: null },
          before: { number: 40, manifest: 'a'.repeat(64) },
        },
      ],
    })
    const api = renderApp(plans, {
      'GET /releases/www/versions': () => json(page(...versions)),
      'POST /rollouts': ({ body }) => json(brings(Object(body).releases?.www ?? 40)),
    })
    const field = await screen.findByRole('combobox', { name: 'Version of www' }, soon)
    await waitFor(() => expect(field).toHaveValue('v40: Made 40'))
    expect(field).toHaveAccessibleDescription('v40 was brought to all nodes last')
    await userEvent.click(field)
    await userEvent.click(await screen.findByRole('option', { name: 'v41: Made 41' }))
    expect(await screen.findByText('with www v40 → v41')).toBeVisible()
    expect(api.requests.findLast(isOrder)?.body).toMatchObject({ releases: { www: 41 } })
    expect(decodeURIComponent(window.location.search)).toContain('releases={"www":41}')
  })

  test('cannot be started when it is for none of the nodes', async () => {
    const reason = 'Its group europe gets the config edge.'
    const who = { nodeId: 'node_2', nodeName: 'edge-2', group: 'europe', reason }
    renderApp(plans, answer(planOf([], { excluded: { total: 1, items: [who] } })))
    const button = await screen.findByRole('button', { name: /Start rollout/ }, soon)
    expect(button).toHaveAccessibleDescription('It is for none of the nodes.')
    expect(screen.getByText(`edge-2: ${reason}`)).toBeVisible()
  })

  describe('that nodes will refuse', () => {
    const refusal = {
      ...error,
      code: 'policy',
      message: '"/srv/wwww" is not what this machine’s policy allows (serve: "/srv/www")',
    }
    const who = { nodeId: plannedNode().nodeId, nodeName: 'edge-1' }
    const others = Array.from({ length: 9 }, (_, i) => ({
      nodeId: `node_${i}`,
      nodeName: `web-${i}`,
    }))
    const them = { total: 120, items: [who, ...others] }
    const log = { ...refusal, pointer: '/accessLog/path', line: 12 }
    const policyRefusals: RolloutPlan['policyRefusals'] = {
      nodes: 120,
      findings: {
        total: 2,
        items: [
          { error: refusal, nodes: them },
          { error: log, nodes: them },
        ],
      },
      unchecked: 0,
      unavailable: null,
    }
    const refused = { ...plan({ willRefuse: true }), policyRefusals }

    test('says who, where and why, and starts only when that is agreed to', async () => {
      const api = renderApp(plans, { ...answer(refused), [endpoint]: () => json(one) })
      const alert = await screen.findByRole('alert', {}, soon)
      expect(alert).toHaveTextContent('120 nodes will refuse it')
      expect(alert).toHaveTextContent(/edge-1, web-0, .*, web-8 and 110 more/)
      expect(alert).toHaveTextContent(refusal.message)
      expect(within(alert).getAllByRole('link', { name: 'edge-1' })).toHaveLength(1)
      const place = within(alert).getByRole('link', { name: '/sites/0/root 9:15' })
      expect(place).toHaveAttribute('href', expect.stringContaining('/configs/default?'))
      expect(screen.getByText('Will refuse it')).toBeVisible()
      expect(screen.getByText('not allowed on its machine')).toBeVisible()
      const go = screen.getByRole('button', { name: /Start rollout/ })
      expect(go).toBeDisabled()
      expect(go).toHaveAccessibleDescription(/120 nodes will refuse it: tick/)
      await userEvent.click(
        screen.getByRole('checkbox', { name: /although 120 nodes will refuse/ }),
      )
      await userEvent.click(go)
      await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
      expect(api.requests.filter((one) => isOrder(one) && one.query.size === 0)).toHaveLength(1)
    })

    test('is agreed to anew when others refuse by then', async () => {
      const api = renderApp(plans, answer(refused))
      const agree = await screen.findByRole('checkbox', { name: /although 120/ }, soon)
      await userEvent.click(agree)
      expect(screen.getByRole('button', { name: /Start rollout/ })).toBeEnabled()
      api.answer(answer({ ...refused, policyRefusals: { ...policyRefusals, nodes: 121 } }))
      sayChanged('rollout')
      expect(await screen.findByRole('checkbox', { name: /although 121/ }, soon)).not.toBeChecked()
      expect(screen.getByRole('button', { name: /Start rollout/ })).toBeDisabled()
    })

    test('asks the same of an emergency', async () => {
      const permissions: Session['permissions'] = ['rollouts:run', 'rollouts:emergency']
      renderApp(plans, {
        ...answer(refused),
        'GET /session': () => json({ ...session, permissions }),
      })
      await userEvent.click(await screen.findByRole('button', { name: 'Emergency…' }, soon))
      const dialog = within(await screen.findByRole('dialog'))
      const agree = await dialog.findByRole('checkbox', { name: /although 120 nodes/ }, soon)
      await userEvent.type(dialog.getByRole('textbox', { name: 'Why' }), 'Keys leaked')
      const go = dialog.getByRole('button', { name: 'Start it now' })
      expect(go).toBeDisabled()
      await userEvent.click(agree)
      expect(go).toBeEnabled()
    })

    test.each([
      [null, /too many different texts and policies .* of 7 nodes it was not asked/],
      ['it is gone', /could not be asked about 7 nodes: it is gone\./],
    ])('may not be known: %s', async (unavailable, why) => {
      const nothing = { nodes: 0, findings: { total: 0, items: [] } }
      const unknown = { ...plan(), policyRefusals: { ...nothing, unchecked: 7, unavailable } }
      renderApp(plans, answer(unknown))
      const title = 'Not known of 7 nodes whether they refuse'
      expect(await screen.findByText(title, {}, soon)).toBeVisible()
      expect(screen.getByText(why)).toBeVisible()
      expect(screen.getByRole('button', { name: /Start rollout/ })).toBeEnabled()
    })
  })

  test('waits behind another that is not over, or takes its place, and leads there', async () => {
    const api = renderApp(plans, {
      ...answer(plan()),
      'GET /rollouts': () => json(page(one)),
      [endpoint]: () => json(one),
    })
    const link = await screen.findByRole('link', { name: 'default v2' }, soon)
    expect(link).toHaveAttribute('href', `/rollouts/${one.id}`)
    const overlap = screen.getByRole('combobox', { name: /another rollout has the same nodes/ })
    expect(overlap).toHaveValue('queue')
    await userEvent.selectOptions(overlap, 'supersede')
    await userEvent.click(screen.getByRole('button', { name: /Start rollout/ }))
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    const started = api.requests.find((request) => isOrder(request) && request.query.size === 0)
    expect(started?.body).toMatchObject({ onOverlap: 'supersede' })
  })

  test('says what it would wait for, and leads to who is in the way', async () => {
    const closedWindow = 'No change window is open: the next opens Mon 2030-01-07 22:00 (UTC).'
    const waits = { ...plan(), approvalsNeeded: 2, blockedBy: [one.id], closedWindow }
    renderApp(plans, { ...answer(waits), 'GET /rollouts': () => json(page(one)) })
    expect(await screen.findByText('It will not begin at once', {}, soon)).toBeVisible()
    expect(screen.getByText('2 other people must agree.')).toBeVisible()
    expect(screen.getByText(closedWindow)).toBeVisible()
    const name = `${one.config} v${one.version}`
    const [link] = await screen.findAllByRole('link', { name }, soon)
    expect(link).toHaveAttribute('href', `/rollouts/${one.id}`)
    cleanup()
    renderApp(plans, answer(plan()))
    await screen.findByText('Takes it now', {}, soon)
    expect(screen.queryByText('It will not begin at once')).toBeNull()
  })

  test('begins at a time by the browser’s clock', async () => {
    const api = renderApp(plans, { ...answer(plan()), [endpoint]: () => json(one) })
    const field = await screen.findByLabelText(/Not before/, {}, soon)
    fireEvent.change(field, { target: { value: '2030-01-02T03:04' } })
    await userEvent.click(screen.getByRole('button', { name: /Start rollout/ }))
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    const started = api.requests.find((request) => isOrder(request) && request.query.size === 0)
    const startAt = new Date('2030-01-02T03:04').toISOString()
    expect(started?.body).toMatchObject({ startAt })
  })

  test('in an emergency starts another plan, with a reason only', async () => {
    const permissions: Session['permissions'] = ['rollouts:run', 'rollouts:emergency']
    const digest = `sha256:${'e'.repeat(64)}`
    const api = renderApp(plans, {
      'GET /session': () => json({ ...session, permissions }),
      'POST /rollouts': ({ query, body }) => {
        if (query.get('dryRun') !== '1') return json(one, {}, 201)
        return json(Object(body).emergency ? { ...byWaves, planDigest: digest } : plan())
      },
      [endpoint]: () => json(one),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Emergency…' }, soon))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByText(/2 waves, at most 1 node/)).toBeVisible()
    const go = dialog.getByRole('button', { name: 'Start it now' })
    expect(go).toHaveAccessibleDescription('Give a reason first.')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Why' }), 'Keys leaked')
    await userEvent.click(go)
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    const started = api.requests.filter((request) => isOrder(request) && request.query.size === 0)
    expect(started.map(({ body }) => body)).toEqual([
      {
        config: 'default',
        version: 2,
        strategy: {},
        emergency: { reason: 'Keys leaked' },
        planDigest: digest,
      },
    ])
  })

  test('is not made for who may not order it, and says so', async () => {
    const { requests } = renderApp(plans, {
      ...answer(plan()),
      'GET /session': () => json({ ...session, permissions: [] }),
    })
    expect(await screen.findByText(/needs the permission rollouts:run/, {}, soon)).toBeVisible()
    expect(requests.filter(({ method }) => method === 'POST')).toEqual([])
  })

  test('by waves shows which node comes when, and what is between two configs at once', async () => {
    renderApp(plans, answer(byWaves))
    expect(await screen.findByText(/2 waves, at most 1 node \(50 %\)/, {}, soon)).toBeVisible()
    const groups = screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
    expect(groups).toEqual(['Wave 1: 1 node', 'Wave 2: 1 node'])
    await userEvent.click(screen.getByText(/Limits and gates of this rollout/))
    expect(screen.getByText(/5xx answers: at most 1 % worse .*take it back/)).toBeVisible()
    expect(screen.getByText('120 s', { exact: false })).toBeVisible()
  })

  test('on the fast path says so; probes and times of the steps are in what holds', async () => {
    const probes = [{ host: 'www.example.org', path: '/' }, { path: '/img/logo.png' }]
    const fast = { ...byWaves, isFastPath: true, policy: { ...policy, probes } }
    renderApp(plans, answer(fast))
    expect(await screen.findByText(/^Fast path: the version succeeded/, {}, soon)).toBeVisible()
    await userEvent.click(screen.getByText(/Limits and gates of this rollout/))
    expect(screen.getByText('www.example.org/')).toBeVisible()
    expect(screen.getByText('the node’s address/img/logo.png')).toBeVisible()
    expect(screen.getByText('30 s', { exact: false })).toHaveTextContent(/until the node runs it/)
  })

  test('counts cordoned nodes apart, and none of them is in a wave', async () => {
    const cordon = { by: 'ben', at: one.createdAt, reason: 'New disk' }
    const skipped = plannedNode({ nodeId: 'node_2', nodeName: 'edge-2', wave: 1, cordon })
    renderApp(plans, answer(planOf([plannedNode(), skipped], { waves: 2 })))
    expect(await screen.findByText('2 nodes, 1 will change', {}, soon)).toBeVisible()
    expect(screen.getByText('1 node cordoned, and skipped')).toBeVisible()
    expect(screen.getByText('Skipped: 1 node')).toBeVisible()
    expect(screen.getByText('Skipped because cordoned')).toBeVisible()
  })

  test('says which node was changed by hand: it would refuse every version', async () => {
    renderApp(plans, answer(plan({ isDrifted: true })))
    expect(await screen.findByText('1 node changed by hand', {}, soon)).toBeVisible()
    expect(screen.getByText('Changed by hand')).toBeVisible()
  })

  test('of ten thousand nodes draws few of them, and has the others when they are asked for', async () => {
    const heights = vi.spyOn(HTMLElement.prototype, 'offsetHeight', 'get').mockReturnValue(36)
    onTestFinished(() => heights.mockRestore())
    const NODES = 10_000
    const nodeAt = (i: number) =>
      plannedNode({ nodeId: `node_${i}`, nodeName: `web-${i}`, wave: i < 100 ? 0 : 1 })
    const nodes = Array.from({ length: NODES }, (_, i) => nodeAt(i))
    const whole = planOf(nodes, { waves: 2, policy })
    const pageFrom = (from: number, limit: number) => ({
      total: NODES,
      items: nodes.slice(from, from + limit),
      nextCursor: from + limit < NODES ? String(from + limit) : null,
    })
    const api = renderApp(plans, {
      ...answer({ ...whole, nodes: pageFrom(0, 50) }),
      [`GET /rollouts/plans/${encodeURIComponent(whole.planDigest)}/nodes`]: ({
        query,
      }: ApiRequest) => json(pageFrom(Number(query.get('cursor')), Number(query.get('limit')))),
    })
    expect(await screen.findByText('10,000 nodes, 10,000 will change', {}, soon)).toBeVisible()
    expect(screen.getByText('Wave 1: 100 nodes')).toBeVisible()
    expect(screen.getByText(/v2 goes to 100 nodes of 10,000 first/)).toBeVisible()
    const asked = () =>
      api.requests.filter(({ path }) => /^\/rollouts\/plans\/.*\/nodes$/.test(path))
    expect(asked()).toEqual([])
    const more = screen.getByRole('button', { name: 'Show more of 10,000 nodes' })
    for (const pages of [1, 2]) {
      await userEvent.click(more)
      await expect.poll(() => asked().length).toBe(pages)
      await expect.poll(() => more.hasAttribute('disabled')).toBe(false)
    }
    expect(asked().map(({ query }) => query.get('cursor'))).toEqual(['50', '550'])
    expect(document.querySelectorAll('*').length).toBeLessThan(2_000)
  })

  test('refused as another by now is made again, and nothing was started', async () => {
    const api = renderApp(plans, {
      'POST /rollouts': ({ query }) =>
        query.get('dryRun') === '1'
          ? json(plan())
          : problem(409, 'plan_changed', 'The order was for another plan.'),
    })
    await userEvent.click(await screen.findByRole('button', { name: /Start rollout/ }, soon))
    expect(await screen.findByText(/The order was for another plan/)).toBeVisible()
    const planned = () => api.requests.filter(({ query }) => query.get('dryRun') === '1').length
    await expect.poll(planned).toBe(2)
  })
})

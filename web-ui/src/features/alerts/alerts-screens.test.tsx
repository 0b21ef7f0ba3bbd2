// SPDX-License-Identifier: MIT
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Alert, AlertPreview, AlertRule, AlertSilence } from '../../lib/api-types.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { alert, node, nodesPage, page, session } from '../../test/samples.ts'
import { alertVerdict, conditionWords, ruleVerdict, silenceOf } from './rules.ts'

const permissions = ['alerts:read', 'alerts:handle', 'alerts:write']
const at = new Date().toISOString()
const { id } = alert()
const ruleId = 'rule_01jd4q6v2m8w3x5y7z9abcdefg'

const rule = (change: Partial<AlertRule> = {}): AlertRule => ({
  ...{ id: ruleId, name: 'Node silent', description: '', enabled: true, severity: 'critical' },
  ...{ appliesTo: 'farm', condition: { kind: 'node-silent' }, forSeconds: 120 },
  ...{ keepFiringSeconds: 60, failing: null, createdAt: at, createdBy: 'farmstead' },
  ...change,
})
const silence: AlertSilence = {
  ...{ id: 'silence_01jd4q6v2m8w3x5y7z9abcdefg', ruleId, selector: 'zone=eu', reason: 'new disks' },
  ...{ until: at, createdAt: at, createdBy: 'ana' },
}
const hour = (n: number) => new Date(1_800_000_000_000 + n * 3600_000).toISOString()
const preview: AlertPreview = {
  ...{ from: hour(0), to: hour(168), lookEverySeconds: 60, lookedAt: 1, subjects: 1 },
  ...{ fired: 1, pendingOnly: 1, stepSeconds: 3600, times: [1_800_000_000, 1_800_003_600] },
  ...{ values: [0.002, 0.3], firing: [0, 1] },
  alerts: [
    {
      subject: { kind: 'node', id: 'node_01jd4q6v2m8w3x5y7z9abcdefg', name: 'edge-1' },
      ...{ pendingSince: hour(1), firingSince: hour(2), overAt: hour(3), worst: 0.3 },
    },
    {
      subject: { kind: 'node', id: 'node_01jd4q6v2m8w3x5y7z9abcdefh', name: 'edge-2' },
      ...{ pendingSince: hour(0), firingSince: null, overAt: hour(1), worst: 0.2 },
    },
  ],
}
const answers = (...alerts: Alert[]) => ({
  'GET /session': () => json({ ...session, permissions }),
  'GET /alerts': () => json(page(...alerts)),
  'GET /alert-rules': () => json(page(rule())),
  'GET /alert-silences': () => json(page(silence)),
})
const asked = (api: ReturnType<typeof renderApp>, method: string) =>
  api.requests.filter((one) => one.method === method)

describe('alerts', () => {
  test('what fires is shown, and acknowledged', async () => {
    const api = renderApp('/alerts', {
      ...answers(alert({ isWithoutData: true, silencedUntil: at })),
      [`POST /alerts/${id}/actions/acknowledge`]: () => json(alert({ acknowledgedBy: 'ana' })),
    })
    const table = await screen.findByRole('region', { name: 'Alerts, table' })
    expect(within(table).getByText('Critical')).toBeVisible()
    expect(within(table).getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(within(table).getByText(/No data has arrived since.*Silenced until/)).toBeVisible()
    api.answer({ 'GET /alerts': () => json(page(alert({ acknowledgedBy: 'ben' }))) })
    await userEvent.click(screen.getByRole('button', { name: 'Acknowledge Node silent: edge-1' }))
    await userEvent.type(await screen.findByLabelText(/^Comment/), 'on it{Enter}')
    expect(await screen.findByText('ben')).toBeVisible()
    expect(asked(api, 'POST').map(({ body }) => body)).toEqual([{ comment: 'on it' }])
  })

  test('what may be done stands below what fires where there is no room beside it', async () => {
    vi.stubGlobal('matchMedia', (media: string) => ({
      ...{ matches: media.includes('max-width'), media },
      ...{ addEventListener: () => {}, removeEventListener: () => {} },
    }))
    renderApp('/alerts', answers(alert(), alert({ id: 'other', acknowledgedBy: 'ben' })))
    const table = await screen.findByRole('region', { name: 'Alerts, table' })
    expect(within(table).getAllByRole('columnheader')).toHaveLength(3)
    const what = within(table).getAllByRole('row').slice(1)
    const [open, acknowledged] = what.map((row) => within(row).getAllByRole('cell')[1])
    expect(open).toContainElement(
      within(table).getByRole('button', { name: 'Acknowledge Node silent: edge-1' }),
    )
    expect(acknowledged).toHaveTextContent('Acknowledged by ben')
  })

  test('one that begins while the page is open is shown', async () => {
    const api = renderApp('/alerts', answers())
    expect(await screen.findByText('No alert is firing')).toBeVisible()
    api.answer({ 'GET /alerts': () => json(page(alert())) })
    sayChanged('alert')
    expect(await screen.findByRole('link', { name: 'edge-1' })).toBeVisible()
  })

  test('that are pending are asked for again; those that are over change by events only', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onTestFinished(() => void vi.useRealTimers())
    const api = renderApp('/alerts?state=resolved', answers())
    const askedFor = (state: string) =>
      api.requests.filter(({ path, query }) => path === '/alerts' && query.get('state') === state)
    expect(await screen.findByText('No alert has fired yet')).toBeVisible()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(askedFor('resolved')).toHaveLength(1)
    await userEvent.click(screen.getByRole('link', { name: 'Pending' }))
    expect(await screen.findByText('No alert is pending')).toBeVisible()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(askedFor('pending').length).toBeGreaterThan(1)
  })

  test('are silenced with a reason and an end, and a silence is ended', async () => {
    const api = renderApp('/alerts', {
      ...answers(),
      'POST /alert-silences': () => json(silence, {}, 201),
      [`DELETE /alert-silences/${silence.id}`]: () => new Response(null, { status: 204 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Silence' }))
    expect(await screen.findByText('Choose a rule, or name nodes.')).toBeVisible()
    await userEvent.type(screen.getByLabelText('Only nodes with labels (optional)'), 'zone=eu')
    await userEvent.type(screen.getByLabelText('Why'), 'new disks')
    await userEvent.click(screen.getByRole('button', { name: 'Silence' }))
    await expect
      .poll(() => asked(api, 'POST').map(({ body }) => body))
      .toEqual([{ selector: 'zone=eu', reason: 'new disks', until: expect.any(String) }])
    await userEvent.click(screen.getByRole('button', { name: 'End the silence: new disks' }))
    await expect.poll(() => asked(api, 'DELETE').length).toBe(1)
  })

  test('are silenced from their row until a time of one’s own', async () => {
    const api = renderApp('/alerts', {
      ...answers(alert()),
      'POST /alert-silences': () => json(silence, {}, 201),
    })
    await userEvent.click(
      await screen.findByRole('button', { name: 'Silence Node silent: edge-1' }),
    )
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.selectOptions(dialog.getByLabelText('For'), 'until a time you choose')
    await userEvent.click(dialog.getByRole('button', { name: 'Silence' }))
    expect(await dialog.findByText('Choose a time in the future.')).toBeVisible()
    await userEvent.type(dialog.getByLabelText('Why'), 'new disks')
    fireEvent.change(dialog.getByLabelText('Until'), { target: { value: '2100-01-01T10:00' } })
    await userEvent.click(dialog.getByRole('button', { name: 'Silence' }))
    await expect
      .poll(() => asked(api, 'POST').map(({ body }) => body))
      .toEqual([{ ruleId, reason: 'new disks', until: new Date('2100-01-01T10:00').toISOString() }])
  })

  test('a silence says what it is about, also of a rule that is gone', async () => {
    renderApp('/alerts', { ...answers(), 'GET /alert-rules': () => json(page()) })
    expect(await screen.findByText('A deleted rule, nodes with zone=eu')).toBeVisible()
  })

  test('are silenced by who has the whole farm only', async () => {
    const user = { ...session.user, scope: 'zone=eu' }
    renderApp('/alerts', {
      ...answers(),
      'GET /session': () => json({ ...session, user, permissions }),
    })
    expect(await screen.findByText(/a silence concerns the whole farm/)).toBeVisible()
  })
})

describe('rules of alerts', () => {
  test('one is turned off with the ETag it has, and tried', async () => {
    const path = `/alert-rules/${ruleId}`
    const api = renderApp('/settings/alert-rules', {
      ...answers(),
      [`GET ${path}`]: () => json(rule(), { etag: '"4"' }),
      [`PATCH ${path}`]: () => json(rule({ enabled: false }), { etag: '"5"' }),
      [`POST ${path}/actions/test`]: () => json({ eventId: 4711 }),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Turn off: Node silent' }))
    await expect
      .poll(() => asked(api, 'PATCH').map(({ body }) => body))
      .toEqual([{ enabled: false }])
    expect(asked(api, 'PATCH')[0]?.headers.get('if-match')).toBe('"4"')
    await userEvent.click(screen.getByRole('button', { name: 'Send a test: Node silent' }))
    expect(await screen.findByText(/as event 4711/)).toBeVisible()
  })

  const path = `/alert-rules/${ruleId}`
  const measured = rule({
    condition: {
      ...{ kind: 'measurement', each: 'node', by: 'quantile:total:0.99', comparison: 'above' },
      ...{ threshold: 0.1, windowSeconds: 300, minRequests: 50 },
    },
  })

  test('one is made: what is missing is said at its field, and when it would have fired is shown', async () => {
    const api = renderApp('/settings/alert-rules/new', {
      ...answers(),
      'POST /alert-rules': () => json(measured, { etag: '"1"' }, 201),
      [`GET ${path}`]: () => json(measured, { etag: '"1"' }),
      'POST /alert-rules/preview': () => json(preview),
    })
    await userEvent.click(await screen.findByRole('button', { name: 'Create rule' }))
    expect(await screen.findByText('Some fields need attention')).toBeVisible()
    expect(screen.getByLabelText('Threshold (ms)')).toBeInvalid()
    await userEvent.type(screen.getByLabelText('Name'), 'Slow')
    await userEvent.type(screen.getByLabelText('Threshold (ms)'), '100')
    await userEvent.click(screen.getByRole('button', { name: 'Preview' }))
    expect(await screen.findByText('It would have fired once')).toBeVisible()
    const table = screen.getByRole('region', { name: 'Previewed alerts, table' })
    expect(within(table).getByText('edge-1')).toBeVisible()
    expect(within(table).getByText('300 ms')).toBeVisible()
    expect(within(table).getByText('not for long enough')).toBeVisible()
    await userEvent.type(screen.getByLabelText('Threshold (ms)'), '0')
    expect(await screen.findByText('The rule has changed since this preview')).toBeVisible()
    expect(screen.queryByText('It would have fired once')).toBeNull()
    await userEvent.type(screen.getByLabelText('Threshold (ms)'), '{Backspace}')
    expect(await screen.findByText('It would have fired once')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Create rule' }))
    await expect.poll(() => asked(api, 'POST').length).toBe(2)
    const [looked, made] = asked(api, 'POST').map(({ body }) => body)
    const condition = {
      ...{ kind: 'measurement', each: 'node', by: 'quantile:total:0.99', comparison: 'above' },
      ...{ threshold: 0.1, windowSeconds: 300, minRequests: 50 },
    }
    expect(looked).toMatchObject({ condition, appliesTo: 'farm', days: 7, forSeconds: 300 })
    expect(made).toMatchObject({ name: 'Slow', condition, appliesTo: 'farm', enabled: true })
    expect(await screen.findByRole('heading', { name: 'Node silent' })).toBeVisible()
  })

  test('one is changed with the ETag it was shown with, and deleted', async () => {
    const api = renderApp(`/settings/alert-rules/${ruleId}`, {
      ...answers(),
      [`GET ${path}`]: () => json(measured, { etag: '"4"' }),
      [`PATCH ${path}`]: () => problem(412, 'precondition_failed', 'It was changed.'),
      [`DELETE ${path}`]: () => new Response(null, { status: 204 }),
    })
    const threshold = await screen.findByLabelText('Threshold (ms)')
    expect(threshold).toHaveValue('100')
    const tabs = within(screen.getByRole('navigation', { name: 'Settings' }))
    const tab = tabs.getByRole('link', { name: 'Alert rules' })
    expect(tab).toHaveAttribute('aria-current', 'page')
    expect(tabs.getByRole('link', { name: 'Overview' })).not.toHaveAttribute('aria-current')
    await userEvent.clear(threshold)
    await userEvent.type(threshold, '250')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await expect.poll(() => asked(api, 'PATCH').length).toBe(1)
    expect(asked(api, 'PATCH')[0]?.headers.get('if-match')).toBe('"4"')
    expect(asked(api, 'PATCH')[0]?.body).toMatchObject({ condition: { threshold: 0.25 } })
    expect(await screen.findByText(/Someone else has changed this rule/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Delete 1 rule' }))
    await expect.poll(() => asked(api, 'DELETE').length).toBe(1)
    expect(asked(api, 'DELETE')[0]?.headers.get('if-match')).toBe('"4"')
    expect(await screen.findByRole('heading', { name: 'Alert rules' })).toBeVisible()
  })

  test('one of states has no preview, and a name that is taken is said at its field', async () => {
    renderApp(`/settings/alert-rules/${ruleId}`, {
      ...answers(),
      [`GET ${path}`]: () => json(rule(), { etag: '"4"' }),
      [`PATCH ${path}`]: () => problem(409, 'alert_rule_exists', '"Node silent" is taken.'),
    })
    expect(await screen.findByText(/There is no preview/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('"Node silent" is taken.')).toBeVisible()
    expect(screen.getByLabelText('Name')).toBeInvalid()
  })

  test('of one node has its name, in the list and in the form', async () => {
    const { id: nodeId, name } = node()
    const own = rule({ appliesTo: `node:${nodeId}` })
    renderApp('/settings/alert-rules', {
      ...answers(),
      'GET /alert-rules': () => json(page(own)),
      [`GET ${path}`]: () => json(own, { etag: '"4"' }),
      [`GET /nodes/${nodeId}`]: () => json(node()),
      // It is none of the first that are found.
      'GET /nodes': () => json(nodesPage()),
    })
    const table = within(await screen.findByRole('region', { name: 'Rules, table' }))
    expect(await table.findByRole('link', { name })).toHaveAttribute('href', `/nodes/${nodeId}`)
    await userEvent.click(table.getByRole('link', { name: 'Node silent' }))
    const field = await screen.findByRole('combobox', { name: 'Node' })
    await waitFor(() => expect(field).toHaveValue(name))
  })

  test('are said in words', () => {
    const rare = rule({
      condition: {
        ...{ kind: 'measurement', each: 'node', by: 'rate:responses5xx', comparison: 'above' },
        ...{ threshold: 0.005, windowSeconds: 300 },
      },
      forSeconds: 0,
    })
    expect(conditionWords(rare)).toBe(
      'A node’s rate of 5xx answers over 5 min is above 0.005 a second',
    )
    expect(conditionWords(rule())).toBe('A node is silent for 2 min')
    expect(
      conditionWords(
        rule({
          condition: {
            ...{
              kind: 'measurement',
              each: 'node',
              by: 'gauge:diskUsedRatio',
              comparison: 'above',
            },
            ...{ threshold: 0.9, windowSeconds: 300 },
          },
          forSeconds: 0,
        }),
      ),
    ).toBe('A node’s disk used over 5 min is above 90 %')
    expect(
      conditionWords(
        rule({ condition: { kind: 'burn-rate', objective: 0.999, slowerThanSeconds: 0.05 } }),
      ),
    ).toMatch(/^The error budget of 99\.9 % of requests within 50 ms over 30 days/)
  })

  test('and alerts have a shape and a word', () => {
    expect(ruleVerdict({ enabled: true, failing: 'no group' }).label).toBe('Can’t be checked')
    expect(ruleVerdict({ enabled: false, failing: null }).label).toBe('Off')
    expect(alertVerdict({ state: 'firing', severity: 'warning' }).shape).toBe('triangle')
    expect(alertVerdict({ state: 'resolved', severity: 'warning' }).label).toBe('Resolved')
  })
})

test('a silence is about something, has a reason and an end to come', () => {
  const draft = { ruleId, selector: ' ', reason: ' x ', span: '8', until: '' }
  expect(silenceOf(draft, 0)).toEqual({
    ok: true,
    silence: { ruleId, reason: 'x', until: '1970-01-01T08:00:00.000Z' },
  })
  const wrong = { ...draft, ruleId: '', reason: ' ', span: 'own', until: '1970-01-01T00:00' }
  const refused = silenceOf(wrong, 86_400_000)
  expect(!refused.ok && Object.keys(refused.troubles)).toEqual(['ruleId', 'reason', 'until'])
})

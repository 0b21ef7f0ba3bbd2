// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { AuditDetail, AuditEntry, AuditVerification } from '../../lib/api-types.ts'
import { json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { node, page, session } from '../../test/samples.ts'
import { soon } from '../../test/soon.ts'

const auditor = { ...session, permissions: ['audit:read'] }
const signedIn = { 'GET /session': () => json(auditor) }

function entry(change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: 7, at: new Date().toISOString(), kind: 'node', object: node().id },
    ...{ objectName: node().name, actorName: null },
    ...{ action: 'override-changed', actor: 'ana', by: 'people', via: 'session' },
    ...{ tokenId: null, requestId: 'req_1', address: '192.0.2.7' },
    ...change,
  }
}
const detail: AuditDetail = {
  ...entry(),
  data: { before: { a: 1 }, after: { a: 2 }, note: 'why' },
  previousHash: '1'.repeat(64),
  hash: '2'.repeat(64),
}
const verification = (change: Partial<AuditVerification> = {}): AuditVerification => ({
  ...{ state: 'never', rows: 0, headId: 0, head: '0'.repeat(64) },
  ...{ brokenAt: null, reason: null, checkedAt: null },
  ...change,
})
const answers = {
  ...signedIn,
  'GET /audit': () => json(page(entry())),
  'GET /audit/7': () => json(detail),
  'GET /audit/verification': () => json(verification()),
}

describe('the audit', () => {
  test('says who did what to what, and leads there', async () => {
    renderApp('/audit', answers)
    const table = await screen.findByRole('region', { name: 'The audit, table' })
    expect(within(table).getByRole('link', { name: 'node override changed' })).toBeVisible()
    expect(await within(table).findByRole('link', { name: 'edge-1' })).toHaveAttribute(
      'href',
      `/nodes/${node().id}`,
    )
    expect(within(table).getByText('ana')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Audit' })).toBeVisible()
  })

  test('asks for people’s doings at first; filters stand in the address and in the export', async () => {
    const api = renderApp('/audit?q=cache', answers)
    await screen.findByRole('region', { name: 'The audit, table' })
    const asked = () => api.requests.filter(({ path }) => path === '/audit').at(-1)?.query
    expect(Object.fromEntries(asked() ?? [])).toMatchObject({ by: 'people', q: 'cache' })
    expect(asked()?.get('without')).toBe('draft-changed')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Each change of a draft' }))
    await expect.poll(() => asked()?.get('without')).toBeNull()
    await userEvent.type(screen.getByLabelText('Who'), 'ana{Enter}')
    await expect.poll(() => asked()?.get('actor')).toBe('ana')
    await userEvent.selectOptions(screen.getByLabelText('Done by'), 'Everybody')
    await expect.poll(() => asked()?.get('by')).toBeNull()
    expect(window.location.search).toMatch(/by=all/)
    expect(screen.getByRole('link', { name: 'CSV' }).getAttribute('href')).toMatch(
      /audit\/export\?actor=ana&q=cache&format=csv$/,
    )
  })

  test('looks further back when there is more', async () => {
    renderApp('/audit', {
      ...answers,
      'GET /audit': ({ query }) =>
        query.get('cursor') === 'more'
          ? json(page(entry()))
          : json({ items: [], nextCursor: 'more' }),
    })
    expect(await screen.findByText('None among the newest entries')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Look further back' }))
    expect(await screen.findByRole('link', { name: 'node override changed' })).toBeVisible()
  })

  test.each([
    ['/audit/7', 'audit:read'],
    ['/settings/webhooks/webhook_1', 'webhooks:read'],
  ])('%s says which permission it needs, and asks for nothing', async (address, permission) => {
    const nobody = { ...session, permissions: [] }
    const { requests } = renderApp(address, { 'GET /session': () => json(nobody) })
    const why = new RegExp(`needs the permission ${permission}\\.`)
    expect(await screen.findByText(why, {}, soon)).toBeVisible()
    expect(requests.filter(({ path }) => /audit|webhooks/.test(path))).toEqual([])
  })

  test('is not shown to who may not read it', async () => {
    renderApp('/audit', { 'GET /session': () => json({ ...session, permissions: [] }) })
    expect(await screen.findByText('You may not read the audit')).toBeVisible()
    expect(screen.queryByRole('link', { name: 'Audit' })).toBeNull()
  })
})

describe('an entry', () => {
  test('shows what was and what is, the details and the hash', async () => {
    renderApp('/audit/7', answers)
    expect(await screen.findByRole('heading', { name: 'node override changed' })).toBeVisible()
    expect(await screen.findByText('Before')).toBeVisible()
    expect(screen.getByText(/"note": "why"/)).toBeVisible()
    expect(screen.getByText(detail.hash)).toBeVisible()
    expect(screen.getByText('192.0.2.7')).toBeVisible()
  })
})

describe('the verification', () => {
  test('is begun, followed, and gives the head to note', async () => {
    const head = 'a'.repeat(64)
    const states = [
      verification({ state: 'running', rows: 3 }),
      verification({ state: 'whole', rows: 5, headId: 5, head }),
    ]
    const api = renderApp('/audit', {
      ...answers,
      'POST /audit/verification': () => json(verification({ state: 'running' }), {}, 202),
    })
    expect(await screen.findByText('Not verified yet')).toBeVisible()
    api.answer({
      'GET /audit/verification': () => json(states.length > 1 ? states.shift() : states[0]),
    })
    await userEvent.click(screen.getByRole('button', { name: 'Verify now' }))
    expect(await screen.findByText(head)).toBeVisible()
    expect(screen.getByText(/5 entries, each as it was written/)).toBeVisible()
  }, 20_000)

  test('says where it breaks', async () => {
    const broken = verification({
      state: 'broken',
      rows: 2,
      brokenAt: 3,
      reason: 'row 2 is missing',
    })
    renderApp('/audit', { ...answers, 'GET /audit/verification': () => json(broken) })
    expect(await screen.findByRole('alert')).toHaveTextContent(
      /It breaks at entry 3row 2 is missing\. 2 entries before it/,
    )
  })
})

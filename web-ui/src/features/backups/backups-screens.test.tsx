// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { Backup, BackupSettings, Recovery } from '../../lib/api-types.ts'
import { namesOf } from '../../lib/format.ts'
import { json, problem } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, session } from '../../test/samples.ts'
import { howOften, lastFailure, newestGood } from './rules.ts'

const keeper = { ...session, permissions: ['backups:read', 'backups:write'] }
const id = 'backup_01jd4q6v2m8w3x5y7z9abcdefg'
// A minute beyond, for ages are rounded down.
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3600_000 - 60_000).toISOString()

function backup(change: Partial<Backup> = {}): Backup {
  return {
    ...{ id, state: 'done', trigger: 'schedule', fileName: 'farmstead-1.tar.gz.age' },
    ...{ createdBy: null, createdAt: hoursAgo(3), endedAt: hoursAgo(3), sizeBytes: 2048 },
    ...{ sha256: 'c'.repeat(64), epoch: 4, schema: '028-backups', reason: '' },
    ...change,
  }
}
const failed: Partial<Backup> = { state: 'failed', reason: 'the disk is full: make room' }
const settings: BackupSettings = {
  configured: true,
  recipients: ['age1example'],
  everyHours: 24,
  keep: 14,
  directory: '/var/backups/farmstead',
}
const unset = { configured: false, recipients: [], everyHours: 0, keep: 0, directory: '' }
const answers = {
  'GET /session': () => json(keeper),
  'GET /backups': () => json(page(backup())),
  'GET /backups/settings': () => json(settings),
}
const backUpNow = () => screen.findByRole('button', { name: 'Back up now' })
const posts = (api: ReturnType<typeof renderApp>) =>
  api.requests.filter(({ method }) => method === 'POST').map(({ path, body }) => ({ path, body }))

describe('the settings’ backups', () => {
  test('show what there is, how old the newest is, and hand it out', async () => {
    renderApp('/settings/backups', answers)
    const table = await screen.findByRole('region', { name: 'Backups, table' })
    expect(within(table).getByText('Done')).toBeVisible()
    expect(within(table).getByText('2 KiB')).toBeVisible()
    const link = within(table).getByRole('link', { name: 'Download farmstead-1.tar.gz.age' })
    expect(link).toHaveAttribute('href', expect.stringMatching(`/api/v1/backups/${id}/content$`))
    expect(link).toHaveAttribute('download')
    expect(screen.getByText(/the newest good one/)).toHaveTextContent('3 h ago')
    expect(
      await screen.findByText('Every 24 hours; the newest 14 good ones are kept'),
    ).toBeVisible()
    expect(screen.getByText('age1example')).toBeVisible()
    expect(screen.getByRole('link', { name: 'Backups' })).toHaveAttribute('aria-current', 'page')
  })

  test('make one now, and show when it is done', async () => {
    const api = renderApp('/settings/backups', {
      ...answers,
      'GET /backups': () => json(page()),
      'POST /backups': () => json(backup({ state: 'running' }), {}, 202),
    })
    expect(await screen.findByText('No backup yet')).toBeVisible()
    api.answer({ 'GET /backups': () => json(page(backup({ state: 'running', sizeBytes: null }))) })
    await userEvent.click(await backUpNow())
    expect(await screen.findByText('Running')).toBeVisible()
    expect(await backUpNow()).toBeDisabled()
    expect(screen.getByText('One is being made.')).toBeVisible()
    api.answer({ 'GET /backups': () => json(page(backup())) })
    sayChanged('backup')
    expect(await screen.findByText('Done')).toBeVisible()
    expect(await backUpNow()).toBeEnabled()
  })

  test('say that the last one failed, why, and what was refused', async () => {
    renderApp('/settings/backups', {
      ...answers,
      'GET /backups': () => json(page(backup(failed), backup({ id: `${id}2` }))),
      'POST /backups': () => problem(507, 'disk_full', 'The disk is full.'),
    })
    expect(await screen.findByRole('alert')).toHaveTextContent(
      /The last backup failedthe disk is full: make room\. It is tried again/,
    )
    await userEvent.click(await backUpNow())
    expect(await screen.findByText('The disk is full.')).toBeVisible()
  })

  test('that are not set up say how to', async () => {
    renderApp('/settings/backups', {
      ...answers,
      'GET /backups': () => json(page()),
      'GET /backups/settings': () => json(unset),
    })
    expect(await screen.findByText('No backups are made')).toBeVisible()
    expect(screen.getByText('FARMSTEAD_BACKUP_RECIPIENTS')).toBeVisible()
    expect(await backUpNow()).toBeDisabled()
    expect(screen.getByText('Backups are not set up: see below how.')).toBeVisible()
  })

  test('delete one after a question', async () => {
    const api = renderApp('/settings/backups', {
      ...answers,
      [`DELETE /backups/${id}`]: () => new Response(null, { status: 204 }),
    })
    const remove = await screen.findByRole('button', { name: 'Delete farmstead-1.tar.gz.age' })
    await userEvent.click(remove)
    api.answer({ 'GET /backups': () => json(page()) })
    await userEvent.click(await screen.findByRole('button', { name: 'Delete 1 backup' }))
    expect(await screen.findByText('No backup yet')).toBeVisible()
  })

  test('are shown to who may read them, and not changed by who may not', async () => {
    const reader = { ...session, permissions: ['backups:read'] }
    renderApp('/settings/backups', { ...answers, 'GET /session': () => json(reader) })
    expect(await screen.findByRole('region', { name: 'Backups, table' })).toBeVisible()
    expect(await backUpNow()).toBeDisabled()
    expect(screen.getByText(/It needs the permission backups:write/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Delete/ })).toBeNull()
  })

  test('are not asked for by who may not see them', async () => {
    const api = renderApp('/settings/backups', { 'GET /session': () => json(session) })
    expect(await screen.findByText('You may not see backups')).toBeVisible()
    expect(api.requests.filter(({ path }) => path.startsWith('/backups'))).toEqual([])
    expect(screen.queryByRole('link', { name: 'Backups' })).toBeNull()
  })
})

describe('a control plane that was restored', () => {
  const recovery = (change: Partial<Recovery> = {}): Recovery => ({
    ...{ restoredAt: hoursAgo(1), backupCreatedAt: hoursAgo(20), epoch: 5 },
    ...{ highestEpoch: 9, nodes: 3, unheard: [] },
    ...change,
  })
  const restored = (change: Partial<Recovery> = {}) => ({
    'GET /session': () => json(keeper),
    'GET /recovery': () => json({ recovery: recovery(change) }),
  })
  const confirmed = {
    'GET /recovery': () => json({ recovery: null }),
    'POST /recovery/confirm': () => json({ recovery: null }),
  }
  const title = 'Restored from a backup: nodes get nothing until you confirm'
  const open = async () =>
    await userEvent.click(await screen.findByRole('button', { name: 'Go on…' }))
  const goOn = () => screen.getByRole('button', { name: 'Go on from the backup' })

  test('says so on every page, and goes on when somebody said that it is the only one', async () => {
    const api = renderApp('/rollouts', restored())
    expect(await screen.findByText(title)).toBeVisible()
    expect(screen.getByText(/All of the 3 nodes reported since/)).toBeVisible()
    await open()
    expect(goOn()).toBeDisabled()
    await userEvent.click(screen.getByLabelText(/No other control plane/))
    api.answer(confirmed)
    await userEvent.click(goOn())
    await expect.poll(() => screen.queryByText(title)).toBeNull()
    expect(posts(api)).toEqual([{ path: '/recovery/confirm', body: { withoutUnheard: false } }])
  })

  test('goes on without nodes that said nothing only when told to', async () => {
    const api = renderApp('/', restored({ unheard: ['edge-2'] }))
    expect(await screen.findByText(/2 of 3 nodes reported since; not yet: edge-2/)).toBeVisible()
    await open()
    await userEvent.click(screen.getByLabelText(/No other control plane/))
    expect(goOn()).toBeDisabled()
    expect(screen.getByText('Wait for edge-2, or go on without.')).toBeVisible()
    await userEvent.click(screen.getByLabelText(/Go on without 1 node/))
    api.answer(confirmed)
    await userEvent.click(goOn())
    await expect
      .poll(() => posts(api))
      .toEqual([{ path: '/recovery/confirm', body: { withoutUnheard: true } }])
  })

  test('shows a refusal, and stays as it is', async () => {
    renderApp('/', {
      ...restored(),
      'POST /recovery/confirm': () => problem(409, 'nodes_unheard', 'edge-3 said nothing.'),
    })
    await open()
    await userEvent.click(screen.getByLabelText(/No other control plane/))
    await userEvent.click(goOn())
    expect(await screen.findByText('edge-3 said nothing.')).toBeVisible()
  })

  test('waits for who may confirm', async () => {
    renderApp('/', { ...restored(), 'GET /session': () => json(session) })
    expect(await screen.findByRole('button', { name: 'Go on…' })).toBeDisabled()
    expect(screen.getByText(/It needs the permission backups:write/)).toBeVisible()
  })
})

describe('of a list of backups, newest first', () => {
  const states = (...list: Backup['state'][]) => list.map((state, n) => ({ state, n }))

  test('the newest good one is the first that is done', () => {
    expect(newestGood(states('running', 'failed', 'done', 'done'))).toMatchObject({ n: 2 })
    expect(newestGood(states('running', 'failed'))).toBeUndefined()
  })
  test('a failure counts until one succeeded, also while another runs', () => {
    expect(lastFailure(states('running', 'failed', 'done'))).toMatchObject({ n: 1 })
    expect(lastFailure(states('done', 'failed'))).toBeUndefined()
    expect(lastFailure([])).toBeUndefined()
  })
  test('how often, and how many are kept, is a sentence', () => {
    expect(howOften({ ...settings, everyHours: 0, keep: 1 })).toBe(
      'Only by hand; the newest 1 good one is kept',
    )
    expect(howOften({ ...settings, everyHours: 1 })).toMatch(/^Every 1 hour;/)
  })
  test('many names are a few and a number', () => {
    expect(namesOf(['a', 'b'])).toBe('a, b')
    expect(namesOf(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more')
  })
})

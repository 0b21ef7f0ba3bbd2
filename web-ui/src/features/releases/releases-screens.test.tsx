// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import type { Release, ReleaseVersion } from '../../lib/api-types.ts'
import { json, noAnswer } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { page, session } from '../../test/samples.ts'

const signedIn = (...permissions: string[]) => ({
  'GET /session': () => json({ ...session, permissions }),
})
const reads = signedIn('releases:read')
const writes = signedIn('releases:read', 'releases:write')

function version(number: number, change: Partial<ReleaseVersion> = {}): ReleaseVersion {
  return {
    ...{ release: 'www', number, manifest: String(number).repeat(64) },
    ...{ parent: number === 1 ? null : number - 1, author: 'ana', message: `Message ${number}` },
    ...{ source: 'git 3f9ac1e', createdAt: new Date().toISOString() },
    ...{ files: 3, links: 1, bytes: 2048, blobs: 2, blobBytes: 1024 },
    sinceParent: { added: 2, changed: 1, removed: 4, bytes: 10 },
    onNodes: {
      ...{ servedByNodes: 0, keptByNodes: 0, requests: 0, lastRequestAt: null },
      ...{ quietSeconds: null, uncountedNodes: 0, isSafeToDrop: false },
    },
    ...change,
  }
}
const manifest = `/manifests/${'2'.repeat(64)}`
const file = { type: 'file' as const, mode: '644', size: 10, sha256: 'ab'.repeat(32) }
const one = {
  'GET /releases/www/versions/2': () => json(version(2)),
  'GET /releases/www/versions/1': () => json(version(1)),
  'GET /releases/www/versions': () => json(page(version(2), version(1))),
  [`GET ${manifest}/files`]: () =>
    json(
      page({ path: 'img/a b.svg', ...file }, { path: 'l', type: 'link', target: 'img/a b.svg' }),
    ),
  [`GET ${manifest}/changes`]: () => json(page({ path: 'new.txt', before: null, after: file })),
  [`GET ${manifest}/change-totals`]: () => json({ added: 1, changed: 0, removed: 0, bytes: 10 }),
}

test('releases are listed, and where there is none one reads how to make one', async () => {
  const updatedAt = new Date().toISOString()
  const latest = { author: 'ana', message: 'New start page', files: 1200, bytes: 3_145_728 }
  const www: Release = { name: 'www', latestVersion: 2, latest, versions: 2, updatedAt }
  const old: Release = { name: 'old', latestVersion: null, latest: null, versions: 0, updatedAt }
  const api = renderApp('/releases', { ...reads, 'GET /releases': () => json(page(www, old)) })
  const [, row, none] = within(
    await screen.findByRole('region', { name: 'Releases, table' }),
  ).getAllByRole('row')
  expect(row).toHaveTextContent(/www.*v2.*New start page.*ana.*1,200.*3 MiB.*2/)
  expect(none).toHaveTextContent(/old.*none left/)
  expect(screen.getByRole('link', { name: 'Releases' })).toHaveAttribute('aria-current', 'page')
  expect(api.requests.map(({ path }) => path)).toContain('/releases')
})

test('a version says who serves and keeps it, and that nobody asks for it any more', async () => {
  const onNodes = {
    ...{ servedByNodes: 0, keptByNodes: 20, requests: 17, lastRequestAt: null },
    ...{ quietSeconds: 48 * 3600, uncountedNodes: 0, isSafeToDrop: true },
  }
  renderApp('/releases/www/versions/2', {
    ...reads,
    ...one,
    'GET /releases/www/versions/2': () => json(version(2, { onNodes })),
  })
  const panel = await screen.findByRole('region', { name: 'On nodes' })
  expect(panel).toHaveTextContent('Served by0 nodes')
  expect(panel).toHaveTextContent('20 nodes')
  expect(panel).toHaveTextContent('0 in 2 d, 17 before; safe to drop')
  expect(panel).not.toHaveTextContent('Not known of')
})

test('an empty list shows the command, a failing one says so', async () => {
  const api = renderApp('/releases', { ...reads, 'GET /releases': noAnswer })
  const again = await screen.findByRole('button', { name: 'Try again' })
  api.answer({ 'GET /releases': () => json(page()) })
  await userEvent.click(again)
  expect(await screen.findByText(/farmctl releases push www public/)).toBeInTheDocument()
})

test('versions are shown with what each changed', async () => {
  renderApp('/releases/www', { ...reads, ...one })
  const [, row] = within(
    await screen.findByRole('region', { name: 'Versions, table' }),
  ).getAllByRole('row')
  expect(row).toHaveTextContent(/v2.*Message 2.*ana.*git 3f9ac1e.*2 added, 1 changed, 4 removed/)
})

test('files of a version are found by how they begin, and downloaded', async () => {
  const api = renderApp('/releases/www/versions/2', { ...reads, ...one })
  const link = await screen.findByRole('link', { name: 'Download img/a b.svg' })
  expect(link).toHaveAttribute(
    'href',
    expect.stringContaining(`api/v1${manifest}/content?path=img%2Fa%20b.svg`),
  )
  expect(screen.getByText('a link to img/a b.svg')).toBeInTheDocument()
  expect(screen.getByRole('button', { name: /Delete this version/ })).toBeDisabled()
  await userEvent.type(screen.getByRole('textbox', { name: 'Path begins with' }), 'img/')
  await expect.poll(() => api.requests.at(-1)?.query.get('prefix'), { timeout: 5000 }).toBe('img/')
})

test('changes are shown against the version before', async () => {
  const api = renderApp('/releases/www/versions/2?show=changes', { ...reads, ...one })
  const table = await screen.findByRole('region', { name: 'Changes, table' })
  expect(table).toHaveTextContent(/added.*new\.txt/)
  expect(screen.getByRole('combobox', { name: 'Against' })).toHaveValue('1')
  const asked = api.requests.find(({ path }) => path === `${manifest}/changes`)
  expect(asked?.query.get('from')).toBe('1'.repeat(64))
})

test('a version is deleted by who may, once they are sure', async () => {
  const api = renderApp('/releases/www/versions/2', {
    ...{ ...writes, ...one },
    'DELETE /releases/www/versions/2': () => new Response(null, { status: 204 }),
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Delete this version' }))
  await userEvent.click(await screen.findByRole('button', { name: 'Delete version' }))
  expect(await screen.findByRole('heading', { level: 1, name: 'www' })).toBeInTheDocument()
  expect(api.requests.map(({ method }) => method)).toContain('DELETE')
})

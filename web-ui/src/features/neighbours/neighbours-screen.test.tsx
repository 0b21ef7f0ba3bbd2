// SPDX-License-Identifier: MIT
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { NeighbourSettings, NeighboursNow, Session } from '../../lib/api-types.ts'
import { json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { session } from '../../test/samples.ts'

const off: NeighbourSettings = {
  ...{ zoneLabel: null, acrossZones: false, maxBytesPerSecond: null, atOnce: 4 },
}
const id = 'node_01jd4q6v2m8w3x5y7z9abcdefg'
const calm: NeighboursNow = {
  ...{ giving: 12, taking: 3, waiting: 5, fetching: 1, takenBytes: 2_500_000 },
  ...{ distrusted: [], moreDistrusted: 0 },
}
const liar: NeighboursNow = {
  ...calm,
  distrusted: [
    {
      node: { id, name: 'edge-1' },
      manifestSha256: 'c'.repeat(64),
      toldBy: { id: id.replace(/g$/, 'h'), name: 'edge-2' },
      at: '2026-11-27T20:00:00.000Z',
    },
  ],
}
const permissions: Session['permissions'] = ['rollouts:rules', 'nodes:write']
const open = (settings = off, now = calm, may = permissions) => {
  let found = now
  return renderApp('/settings/neighbours', {
    'GET /session': () => json({ ...session, permissions: may }),
    'GET /neighbours': () => json(settings, { etag: '"3"' }),
    'PUT /neighbours': ({ body }: { body: unknown }) => json(body, { etag: '"4"' }),
    'GET /neighbours/now': () => json(found),
    [`DELETE /nodes/${id}/neighbour/distrust`]: () => {
      found = calm
      return new Response(null, { status: 204 })
    },
  })
}
const type = async (name: RegExp, text: string) => {
  const field = await screen.findByRole('textbox', { name })
  await userEvent.clear(field)
  if (text !== '') await userEvent.type(field, text)
}

describe('neighbours', () => {
  test('are turned on with the label that makes a zone', async () => {
    const api = open()
    expect(await screen.findByText('Neighbours are off')).toBeVisible()
    const button = screen.getByRole('button', { name: 'Save the setting' })
    expect(button).toHaveAccessibleDescription('Nothing is changed.')
    await type(/Label that makes a zone/, 'zone')
    await type(/MB a second/, '20')
    await type(/at once/, '2')
    await userEvent.click(screen.getByRole('checkbox', { name: 'Across zones' }))
    await userEvent.click(button)
    const saved = () => api.requests.find(({ method }) => method === 'PUT')
    await expect
      .poll(() => saved()?.body)
      .toEqual({
        ...{ zoneLabel: 'zone', acrossZones: true, maxBytesPerSecond: 20_000_000, atOnce: 2 },
      })
    expect(saved()?.headers.get('if-match')).toBe('"3"')
  })

  test.each([
    [/Label that makes a zone/, 'Zone!', /Enter the key of a label/],
    [/MB a second/, '0.01', /Enter a number from 4 on/],
    [/at once/, '9', /Enter a whole number from 1 to 8/],
  ])('are not saved with %s as %s', async (name, text, error) => {
    open()
    await type(name, text)
    expect(await screen.findByText(error)).toBeVisible()
    const button = screen.getByRole('button', { name: 'Save the setting' })
    expect(button).toHaveAccessibleDescription('Fix the marked fields first.')
  })

  test('are shown to who may not change them', async () => {
    open({ ...off, zoneLabel: 'zone' }, liar, [])
    const button = await screen.findByRole('button', { name: 'Save the setting' })
    expect(button).toHaveAccessibleDescription(/needs the permission rollouts:rules/)
    const trust = await screen.findByRole('button', { name: 'Trust edge-1 again' })
    expect(trust).toHaveAccessibleDescription(/needs the permission nodes:write/)
    expect(screen.queryByText('Neighbours are off')).toBeNull()
    expect(screen.getByText('12')).toBeVisible()
  })

  test('that gave wrong bytes are trusted again', async () => {
    open({ ...off, zoneLabel: 'zone' }, liar)
    expect(await screen.findByText(/gave wrong bytes to edge-2/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Trust edge-1 again' }))
    await expect.poll(() => screen.queryByText(/gave wrong bytes/)).toBeNull()
  })
})

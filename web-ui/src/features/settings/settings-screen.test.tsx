// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'

test('what nobody has set up is not shown as working', async () => {
  const check = { ok: true, attention: false, message: '' }
  renderApp('/settings', {
    'GET /health': () =>
      json({
        status: 'degraded',
        version: '0.1.0',
        checks: [
          { ...check, name: 'control-db' },
          { ...check, name: 'backup', attention: true, message: 'none are made' },
          {
            ...{ name: 'metrics-db', ok: false, attention: false },
            message: 'the newest is old: GET /api/v1/backups says why',
          },
        ],
      }),
  })
  const factOf = async (name: string) => {
    const term = await screen.findByText(name, { selector: 'dt' })
    return within(term.parentElement as HTMLElement)
  }
  expect((await factOf('Backups')).getByText('Not set up')).toBeVisible()
  expect((await factOf('Backups')).queryByText('Works')).toBeNull()
  expect((await factOf('Control database')).getByText('Works')).toBeVisible()
  expect((await factOf('Measurements')).getByText('Fails')).toBeVisible()
  expect((await factOf('Measurements')).getByText('The newest is old.')).toBeVisible()
})

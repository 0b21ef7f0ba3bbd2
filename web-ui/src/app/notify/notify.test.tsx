// SPDX-License-Identifier: MIT
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { json } from '../../test/fake-api.ts'
import { renderApp, sayChanged } from '../../test/render-app.tsx'
import { page, rollout } from '../../test/samples.ts'

const shown: string[] = []
const requestPermission = vi.fn(async () => FakeNotification.permission)
class FakeNotification {
  static permission: NotificationPermission = 'granted'
  static requestPermission = requestPermission
  onclick: (() => void) | null = null
  static isRefusing = false
  constructor(title: string) {
    if (FakeNotification.isRefusing) throw new TypeError('Illegal constructor')
    shown.push(title)
  }
}

beforeEach(() => {
  localStorage.clear()
  shown.length = 0
  requestPermission.mockClear()
  FakeNotification.permission = 'granted'
  FakeNotification.isRefusing = false
  vi.stubGlobal('Notification', FakeNotification)
  vi.stubGlobal('isSecureContext', true)
  vi.spyOn(document, 'hasFocus').mockReturnValue(false)
})

async function openMenu() {
  await userEvent.click(await screen.findByRole('button', { name: 'Account of ana' }))
  return screen.findByRole('checkbox', { name: 'Notify me about rollouts' })
}

test('the browser is asked on the click, and then a rollout that pauses is told once', async () => {
  let state: 'running' | 'paused' = 'running'
  const answer = () => json(page(rollout({ state, author: 'ana' })))
  const api = renderApp('/groups', { 'GET /rollouts': answer })
  const box = await openMenu()
  expect(requestPermission).not.toHaveBeenCalled()
  await userEvent.click(box)
  expect(requestPermission).toHaveBeenCalledTimes(1)
  const asked = () =>
    api.requests.filter(({ path, query }) => path === '/rollouts' && query.get('limit') === '50')
  await waitFor(() => expect(asked()).toHaveLength(1))
  expect(shown).toEqual([])
  state = 'paused'
  sayChanged('rollout')
  await waitFor(() => expect(shown).toEqual(['Rollout of default v2: paused']))
  sayChanged('rollout')
  await waitFor(() => expect(asked().length).toBeGreaterThan(2))
  expect(shown).toHaveLength(1)
}, 30_000)

test('where a page may make none, as on Android, the page stays and they are turned off', async () => {
  FakeNotification.isRefusing = true
  localStorage.setItem('farmstead.notify', 'true')
  let state: 'running' | 'paused' = 'running'
  const api = renderApp('/groups', {
    'GET /rollouts': () => json(page(rollout({ state, author: 'ana' }))),
  })
  await waitFor(() => expect(api.requests.some(({ path }) => path === '/rollouts')).toBe(true))
  expect(await openMenu()).toBeChecked()
  state = 'paused'
  sayChanged('rollout')
  await waitFor(() => expect(localStorage.getItem('farmstead.notify')).toBe('false'))
  await waitFor(() =>
    expect(screen.getByRole('checkbox', { name: 'Notify me about rollouts' })).not.toBeChecked(),
  )
  expect(screen.getByRole('heading', { name: 'Groups', level: 1 })).toBeInTheDocument()
})

test('refused by the browser, it stays off and says where to allow it', async () => {
  FakeNotification.permission = 'denied'
  renderApp('/groups')
  const box = await openMenu()
  await userEvent.click(box)
  expect(await screen.findByText(/Your browser blocks them/)).toBeVisible()
  expect(box).not.toBeChecked()
})

test('over plain HTTP it is off, and says why', async () => {
  vi.stubGlobal('isSecureContext', false)
  renderApp('/groups')
  expect(await openMenu()).toBeDisabled()
  expect(screen.getByText(/only from pages that came over HTTPS/)).toBeVisible()
})

// SPDX-License-Identifier: MIT
import { fireEvent, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import type { RolloutRules, Session } from '../../lib/api-types.ts'
import { json, never, problem } from '../../test/fake-api.ts'
import { renderApp } from '../../test/render-app.tsx'
import { session } from '../../test/samples.ts'

const address = '/settings/rollout-rules'
const none: RolloutRules = {
  approvals: 0,
  approvalHours: 24,
  windows: [],
  timeZone: 'UTC',
  blastBudget: null,
}
const permissions: Session['permissions'] = ['rollouts:rules']
const open = (rules: RolloutRules = none, more = {}) =>
  renderApp(address, {
    'GET /session': () => json({ ...session, permissions }),
    'GET /rollout-rules': () => json(rules, { etag: '"7"' }),
    'PUT /rollout-rules': ({ body }: { body: unknown }) => json(body, { etag: '"8"' }),
    ...more,
  })
const saved = (api: ReturnType<typeof open>) => api.requests.find(({ method }) => method === 'PUT')
const type = async (name: RegExp, text: string) => {
  const field = await screen.findByRole('textbox', { name })
  await userEvent.clear(field)
  if (text !== '') await userEvent.type(field, text)
}

describe('the rollout rules', () => {
  test('are changed as a whole, as they were read', async () => {
    const api = open()
    const button = await screen.findByRole('button', { name: 'Save the rules' })
    expect(button).toHaveAccessibleDescription('Nothing is changed.')
    await type(/People who must agree/, '2')
    await type(/Nodes \(optional\)/, '5')
    await userEvent.selectOptions(screen.getByLabelText('Time zone'), 'Europe/Berlin')
    await userEvent.click(screen.getByRole('button', { name: 'Add a window' }))
    await userEvent.click(screen.getByRole('checkbox', { name: 'Fri' }))
    fireEvent.change(screen.getByLabelText('Window 1 opens'), { target: { value: '22:00' } })
    fireEvent.change(screen.getByLabelText('Window 1 closes'), { target: { value: '04:00' } })
    expect(screen.getByText('until the day after')).toBeVisible()
    await userEvent.click(button)
    await expect
      .poll(() => saved(api)?.body)
      .toEqual({
        approvals: 2,
        approvalHours: 24,
        windows: [{ days: ['mon', 'tue', 'wed', 'thu'], from: '22:00', to: '04:00' }],
        timeZone: 'Europe/Berlin',
        blastBudget: 5,
      })
    expect(saved(api)?.headers.get('if-match')).toBe('"7"')
  })

  test.each([
    [/People who must agree/, 'two', 'Enter a whole number, as in 1.'],
    [/in hours/, '', 'Enter a whole number, as in 24.'],
    [/Nodes \(optional\)/, '0', 'Enter a whole number from 1 on, or leave it empty.'],
  ])('say at %s what is wrong with "%s"', async (name, text, trouble) => {
    open()
    await type(name, text)
    expect(screen.getByText(trouble)).toBeVisible()
    const button = screen.getByRole('button', { name: 'Save the rules' })
    expect(button).toHaveAccessibleDescription('Fix the marked fields first.')
  })

  test('have windows of at least one day, which can be removed', async () => {
    const window = { days: ['sun' as const], from: '01:00', to: '02:00' }
    const api = open({ ...none, windows: [window, { ...window, days: ['mon'] }] })
    const first = within(await screen.findByRole('group', { name: 'Window 1' }))
    await userEvent.click(first.getByRole('checkbox', { name: 'Sun' }))
    expect(screen.getByRole('alert')).toHaveTextContent('Choose at least one day.')
    await userEvent.click(screen.getByRole('button', { name: 'Remove window 1' }))
    await userEvent.click(screen.getByRole('button', { name: 'Save the rules' }))
    await expect
      .poll(() => saved(api)?.body)
      .toMatchObject({ windows: [{ ...window, days: ['mon'] }] })
  })

  test('say that they are saved', async () => {
    const api = open()
    await type(/People who must agree/, '2')
    const rules = { ...none, approvals: 2 }
    api.answer({ 'GET /rollout-rules': () => json(rules, { etag: '"8"' }) })
    await userEvent.click(screen.getByRole('button', { name: 'Save the rules' }))
    expect(await screen.findByText('The rules are saved')).toBeVisible()
  })

  test('are not left unsaved without a word', async () => {
    open()
    await type(/People who must agree/, '2')
    await userEvent.click(screen.getByRole('link', { name: 'Configs' }))
    expect(await screen.findByRole('dialog')).toHaveAccessibleName(
      'What you changed in the rules is not saved',
    )
    await userEvent.click(screen.getByRole('button', { name: 'Leave and discard it' }))
    await expect.poll(() => window.location.pathname).toBe('/configs')
  })

  test('are not saved over somebody else’s', async () => {
    open(none, { 'PUT /rollout-rules': () => problem(412, 'changed', 'It changed meanwhile.') })
    await type(/People who must agree/, '1')
    await userEvent.click(screen.getByRole('button', { name: 'Save the rules' }))
    expect(await screen.findByText(/It changed meanwhile/)).toBeVisible()
  })

  test('are only read by who may not change them', async () => {
    open(none, { 'GET /session': () => json({ ...session, permissions: [] }) })
    const button = await screen.findByRole('button', { name: 'Save the rules' })
    expect(button).toHaveAccessibleDescription(/needs the permission rollouts:rules/)
    expect(screen.getByRole('textbox', { name: /People who must agree/ })).toBeDisabled()
  })

  test('load', async () => {
    open(none, { 'GET /rollout-rules': never })
    expect(await screen.findByRole('status', { name: 'The rules: loading' })).toBeVisible()
  })

  test('may fail', async () => {
    open(none, { 'GET /rollout-rules': () => problem(403, 'not_allowed', 'Not yours.') })
    expect(await screen.findByRole('alert')).toHaveTextContent('Not yours.')
  })
})

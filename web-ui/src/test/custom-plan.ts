// SPDX-License-Identifier: MIT
// The plan screen with "Custom" chosen, and what its fields are given.
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect } from 'vitest'
import { json } from './fake-api.ts'
import { answer, byWaves, endpoint, isOrder, one, plans, soon } from './plan-answers.ts'
import { renderApp } from './render-app.tsx'

export const custom = async (handlers = answer(byWaves)) => {
  const api = renderApp(plans, { ...handlers, [endpoint]: () => json(one) })
  await userEvent.click(await screen.findByRole('radio', { name: 'Custom' }, soon))
  const asked = () => Object(api.requests.findLast(isOrder)?.body)
  const strategy = () => asked().strategy
  await expect.poll(() => strategy()?.waves).toBeDefined()
  return { asked, strategy }
}
export const type = async (name: string, text: string) => {
  const field = screen.getByRole('textbox', { name })
  await userEvent.clear(field)
  if (text !== '') await userEvent.type(field, text)
}

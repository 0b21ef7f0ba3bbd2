// SPDX-License-Identifier: MIT
// How a rollout goes: what is wrong in a field is said there.
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { custom, type } from '../../test/custom-plan.ts'
import { json } from '../../test/fake-api.ts'
import { answer, byWaves, error } from '../../test/plan-answers.ts'

describe('how it goes', () => {
  test.each([
    ['Host', 'https://www.example.org', 'Enter a name, as in www.example.org, without scheme'],
    ['Path', 'index.html', 'Enter a path from / on, percent-encoded.'],
  ])('says at the %s of a probe what is wrong with "%s"', async (what, text, trouble) => {
    await custom()
    await userEvent.click(screen.getByRole('button', { name: 'Add a probe' }))
    await type(`${what} of probe 1`, text)
    expect(await screen.findByText(trouble, { exact: false })).toBeVisible()
    expect(screen.getByRole('textbox', { name: `${what} of probe 1` })).toBeInvalid()
  })

  test.each([
    ['Size of wave 2', '140', 'Enter a share of at most 100 %.'],
    ['Size of wave 1', '', 'Enter a whole number from 1 on.'],
    ['Watch each wave, in s', '2m', 'Enter a whole number.'],
    ['May fail, in %', 'five', 'Enter a number, as in 2.5.'],
  ])('says at %s what is wrong with "%s", and has no plan then', async (name, text, trouble) => {
    await custom()
    await type(name, text)
    expect(await screen.findByText(trouble)).toBeVisible()
    expect(screen.getByRole('textbox', { name })).toBeInvalid()
    expect(await screen.findByText('There is no plan')).toBeVisible()
    expect(screen.queryByRole('button', { name: /Start rollout/ })).toBeNull()
  })

  test('shows the default of each other value while one is wrong', async () => {
    await custom()
    await screen.findByPlaceholderText('120 (default)')
    await type('May fail, in %', 'five')
    expect(await screen.findByText('There is no plan')).toBeVisible()
    expect(screen.getByPlaceholderText('120 (default)')).toBeVisible()
  })

  test('says at the field what the control plane refuses', async () => {
    const refusal = { ...error, pointer: '/strategy/soakSeconds', message: 'must be <= 86400' }
    await custom({
      ...answer(byWaves),
      'POST /rollouts': ({ body }) =>
        Object(body).strategy?.soakSeconds === 90_000
          ? new Response(
              JSON.stringify({ code: 'bad', detail: 'body: too long', errors: [refusal] }),
              { status: 400 },
            )
          : json(byWaves),
    })
    await type('Watch each wave, in s', '90000')
    expect(await screen.findByText('It must be <= 86400.')).toBeVisible()
  })
})

// SPDX-License-Identifier: MIT
// How a rollout goes: what the plan screen’s form asks for.
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { custom, type } from '../../test/custom-plan.ts'
import {
  answer,
  byWaves,
  error,
  isOrder,
  ofTwoKinds,
  plans,
  soon,
} from '../../test/plan-answers.ts'
import { renderApp } from '../../test/render-app.tsx'
import { plan, preflight } from '../../test/samples.ts'

describe('how it goes', () => {
  test('is chosen among presets, and the plan follows', async () => {
    const api = renderApp(plans, answer(byWaves))
    await userEvent.click(await screen.findByRole('radio', { name: 'Careful' }, soon))
    const newest = () => Object(api.requests.findLast(isOrder)?.body)
    await expect.poll(() => newest().strategy).toEqual({})
  })

  test('has what the nodes say of it: who refuses it, and which page would be gone', async () => {
    const nothing = { code: null, message: '', errors: [] }
    const gone = [{ running: 200, offered: 404 }]
    const refuses = { code: 'missing_file', message: 'there is no folder', errors: [error] }
    const said = preflight({
      nodes: [
        { nodeId: 'a', nodeName: 'edge-1', state: 'takes', ...nothing, paths: gone },
        { nodeId: 'b', nodeName: 'edge-2', state: 'takes', ...nothing, paths: gone },
        { nodeId: 'c', nodeName: 'edge-3', state: 'refuses', ...refuses, paths: [] },
        { nodeId: 'd', nodeName: 'edge-4', state: 'no_answer', ...nothing, paths: [] },
      ],
      ...{ answered: 3, notConnected: 1, isWhole: false },
    })
    const api = renderApp(plans, answer(plan(), said))
    const panel = within(await screen.findByRole('region', { name: 'What the nodes say' }, soon))
    expect(await panel.findByText('200 → 404', {}, soon)).toBeVisible()
    expect(panel.getByText(/on edge-1, edge-2/)).toBeVisible()
    expect(panel.getByText('edge-3 would refuse it')).toBeVisible()
    expect(panel.getByText(/no folder \/srv\/wwww/)).toBeVisible()
    expect(panel.getByText(/edge-4 did not answer in time; 1 node not connected/)).toBeVisible()
    const asked = api.requests.filter(({ path }) => path.endsWith('preflight'))
    expect(asked.map(({ body }) => body)).toEqual([{ config: 'default', version: 2 }])
  })

  test('is careful unless somebody chooses another way, and starting names what follows', async () => {
    renderApp(plans, answer(plan()))
    expect(await screen.findByRole('radio', { name: 'Careful' }, soon)).toBeChecked()
    expect(
      await screen.findByText(/at once, and nothing is watched\..*it pauses/s, {}, soon),
    ).toBeVisible()
  })

  test('has waves that are added, changed and removed', async () => {
    const { strategy } = await custom()
    await userEvent.click(screen.getByRole('button', { name: 'Add a wave' }))
    await userEvent.click(screen.getByRole('button', { name: 'Remove wave 1' }))
    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'What wave 1 counts' }),
      'eachKind',
    )
    await type('Size of wave 1', '2')
    await expect
      .poll(strategy)
      .toEqual({ waves: [{ eachKind: 2 }, { throughputPercent: 50 }, { throughputPercent: 100 }] })
  })

  test('has probes, of a site or of the node itself', async () => {
    const { strategy } = await custom()
    await userEvent.click(screen.getByRole('button', { name: 'Add a probe' }))
    await type('Host of probe 1', 'www.example.org')
    await userEvent.click(screen.getByRole('button', { name: 'Add a probe' }))
    await type('Host of probe 2', '')
    await type('Path of probe 2', '/img/logo.png')
    await expect
      .poll(() => strategy().probes)
      .toEqual([{ host: 'www.example.org', path: '/' }, { path: '/img/logo.png' }])
    await userEvent.click(screen.getByRole('button', { name: 'Remove probe 1' }))
    await expect.poll(() => strategy().probes).toEqual([{ path: '/img/logo.png' }])
  })

  test('leaves out nodes of a kind, for this version only', async () => {
    const { strategy } = await custom(answer(ofTwoKinds))
    const old = await screen.findByRole('checkbox', { name: 'Leave out 1 node of this kind' })
    expect(old).toHaveAccessibleDescription('FreeBSD 14 · 0.0.9')
    await userEvent.click(old)
    await expect.poll(() => strategy().excludeKinds).toEqual(['FreeBSD 14 · 0.0.9'])
    const button = screen.getByRole('button', { name: /Start rollout/ })
    await expect.poll(() => button.isConnected && !button.hasAttribute('disabled')).toBe(true)
    await userEvent.click(button)
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    cleanup()
    renderApp(plans, answer(ofTwoKinds))
    expect(
      await screen.findByRole('checkbox', { name: 'Leave out 1 node of this kind' }, soon),
    ).not.toBeChecked()
  })

  test('does not ask for kinds where all nodes are of one', async () => {
    await custom()
    await screen.findByPlaceholderText('120 (default)')
    expect(screen.queryByRole('group', { name: 'Kinds of nodes' })).toBeNull()
  })

  test('gives each step its time', async () => {
    const { strategy } = await custom()
    await type('Checked within, in s', '20')
    await type('Running within, in s', '90')
    await type('Confirmed within, in s', '120')
    await expect
      .poll(strategy)
      .toMatchObject({ ackSeconds: 20, applySeconds: 90, confirmSeconds: 120 })
  })

  test('shows the default of each value, and sends what is said', async () => {
    const { strategy } = await custom()
    const soak = await screen.findByPlaceholderText('120 (default)')
    expect(soak).toHaveAccessibleName('Watch each wave, in s')
    await userEvent.type(soak, '60')
    await userEvent.selectOptions(screen.getByLabelText('When a node fails'), 'freeze')
    await expect.poll(strategy).toMatchObject({ soakSeconds: 60, onFailure: 'freeze' })
  })

  test('has gates, in percent where they are of shares', async () => {
    const { strategy } = await custom()
    expect(await screen.findByText(/at most 1 % worse .*\(default\)/)).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Change the gates' }))
    await type('Most of gate 1, in % worse', '7')
    await userEvent.click(screen.getByRole('button', { name: 'Add a gate' }))
    await userEvent.selectOptions(
      screen.getByRole('combobox', { name: 'What gate 2 compares' }),
      'totalP99',
    )
    await expect
      .poll(() => strategy().gates)
      .toEqual([
        { metric: 'errors5xx', max: 0.07, onFail: 'revert' },
        { metric: 'totalP99', max: 1, onFail: 'pause' },
      ])
    await userEvent.click(screen.getByRole('button', { name: 'Use the default gates' }))
    await expect.poll(() => strategy().gates).toBeUndefined()
  })

  test('is kept in the browser once a rollout was started with it', async () => {
    await custom()
    await type('Watch each wave, in s', '45')
    const button = screen.getByRole('button', { name: /Start rollout/ })
    expect(button).toHaveAccessibleDescription('The plan is being made…')
    await expect.poll(() => button.isConnected && !button.hasAttribute('disabled')).toBe(true)
    await userEvent.click(button)
    await screen.findByRole('heading', { name: 'Rollout of default v2' }, soon)
    cleanup()
    renderApp(plans, answer(byWaves))
    expect(await screen.findByRole('radio', { name: 'Custom' }, soon)).toBeChecked()
    expect(screen.getByRole('textbox', { name: 'Watch each wave, in s' })).toHaveValue('45')
  })
})

// SPDX-License-Identifier: MIT
import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test } from 'vitest'
import { json, problem } from '../../test/fake-api.ts'
import { editor, effect, openEditor, soon, write } from '../../test/open-editor.ts'
import { changedWords, haveWords } from './effect-words.ts'

const panel = () => within(screen.getByRole('region', { name: 'Effect on the nodes' }))

describe('the effect of a draft', () => {
  test('is asked of the text that the node accepts, and said by group and version', async () => {
    const api = openEditor()
    write(await editor(), '{ "workers": 2 }')
    expect(
      await panel().findByText('2 of 3 nodes would get a different config.', {}, soon),
    ).toBeVisible()
    expect(panel().getByRole('row', { name: 'default 3 2' })).toBeVisible()
    expect(panel().getByText(/They have now: v2 \(3 nodes\)/)).toBeVisible()
    const asked = api.requests.filter(({ path }) => path === '/configs/default/effect')
    expect(asked.at(-1)?.body).toEqual({ text: '{ "workers": 2 }' })
  })

  test('names who would refuse it, and leads to the place', async () => {
    const error = {
      ...{ line: 1, column: 3, endLine: 1, endColumn: 5, pointer: '/workers', code: 'policy' },
      ...{ message: '"workers" is not what this machine’s owner allows', hint: '' },
    }
    const nodes = { total: 12, items: [{ nodeId: 'node_1', nodeName: 'edge-1' }] }
    const refused = { nodes: 12, findings: { total: 1, items: [{ error, nodes }] } }
    openEditor({ 'POST /configs/default/effect': () => json(effect({ refused })) })
    const view = await editor()
    expect(await panel().findByText('12 nodes would refuse it', {}, soon)).toBeVisible()
    expect(panel().getByRole('link', { name: 'edge-1' })).toBeVisible()
    expect(panel().getByText(/and 11 more/)).toBeVisible()
    await userEvent.click(panel().getByRole('button', { name: '1:3' }))
    expect(view.state.selection.main.head).toBe(2)
  })

  test('waits while the text has a problem, and asks nothing', async () => {
    const api = openEditor()
    write(await editor(), '{ "workers": 99 }')
    expect(await panel().findByText('Shown once farmstead-node accepts the text.')).toBeVisible()
    const asked = api.requests.filter(({ path }) => path === '/configs/default/effect')
    expect(asked.some(({ body }) => JSON.stringify(body).includes('99'))).toBe(false)
  })

  test('says why it is not known, and asks again when told to', async () => {
    const api = openEditor({
      'POST /configs/default/effect': () => problem(503, 'overloaded', 'Try again in a moment.'),
    })
    await editor()
    expect(await panel().findByText(/Try again in a moment/, {}, soon)).toBeVisible()
    api.answer({ 'POST /configs/default/effect': () => json(effect({ changed: 0 })) })
    await userEvent.click(panel().getByRole('button', { name: 'Try again' }))
    expect(await panel().findByText(/^Nothing would change/)).toBeVisible()
  })
})

test.each([
  [0, 0, 'No node runs this config, and no group gives it to one.'],
  [1, 0, 'Nothing would change: its one node has all this already.'],
  [1, 1, 'Its one node would get a different config.'],
  [4, 4, 'All 4 nodes would get a different config.'],
  [4, 0, 'Nothing would change: all 4 nodes have all this already.'],
])('of %i nodes %i change: %s', (nodes, changed, words) => {
  expect(changedWords({ nodes, changed })).toBe(words)
})

test('what nodes have is named by config only where it is another one', () => {
  const items = [
    { config: 'web', version: 3, nodes: 12 },
    { config: 'old', version: 1, nodes: 1 },
    { config: null, version: null, nodes: 2 },
  ]
  expect(haveWords('web', { total: 5, items })).toBe(
    'v3 (12 nodes), old v1 (1 node), nothing (2 nodes), 2 others',
  )
})

// SPDX-License-Identifier: MIT
// Gates of one path, between the form and an order.
import { expect, test } from 'vitest'
import type { Strategy } from '../../lib/api-types.ts'
import { gateTitle } from './rules.ts'
import { choiceOf, readChoice } from './strategy.ts'
import { gateSentence } from './strategy-words.ts'

const gates: NonNullable<Strategy['gates']> = [
  { metric: 'errors404', host: 'www.example.org', path: '/docs/', max: 0.02, onFail: 'revert' },
  { metric: 'bytesPerPage', path: '/shop/', max: 3, onFail: 'pause' },
  { metric: 'releaseFiles', max: 0, onFail: 'revert' },
  { metric: 'errors404', max: 0.01, onFail: 'revert' },
]

test('an order comes back from the form as it was', () => {
  const read = readChoice(choiceOf({ waves: [{ percent: 100 }], gates }))
  expect(read).toMatchObject({ ok: true, strategy: { gates } })
})

test('what is typed as no path is said at the path, and means nothing for a metric without one', () => {
  const choice = choiceOf({ waves: [{ percent: 100 }], gates })
  const [first, , files] = choice.draft.gates ?? []
  if (!first || !files) throw new Error('there are gates')
  files.below = 'no path'
  expect(readChoice(choice)).toMatchObject({ ok: true })
  first.below = 'https://www.example.org'
  expect(readChoice(choice)).toEqual({
    ok: false,
    errors: { '/gates/0/path': expect.stringContaining('www.example.org/docs/') },
  })
})

test('each gate is said in a sentence of its own', () => {
  expect(gates.map(gateTitle)).toEqual([
    '404 answers below www.example.org/docs/',
    'Bytes per page below /shop/',
    'Files of the release',
    '404 answers',
  ])
  expect(gates.map(gateSentence)).toEqual([
    '404 answers below www.example.org/docs/: at most 2 % worse than the others, else take it back',
    'Bytes per page below /shop/: at most 3 times as many as the others’, or as few, else pause',
    'Files of the release: at most 0 % of the answers wrong, else take it back',
    '404 answers: at most 1 % worse than the others, else take it back',
  ])
})

// SPDX-License-Identifier: MIT
// What a change of groups would do is asked of the nodes that it reaches, not of the whole farm.
import { expect, onTestFinished, test } from 'vitest'
import { groupChange, impactOf } from '../../../src/features/groups/impact.ts'
import { inOrder, withChange, withNew } from '../../../src/features/groups/rules.ts'
import { type GroupRow, insertGroup } from '../../../src/features/groups/store.ts'
import { labelsOfNodes } from '../../../src/node-identity/store/nodes.ts'
import { openServices } from '../../../src/process/services.ts'
import { enrol } from '../../bench/scale.ts'
import { tempDir } from '../../helper.ts'
import { placeOf } from '../../postgres.ts'

const NODES = 200
type Rows = readonly GroupRow[]
const SEVEN = { name: 'seven', selector: 'rack=07' }
const EIGHT = { name: 'eight', selector: 'rack=08' }
const rowOf = (group: typeof SEVEN, position: number): GroupRow => ({
  ...{ ...group, position, description: '', config: null, merge_patch: '{}' },
  ...{ forget_after_hours: null, revision: 1, updated_at_ms: 0 },
})

async function farm() {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  await enrol(
    services,
    Array.from({ length: NODES }, (_, i) => `node_${String(i).padStart(26, '0')}`),
  )
  const { db, now } = services
  const { write } = services
  return {
    make: (group: GroupRow) => write(({ trx }) => insertGroup(trx, group)),
    /** How many nodes it had to look at, and how many of those would go to another group. */
    async ask(change: (rows: Rows) => Rows) {
      let looked = 0
      const absenceOf = () => {
        looked++
        return { presence: { connected: true, lastSeenAtMs: null }, listeningSinceMs: 0 }
      }
      const { moves } = await impactOf({ db, now, openPreviews, absenceOf }, groupChange(change))
      return { looked, moves: moves.total }
    },
  }
}

/** Nothing was ever saved. */
const openPreviews = () => ({
  released: async () => null,
  render: () => Promise.reject(new Error('there is no version')),
  textOf: async () => null,
  syntaxErrors: () => [],
  placesIn: () => () => null,
  renderText: () => {
    throw new Error('no text is asked about')
  },
  pointers: () => [],
  check: async () => null,
  askOwners: async () => () => null,
})

test('of a group that is made, changed or put elsewhere only its nodes', async () => {
  const { ask, make } = await farm()
  // The last two digits of a node's id: two nodes of 200 each.
  expect(await ask((rows) => withNew(rows, SEVEN, 0))).toEqual({ looked: 2, moves: 2 })
  await make(rowOf(SEVEN, 1))
  const patched = (rows: Rows) => withChange(rows, 'seven', { mergePatch: { workers: 2 } }, 1)
  expect(await ask(patched)).toEqual({ looked: 2, moves: 0 })
  await make(rowOf(EIGHT, 2))
  const turned = (rows: Rows) => inOrder(rows, ['eight', 'seven'], 1)
  expect(await ask(turned)).toEqual({ looked: 0, moves: 0 })
})

test('when a config becomes the own of a group, of all: others may have it', async () => {
  const { ask, make } = await farm()
  await make(rowOf(SEVEN, 1))
  const claiming = (rows: Rows) => withChange(rows, 'seven', { config: 'own' }, 1)
  expect(await ask(claiming)).toEqual({ looked: NODES, moves: 0 })
})

test('a group says how many nodes it has, and others have their turn while they are counted', async () => {
  const services = await openServices(await placeOf(tempDir()))
  onTestFinished(() => services.close())
  const ids = Array.from({ length: 1001 }, (_, i) => `node_${String(i).padStart(26, '0')}`)
  await enrol(services, ids)
  const racks: string[] = []
  let turns = 0
  let isOver = false
  const turn = () => {
    turns++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  for await (const labels of labelsOfNodes(services.db, null)) {
    expect(labels.length).toBeLessThanOrEqual(500)
    racks.push(...labels)
  }
  isOver = true
  expect(racks).toEqual(ids.map((id) => JSON.stringify({ rack: id.slice(-2) })))
  expect(turns).toBeGreaterThanOrEqual(2)
})

// SPDX-License-Identifier: MIT
// Nodes that are away when their turn comes, over the real engine.

import { describe, expect, it, onTestFinished } from 'vitest'
import { beginRecovery, confirmRecovery } from '../../../src/control-plane/recovery.ts'
import { startRollout } from '../../../src/features/rollouts/start.ts'
import { Connections } from '../../../src/fleet/connections.ts'
import { tempDir } from '../../helper.ts'
import { placeOf } from '../../postgres.ts'
import { addNodeRow, CONFIG, openData, startPlane } from '../../simulator/real-plane.ts'

const [HERE, AWAY] = ['node_here', 'node_away']
const AWAITED_MS = 10_000

/** A rollout that has succeeded without one of its two nodes, which has not been offered it. */
async function succeededWithout() {
  const services = await openData(await placeOf(tempDir()), Date.now)
  const connected = new Connections([HERE])
  for (const id of [HERE, AWAY]) await addNodeRow(services, id, id.replace('_', '-'))
  const start = () => startPlane(services, Date.now, { connected, isStorageFull: () => false })
  const { engine, startDeps, stop } = await start()
  onTestFinished(async () => {
    await stop()
    await services.close()
  })
  const rolloutId = await startRollout(startDeps, {
    config: CONFIG,
    version: 1,
    selector: '',
    scope: null,
    message: 'm',
    author: { id: null, username: 'ana' },
    onOverlap: 'refuse',
    strategy: {
      waves: [{ percent: 100 }],
      minHealthySeconds: 0,
      soakSeconds: 0,
      maxUnreachablePercent: 100,
      gates: [],
    },
  })
  const { db, write } = services
  const offersTo = (nodeId: string) =>
    db.selectFrom('assignments').selectAll().where('node_id', '=', nodeId).execute()
  const stateOf = async () => {
    const row = await db.selectFrom('rollouts').select('state').executeTakeFirst()
    return row?.state
  }
  const [offer] = await offersTo(HERE)
  if (!offer) throw new Error('nothing was offered')
  const { generation, offer_id: offerId, digest } = offer
  const effective = { generation, digest, bootId: '0'.repeat(32), reloads: 0 }
  const about = { nodeId: HERE, generation, offerId, digest, rolloutId, effective }
  await write((unit) => engine.onAgentEvent(unit, { ...about, kind: 'applied' }))
  await write((unit) => engine.onAgentEvent(unit, { ...about, kind: 'confirmed' }))
  await engine.tick(AWAITED_MS)
  expect(await stateOf()).toBe('succeeded')
  return { services, start, connected, offersTo }
}

describe('a node that was away when its turn came', () => {
  it('takes the version on return, also when it had not been offered it', async () => {
    const { start, connected, offersTo } = await succeededWithout()
    const { inbox, stop } = await start()
    onTestFinished(stop)
    connected.add(AWAY)
    await inbox.presence(AWAY, 'connected')
    expect((await offersTo(AWAY)).map(({ state }) => state)).toEqual(['offered'])
  })

  it('is heard in a recovery, and has its turn once that is confirmed', async () => {
    const { services, start, connected, offersTo } = await succeededWithout()
    const { db, write } = services
    await write((unit) => beginRecovery(unit, { restoredAtMs: 0, backupCreatedAtMs: 0 }))
    const { engine, identity, inbox, stop } = await start()
    onTestFinished(stop)
    connected.add(AWAY)
    await inbox.presence(AWAY, 'connected')
    expect(await offersTo(AWAY)).toEqual([])
    await confirmRecovery({ db, write }, identity, { actor: 'ana', withoutUnheard: true })
    await engine.offerHeld()
    expect((await offersTo(AWAY)).map(({ state }) => state)).toEqual(['offered'])
  })
})

// SPDX-License-Identifier: MIT
// A farm whose control plane stands still behind each part, ends there, and begins anew.
import { onTestFinished } from 'vitest'
import { Connections } from '../../../../src/fleet/connections.ts'
import type { Services } from '../../../../src/process/services.ts'
import { enrol } from '../../../bench/scale.ts'
import { tempDir } from '../../../helper.ts'
import { placeOf } from '../../../postgres.ts'
import { CONFIG, openData, type Running, startPlane } from '../../../simulator/real-plane.ts'

/** More than an order stores at once. */
export const NODES = 601
export const ids = Array.from({ length: NODES }, (_, i) => `node_${String(i).padStart(26, '0')}`)
const now = () => 0
export const order = {
  ...{ config: CONFIG, version: 1, selector: '', scope: null, message: '' },
  ...{ strategy: { atOnce: true }, author: { id: null, username: 'ana' } },
}

export async function farm(enrolled = ids) {
  const dir = tempDir()
  const services = await openData(await placeOf(dir), now)
  onTestFinished(() => services.close())
  await enrol(services, enrolled)
  const disk = { isFull: false }
  /** A process of the control plane; nodesAtOnce: it stands still behind each part. */
  const begin = async (nodesAtOnce?: number, write = services.write, here = ids) => {
    const found = { connected: new Connections(here), isStorageFull: () => disk.isFull }
    const cut = nodesAtOnce === undefined ? {} : { nodesAtOnce }
    const plane = await startPlane({ ...services, write }, now, { ...found, ...cut })
    onTestFinished(() => plane.stop())
    await plane.engine.heardAgain()
    return plane
  }
  const count = async (table: 'rollouts' | 'node_tasks' | 'node_leases' | 'assignments') =>
    (await services.db.selectFrom(table).selectAll().execute()).length
  const states = async () => {
    const rows = await services.db.selectFrom('node_tasks').select('state').execute()
    return new Set(rows.map(({ state }) => state))
  }
  /** How many nodes have so much time left. */
  const timesLeft = async () => {
    const column = 'deadline_remaining_ms'
    const rows = await services.db.selectFrom('node_tasks').select(column).execute()
    const groups = Map.groupBy(rows, (row) => row[column])
    return new Map([...groups].map(([ms, all]) => [ms, all.length]))
  }
  return { dir, services, disk, begin, count, states, timesLeft }
}

/** It has what it was offered last, and is well with it. */
export async function takeIt(services: Services, { inbox }: Running, nodeId: string) {
  const { generation, digest, ...offer } = await services.db
    .selectFrom('assignments')
    .select(['generation', 'offer_id as offerId', 'digest'])
    .where('node_id', '=', nodeId)
    .orderBy('generation', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const about = { ...offer, generation, digest }
  const effective = { generation, digest, bootId: '0'.repeat(32), reloads: 0 }
  const outcome = { outcome: 'applied' as const, reason: null, message: '', evidence: [] }
  await inbox.ack(nodeId, { ...about, warnings: [] })
  await inbox.result(nodeId, { ...about, ...outcome, effective })
  await inbox.confirm(nodeId, { ...about, effective })
}

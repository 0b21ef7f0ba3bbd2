// SPDX-License-Identifier: MIT
// A control.db as large as a large farm's, made through the service's own schema and writes.
//   node large-database.ts DATA_DIR VERSIONS NODES AUDIT_ROWS     for who can't import it
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { sha256 } from '../../src/base/ids.ts'
import { openServices } from '../../src/process/services.ts'

export type Size = { versions: number; nodes: number; auditRows: number }
export const CONFIG = 'default'

const PER_WRITE = 250
/** Of what nodes render: overrides make a few texts, not one per node. */
const TEXTS = 20
const ZONES = ['north', 'east', 'south', 'west']

const ulid = (i: number) => String(i).padStart(26, '0')
export const nodeIdOf = (i: number) => `node_${ulid(i)}`
/** What it says of itself on plain HTTP. */
export const credentialOf = (i: number) => `credential-${ulid(i)}`
/** The start of each that speaks. */
export const INCARNATION = '0'.repeat(32)
export const nodeNameOf = (i: number) => `edge-${String(i).padStart(5, '0')}`

const textOf = (i: number) => `{
  "listen": [{ "address": "0.0.0.0", "port": 8080 }],
  "admin": { "address": "0.0.0.0" },
  "sites": [{ "hosts": ["*"], "root": "/" }]
} // ${i} ${'a comment of some length '.repeat(150)}`

export async function makeLargeDatabase(dataDir: string, size: Size): Promise<void> {
  const { write, close } = await openServices({ dataDir })
  const inBatches = async (count: number, work: (i: number, unit: Unit) => Promise<unknown>) => {
    for (let from = 0; from < count; from += PER_WRITE) {
      // Statements are freed between turns of the loop: without one they would pile up.
      await setImmediate()
      await write(async (unit) => {
        for (let i = from; i < Math.min(count, from + PER_WRITE); i++) await work(i, unit)
      })
    }
  }
  try {
    await write(({ trx }) =>
      sql`insert into configs (name, draft_text, draft_base,
        draft_updated_by, draft_updated_at_ms, draft_revision, updated_at_ms)
        values (${CONFIG}, ${textOf(size.versions)}, ${size.versions}, 'bench',
        0, 1, 0)`.execute(trx),
    )
    await inBatches(size.versions, (i, { trx }) => insertVersion(trx, i + 1))
    await write(async ({ trx }) => {
      for (let i = 0; i < TEXTS; i++) {
        await sql`insert into rendered_texts (id, text) values (${`text${i}`}, ${textOf(i)})`.execute(
          trx,
        )
      }
    })
    await inBatches(size.nodes, (i, { trx }) => insertNode(trx, i, size))
    await inBatches(size.auditRows, (i, unit) =>
      unit.emit({
        kind: 'node',
        id: nodeIdOf(i % size.nodes),
        action: i % 3 === 0 ? 'changed' : 'hello',
        actor: `user-${i % 50}`,
        data: { after: { labels: { zone: ZONES[i % ZONES.length] } } },
      }),
    )
  } finally {
    await close()
  }
}

type Unit = Parameters<Parameters<Awaited<ReturnType<typeof openServices>>['write']>[0]>[0]
type Trx = Unit['trx']

const digestOf = (i: number) => `sha256:${sha256(String(i))}`

async function insertVersion(trx: Trx, number: number): Promise<void> {
  await sql`insert into config_versions
    (config, number, digest, text, parent, author, message, source, created_at_ms)
    values (${CONFIG}, ${number}, ${digestOf(number)}, ${textOf(number)},
      ${number === 1 ? null : number - 1}, 'bench', ${`version ${number}`}, 'api', ${number})
  `.execute(trx)
}

async function insertNode(trx: Trx, i: number, { versions }: Size): Promise<void> {
  const id = nodeIdOf(i)
  const version = versions - (i % Math.min(20, versions))
  const runs = JSON.stringify({
    generation: 1,
    digest: digestOf(version),
    bootId: 'boot',
    reloads: 0,
  })
  await sql`insert into nodes (id, name, labels, merge_patch, revision, enrolled_at_ms, hostname,
    version, os, arch, capabilities, max_epoch, max_generation, credential_digest, incarnation,
    last_seen_at_ms)
    values (${id}, ${nodeNameOf(i)}, ${JSON.stringify({ zone: ZONES[i % ZONES.length], rack: `${i % 100}` })},
      '{}', 1, 0, ${`${nodeNameOf(i)}.example`}, '0.1.0', 'linux', 'x86_64', '[]', 1, 1,
      ${sha256(credentialOf(i))}, ${INCARNATION}, 1)`.execute(trx)
  await sql`insert into assignments (node_id, generation, offer_id, epoch, rollout_id, config,
    version, digest, text_id, state, created_at_ms, updated_at_ms)
    values (${id}, 1, ${`offer_${ulid(i)}`}, 1, null, ${CONFIG},
    ${version}, ${digestOf(version)}, ${`text${i % TEXTS}`}, 'confirmed', 1, 1)`.execute(trx)
  await trx
    .updateTable('nodes')
    .set({ effective: runs, acknowledged: runs })
    .where('id', '=', id)
    .execute()
}

if (import.meta.main) {
  const [dataDir = '', versions, nodes, auditRows] = process.argv.slice(2)
  const size = { versions: Number(versions), nodes: Number(nodes), auditRows: Number(auditRows) }
  await makeLargeDatabase(dataDir, size)
}

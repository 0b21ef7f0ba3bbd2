// SPDX-License-Identifier: MIT
// Nodes that a control plane knows before it is started, for benches that connect thousands: to enrol them over the network takes a
// minute for sixty, by design.
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Assignment, insertAssignments, keepText } from '../../src/assignments/store.ts'
import { newId, sha256 } from '../../src/base/ids.ts'
import { openAuthority } from '../../src/ca/authority.ts'
import { digestOf } from '../../src/features/configs/text/digest.ts'
import { storeCertificate } from '../../src/node-identity/store/certificates.ts'
import { insertNode } from '../../src/node-identity/store/nodes.ts'
import { setAcknowledged, setEffective } from '../../src/node-identity/store/said.ts'
import { openServices } from '../../src/process/services.ts'
import { CONFIG } from './furnished-service.ts'
import type { Spoken } from './spoken-node.ts'

const PER_WRITE = 200

/** Known to the control plane, with certificates and running `text`, as if they had joined long ago. All have the same key. */
export async function makeNodes(dataDir: string, count: number, text: string) {
  const services = await openServices({ dataDir, databaseUrl: process.env.DATABASE_URL ?? null })
  const { write } = services
  const authority = await openAuthority({
    dataDir,
    now: Date.now,
    hasIssued: async () => false,
    onError: (error) => {
      throw error
    },
  })
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = createPublicKey(pair.publicKey.export({ type: 'spki', format: 'pem' })).export({
    type: 'spki',
    format: 'der',
  })
  const nodes: Spoken[] = []
  const digest = digestOf(JSON.parse(text))
  await write(({ trx }) => keepText(trx, { id: digest, text, certificates: [], releases: [] }))
  const firstOf = (nodeId: string): Assignment => ({
    ...{ node_id: nodeId, generation: 1, offer_id: newId('offer'), epoch: 1, rollout_id: null },
    ...{ config: CONFIG, version: 1, digest, config_digest: null, text_id: digest },
    ...{ group_name: 'default', state: 'confirmed', created_at_ms: 1, updated_at_ms: 1 },
    ...{ ack_ms: 1, apply_ms: 1, confirm_ms: 1 },
  })
  const facts = {
    enrolled_with: null,
    hostname: 'many',
    version: '0.1.0',
    os: 'linux',
    arch: 'x86_64',
  }
  try {
    while (nodes.length < count) {
      const some = Array.from({ length: Math.min(PER_WRITE, count - nodes.length) }, (_, i) => {
        const name = `many-${nodes.length + i}`
        return {
          id: newId('node'),
          name,
          key: { der, sha256: sha256(`${name} ${der.toString('hex')}`) },
        }
      })
      const made = await Promise.all(some.map(({ id, key }) => authority.issue(id, key)))
      await write(async ({ trx }) => {
        for (const [i, { id, name }] of some.entries()) {
          const certificate = made[i]
          if (!certificate) continue
          const given = { labels: '{}', merge_patch: '{}', forget_after_hours: null }
          const runs = { generation: 1, digest, bootId: '0'.repeat(32), reloads: 0 }
          await insertNode(trx, { id, name, ...given, enrolled_at_ms: Date.now(), ...facts })
          await storeCertificate(trx, { nodeId: id, made: certificate, nowMs: Date.now() })
          await setAcknowledged(trx, id, runs)
          await setEffective(trx, id, runs, Date.now())
          nodes.push({ id, name, certificate: certificate.certificatePem, runs })
        }
        await insertAssignments(
          trx,
          some.map(({ id }) => firstOf(id)),
        )
      })
      await setImmediate()
    }
    const key = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    return { nodes, key, ca: authority.bundle().pem }
  } finally {
    authority.close()
    await services.close()
  }
}

// SPDX-License-Identifier: MIT
// A control plane as its own process, with a farm in its database that is as large as is promised: nodes, versions,
// audit, groups, certificates and rollouts. Nobody speaks for the nodes, so they are silent, as after an outage.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Session } from '../../control-api/test/durability/session.ts'
import { oneTimePassword, startService } from '../../control-api/test/service-process.ts'
import { copyConsole } from '../../scripts/farm/control-plane.ts'
import { nodeBinary, root } from '../../scripts/setup/paths.mjs'
import { makeCertificate } from '../fixtures/certificates.ts'

export type FarmSize = {
  nodes: number
  versions: number
  auditRows: number
  groups: number
  certificates: number
  /** Those that are over; one goes to all nodes besides. */
  rollouts: number
}
export const CONFIG = 'default'
export const CERTIFICATE = 'shop'
export const PASSWORD = 'a long password of the bench'

export type ScaleFarm = {
  url: string
  session: Session
  /** The node that changes all the time. */
  changing: string
  /** Under way, over all nodes. */
  rollout: string
  end: () => Promise<void>
}

export async function startScaleFarm(
  size: FarmSize,
  say: (line: string) => void,
): Promise<ScaleFarm> {
  const home = mkdtempSync(join(tmpdir(), 'farmstead-scale-'))
  const env = {
    PATH: process.env.PATH,
    FARMSTEAD_DATA_DIR: join(home, 'data'),
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: '0',
    FARMSTEAD_AGENT_URL: 'https://127.0.0.1:1',
    FARMSTEAD_NODE_BINARY: nodeBinary,
    FARMSTEAD_CONSOLE_DIR: join(home, 'console'),
    FARMSTEAD_LOG_LEVEL: 'fatal',
  }
  mkdirSync(env.FARMSTEAD_DATA_DIR)
  copyConsole(env.FARMSTEAD_CONSOLE_DIR)
  say(`making ${size.nodes} nodes, ${size.versions} versions, ${size.auditRows} entries of audit`)
  makeDatabase(env.FARMSTEAD_DATA_DIR, size)
  const password = oneTimePassword(env)
  const { child, url, ended } = await startService(env)
  const end = async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(home, { recursive: true, force: true })
  }
  try {
    const session = await Session.first(url, password, PASSWORD)
    say(`making ${size.groups} groups, ${size.certificates} certificates`)
    for (let i = 0; i < size.groups; i++) await session.must('POST', '/groups', groupOf(i))
    await addCertificates(session, size.certificates)
    serveEverywhere(env.FARMSTEAD_DATA_DIR)
    say(`making ${size.rollouts} rollouts, and one over all nodes`)
    const { items } = (await session.must('GET', '/nodes?limit=500')).body
    const ids = (items as { id: string }[]).map(({ id }) => id)
    const rollout = await addRollouts(session, size, ids)
    return { url, session, changing: ids[0] ?? '', rollout, end }
  } catch (error) {
    await end()
    throw error
  }
}

function makeDatabase(dataDir: string, { versions, nodes, auditRows }: FarmSize): void {
  const program = join(root, 'control-api/test/bench/large-database.ts')
  execFileSync(process.execPath, [program, dataDir, ...[versions, nodes, auditRows].map(String)])
}

export const groupName = (i: number) => `rack-${String(i).padStart(2, '0')}`
const groupOf = (i: number) => ({
  name: groupName(i),
  description: `Rack ${i}`,
  selector: `rack=${i}`,
  config: null,
  mergePatch: {},
  forgetAfterHours: null,
})

async function addCertificates(session: Session, count: number): Promise<void> {
  const pems = makeCertificate(['shop.example'])
  for (let i = 0; i < count; i++) {
    const name = i === 0 ? CERTIFICATE : `${CERTIFICATE}-${String(i).padStart(3, '0')}`
    await session.must('POST', '/certificates', { name, ...pems })
  }
}

/** What each node would say of itself. */
function serveEverywhere(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'control.db'))
  db.prepare(`insert into served_certificates (node_id, host, fingerprint, not_after_ms, since_ms)
    select n.id, 'shop.example', v.fingerprint, v.not_after_ms, 1 from nodes n, certificate_versions v
    where v.certificate = ?`).run(CERTIFICATE)
  db.close()
}

type Made = { id: string; stateVersion: number }
const madeOf = ({ body }: { body: Record<string, unknown> }) => body as unknown as Made

async function addRollouts(session: Session, size: FarmSize, ids: string[]): Promise<string> {
  const order = (version: number, nodes?: string[]) =>
    session.must('POST', '/rollouts', {
      ...{ config: CONFIG, version, strategy: { atOnce: true }, message: `version ${version}` },
      ...(nodes && { nodes }),
    })
  const freeze = ({ id, stateVersion }: Made) =>
    session.must('POST', `/rollouts/${id}/actions/freeze`, { stateVersion })
  for (let i = 0; i < size.rollouts; i++) {
    await freeze(madeOf(await order(1 + (i % size.versions), ids.slice(i, i + 1))))
  }
  return madeOf(await order(size.versions - 1)).id
}

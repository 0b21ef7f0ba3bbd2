// SPDX-License-Identifier: MIT
// Makes a node of the farm a node of its control plane: once, and again when what it has is worth
// nothing any more.
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { nodeBinary } from '../setup/paths.mjs'
import { Problem } from '../setup/problem.mjs'
import { admin, failed, stringField } from './control-plane.ts'

const run = promisify(execFile)
const JOIN_WITHIN_MS = 30_000

export type Joining = {
  env: NodeJS.ProcessEnv
  agentUrl: string
  name: string
  stateDir: string
  policyFile: string
  port: number
}

/** The node that a state folder is, and why it must join anew; null: it may go on as it is. */
export type Rejoin = { nodeId: string; why: string }

export async function joinNew({ port, ...joining }: Joining): Promise<void> {
  const mergePatch = JSON.stringify({ listen: [{ address: '127.0.0.1', port }] })
  await enrol(joining, ['--merge-patch', mergePatch], [])
}

/** As the same node: its name, its override and its last good config stay. */
export async function joinAgain(joining: Joining, { nodeId }: Rejoin): Promise<void> {
  await enrol(joining, ['--node', nodeId], ['--rejoin'])
}

async function enrol(
  { env, agentUrl, name, stateDir, policyFile }: Omit<Joining, 'port'>,
  tokenOptions: string[],
  joinOptions: string[],
): Promise<void> {
  const answer = await admin(env, ['enrolment-token', ...tokenOptions])
  const token = stringField(answer, 'token')
  if (!token) throw new Problem('The control plane gave no enrolment token.')
  const place = ['--state', stateDir, '--policy', policyFile]
  const args = ['join', agentUrl, '--token', token, ...place, '--name', name]
  try {
    await run(nodeBinary, [...args, ...joinOptions], { timeout: JOIN_WITHIN_MS })
  } catch (error) {
    throw failed(`${name} could not join the control plane.`, error)
  }
}

/** Looks at what `join` left in the folder. A damaged identity is the node's own to complain of. */
export function whyRejoin(stateDir: string, agentUrl: string, now = Date.now()): Rejoin | null {
  const identity = readIdentity(stateDir)
  const nodeId = stringField(identity, 'nodeId')
  const url = stringField(identity, 'controlPlaneUrl')
  if (!nodeId || !url) return null
  if (url.startsWith('http:')) return { nodeId, why: 'it spoke plain HTTP until now' }
  if (url !== agentUrl) return { nodeId, why: `it knows the control plane at ${url}` }
  const certificate = stringField(identity, 'certificate')
  if (!certificate || now < endOf(certificate)) return null
  return { nodeId, why: 'its certificate ended while the farm did not run' }
}

function endOf(pem: string): number {
  try {
    return new X509Certificate(pem).validToDate.getTime()
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function readIdentity(stateDir: string): unknown {
  try {
    return JSON.parse(readFileSync(join(stateDir, 'identity.json'), 'utf8'))
  } catch {
    return null
  }
}

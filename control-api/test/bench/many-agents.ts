// SPDX-License-Identifier: MIT
// A process that speaks for thousands of nodes, for `npm run bench -- farm` and `npm run fleet`: each with a connection of its
// own over mutual TLS. Told what to do by its parent.
import { connect, createSecureContext, type SecureContext } from 'node:tls'
import { Channel } from './spoken-channel.ts'
import { type Conduct, type Met, type Spoken, SpokenNode } from './spoken-node.ts'

export type ToAgents =
  | { kind: 'connect'; port: number; key: string; ca: string; nodes: Spoken[] }
  | { kind: 'count' }
  /** What `back` is counted from. */
  | { kind: 'mark' }
  | { kind: 'conduct'; conduct: Conduct; ids: string[] }
  /** A second process begins to speak for each of them. */
  | { kind: 'clone'; ids: string[] }

export type Counted = Met & {
  kind: 'counted'
  /** Let in anew since the last mark (a hello was answered), and when the last of them was, by the machine's clock. */
  back: number
  lastBackMs: number
  /** Of the nodes that acknowledged the newest generation that any has: how many, and when the last of them did. */
  acknowledged: { generation: number; nodes: number; lastMs: number }
  /** Windows of measurements that were not taken yet, and those given up. */
  waitingWindows: number
  lostWindows: number
}
export type FromAgents = { kind: 'connected' } | Counted

/** Handshakes under way at once. */
const AT_ONCE = 16

const met: Met = {
  ...{ reports: 0, polls: 0, late: 0, failed: 0, lastFailure: '' },
  ...{ turnedAway: 0, clonesDetected: 0 },
}
const nodes: SpokenNode[] = []
let newNode: (about: Spoken) => SpokenNode
const abouts = new Map<string, Spoken>()

async function connectAll({ port, key, ca, nodes: told }: Extract<ToAgents, { kind: 'connect' }>) {
  const open = (context: () => SecureContext) => () => {
    const socket = connect({
      ...{ host: '127.0.0.1', port, secureContext: context() },
      // Whose it is the farm's CA says, not a name.
      checkServerIdentity: () => undefined,
    })
    return socket.setNoDelay(true)
  }
  newNode = (about) => {
    const context = () =>
      createSecureContext({ key, ca, cert: about.certificate, minVersion: 'TLSv1.3' })
    return new SpokenNode(about, new Channel(open(context)), met)
  }
  for (const about of told) abouts.set(about.id, about)
  nodes.push(...told.map(newNode))
  const left = nodes.values()
  const lane = async () => {
    for (const node of left) await node.begin()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
}

function count(): Counted {
  const back = nodes.flatMap(({ backAtMs }) => backAtMs ?? [])
  const generation = nodes.reduce((most, { acknowledged: a }) => Math.max(most, a.generation), 0)
  const having = nodes.filter(({ acknowledged }) => acknowledged.generation === generation)
  const lastMs = having.reduce((last, { acknowledged }) => Math.max(last, acknowledged.atMs), 0)
  const sum = (read: (node: SpokenNode) => number) => nodes.reduce((n, node) => n + read(node), 0)
  return {
    ...{ kind: 'counted', ...met },
    back: back.length,
    lastBackMs: back.reduce((last, ms) => Math.max(last, ms), 0),
    acknowledged: { generation, nodes: having.length, lastMs },
    waitingWindows: sum((node) => node.waitingWindows),
    lostWindows: sum((node) => node.lostWindows),
  }
}

/** They say that they are the same nodes, as copies of their disks do. */
function clone(ids: readonly string[]): void {
  for (const id of ids) {
    const about = abouts.get(id)
    if (about) newNode(about).speakOn()
  }
}

const tell = (message: FromAgents) => process.send?.(message)

process.on('message', (message: ToAgents) => {
  if (message.kind === 'count') tell(count())
  else if (message.kind === 'mark') for (const node of nodes) node.forgetBack()
  else if (message.kind === 'clone') clone(message.ids)
  else if (message.kind === 'conduct') {
    const ids = new Set(message.ids)
    for (const node of nodes) if (ids.has(node.id)) node.conduct = message.conduct
  } else
    connectAll(message).then(
      () => tell({ kind: 'connected' }),
      (error) => {
        throw error
      },
    )
})
process.on('disconnect', () => process.exit(0))

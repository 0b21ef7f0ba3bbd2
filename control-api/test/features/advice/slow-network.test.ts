// SPDX-License-Identifier: MIT
// The rule about slow networks on a real node, in a network of its own that loses packets, and in the same network once it is well:
// there slow clients are told as slow clients.
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  isInOwnNetwork,
  loseAtRandom,
  loseNothing,
  noOwnNetwork,
  runInOwnNetwork,
  setReceiveBuffer,
  setSegmentBytes,
  setSendBuffer,
} from '../../../../server-c/test/support/own-network.mjs'
import { clients, endsWithTest, realNode } from './real-node.ts'

const VITEST = join(import.meta.dirname, '../../../../node_modules/vitest/vitest.mjs')
const LONG_MS = 240_000
const ETHERNET_BYTES = 1500
/** What sockets take is sent, to the node: files must be larger. */
const BUFFER_BYTES = 65_536
const FILES = {
  'middle.bin': Buffer.alloc(400_000, 'm'),
  'large.bin': Buffer.alloc(2_000_000, 'l'),
}
/** On a loopback a lost packet is sent again in no time: only what is lost again and again costs it. */
const LOST = 0.3
const PAUSE_MS = 100
const GIVES_UP_MS = 4_000

const UNANSWERED_MOST = 10
let unanswered = 0

type Taking = { port: number; agent: http.Agent; pauseMs?: number }

/** `pauseMs`: it waits so long after each piece, while its window is closed. */
async function take(file: keyof typeof FILES, { port, agent, pauseMs = 0 }: Taking): Promise<void> {
  const request = http.get({ host: '127.0.0.1', port, path: `/${file}`, agent })
  const response = once(request, 'response').catch(() => {})
  const [answer] = ((await response) ?? []) as [http.IncomingMessage?]
  // The node closed it as the request came: a browser asks again, too. Of that there is little.
  if (answer === undefined) {
    if (++unanswered > UNANSWERED_MOST) throw new Error(`${unanswered} requests had no answer`)
    return await take(file, { port, agent, pauseMs })
  }
  answer.on('data', () => {
    if (pauseMs === 0) return
    answer.pause()
    setTimeout(() => answer.resume(), pauseMs)
  })
  await once(answer, 'end')
}

/** Where so much is lost connections break, and visitors ask again. */
async function takeOrGiveUp(file: keyof typeof FILES, { port, agent }: Taking): Promise<void> {
  const request = http.get({ host: '127.0.0.1', port, path: `/${file}`, agent })
  request.setTimeout(GIVES_UP_MS, () => request.destroy())
  request.on('response', (answer) => answer.on('error', () => {}).resume())
  request.on('error', () => {})
  await once(request, 'close')
}

if (!isInOwnNetwork)
  test.skipIf(noOwnNetwork)(
    'in a network of its own',
    async () => {
      const { code, said } = await runInOwnNetwork(import.meta.url, [VITEST, 'run'])
      expect(code, said).toBe(0)
    },
    2 * LONG_MS,
  )
else
  test(
    'a network that loses packets is told of as that, the same load without loss is not, and slow clients are told as slow clients',
    async () => {
      setSegmentBytes(ETHERNET_BYTES)
      setSendBuffer(BUFFER_BYTES)
      setReceiveBuffer(BUFFER_BYTES)
      const node = await realNode({ files: FILES })
      const { port } = node
      const kept = () => endsWithTest(new http.Agent({ keepAlive: true }))
      const agent = kept()
      const load = clients(32, () => takeOrGiveUp('middle.bin', { port, agent }))
      const rulesOf = (all: readonly { rule: string }[]) => all.map(({ rule }) => rule)

      loseAtRandom(port, LOST)
      const lossy = await node.advisedUnder(load, 'slowNetwork').finally(loseNothing)
      expect(rulesOf(lossy)).toEqual(['slowNetwork'])
      const [advice] = lossy
      expect(advice?.sentence).toMatch(/% of the bytes were sent again: packets are lost/)
      expect(advice?.sentence).toContain('Neither clients nor this server')
      expect(advice).toMatchObject({ title: 'The network to clients is slow', change: null })
      const figures = new Map(advice?.figures.map((figure) => [figure.name, figure]))
      expect(figures.get('lostShare')?.value).toBeGreaterThan(LOST / 4)
      expect(figures.get('networkShare')?.low).toBeGreaterThan(0.5)

      const well = await node.judgedUnder(load, 'slowNetwork')
      expect(rulesOf(well.advice)).toEqual([])

      const slowly = { port, agent: kept(), pauseMs: PAUSE_MS }
      const slow = await node.advisedUnder(
        clients(40, () => take('large.bin', slowly)),
        'slowClients',
      )
      expect(rulesOf(slow)).toEqual(['slowClients'])
      expect(slow[0]?.sentence).toContain('not this server and not the network')
    },
    LONG_MS,
  )

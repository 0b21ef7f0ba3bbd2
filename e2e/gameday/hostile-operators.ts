// SPDX-License-Identifier: MIT
// Hostile clients of the control plane, at the API and at the agents' listener. They come from addresses of their own: what is
// bounded by address must not touch the operator.
import { type IncomingMessage, request } from 'node:http'
import { request as requestTls } from 'node:https'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { GameFarm } from './farm.ts'
import { type Attack, Sockets } from './hostile-visitors.ts'

const FOR_MS = 8000
const STEP_MS = 100
const ADDRESS = '127.66.0.9'
const GIANT_BYTES = 64 * 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, '[')

type Ask = { method: string; path: string; headers?: Record<string, string>; body?: string }

/** Its status; 0: there was no answer. */
function ask(farm: GameFarm, { method, path, headers = {}, body = '' }: Ask): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const url = new URL(path, farm.consoleUrl)
  const origin = farm.consoleUrl
  const type = { 'content-type': 'application/json', origin, ...headers }
  const asked = request(url, { method, headers: type, localAddress: ADDRESS, timeout: FOR_MS })
  asked.on('response', (response: IncomingMessage) => {
    response.resume()
    response.on('close', () => resolve(response.statusCode ?? 0))
  })
  asked.on('timeout', () => asked.destroy())
  asked.on('error', () => resolve(0))
  asked.end(body)
  return promise
}

/** `perStep` questions each tenth of a second; how often which status came. */
async function flood(perStep: number, one: (nth: number) => Promise<number>): Promise<string> {
  const counts = new Map<number, number>()
  const underWay = new Set<Promise<void>>()
  const endsMs = performance.now() + FOR_MS
  for (let nth = 0; performance.now() < endsMs; ) {
    for (let i = 0; i < perStep && underWay.size < 200; i++) {
      const done = one(nth++).then((status) => {
        counts.set(status, (counts.get(status) ?? 0) + 1)
      })
      underWay.add(done)
      void done.finally(() => underWay.delete(done))
    }
    await sleep(STEP_MS)
  }
  await Promise.all(underWay)
  return toldOf(counts)
}

/** How often which status came; 0: none. */
function toldOf(counts: ReadonlyMap<number, number>): string {
  const sorted = [...counts].sort(([a], [b]) => a - b)
  return sorted.map(([status, n]) => `${n} × ${status === 0 ? 'no answer' : status}`).join(', ')
}

const signIns: Attack = {
  name: 'flood of sign-ins',
  against: 'control plane',
  run: (farm) =>
    flood(10, (nth) =>
      ask(farm, {
        method: 'POST',
        path: '/api/v1/session',
        body: JSON.stringify({
          username: nth % 2 ? 'admin' : `nobody-${nth}`,
          password: `guess ${nth}`,
        }),
      }),
    ),
}

const wrongTokens: Attack = {
  name: 'wrong tokens',
  against: 'control plane',
  run: (farm) =>
    flood(20, (nth) =>
      ask(farm, {
        method: 'GET',
        path: '/api/v1/nodes',
        headers: { authorization: `Bearer fst_${String(nth).padStart(43, 'x')}` },
      }),
    ),
}

/** A body that never ends, as fast as it is taken or a byte at a time. */
function endlessBody(farm: GameFarm, isSlow: boolean) {
  const { port, hostname } = new URL(farm.consoleUrl)
  const socket = connect({ port: Number(port), host: hostname, localAddress: ADDRESS })
  const head = [
    'POST /api/v1/session HTTP/1.1',
    `Host: ${hostname}:${port}`,
    `Origin: ${farm.consoleUrl}`,
    'Content-Type: application/json',
    `Content-Length: ${GIANT_BYTES}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  if (isSlow) {
    const timer = setInterval(() => socket.write('['), 500)
    socket.on('close', () => clearInterval(timer))
  } else {
    const more = () => {
      while (socket.writable && socket.write(PIECE));
    }
    socket.on('drain', more).on('connect', more)
  }
  return socket.resume()
}

const bodies = (name: string, most: number, isSlow: boolean): Attack => ({
  name,
  against: 'control plane',
  async run(farm) {
    const sockets = new Sockets()
    const endsMs = performance.now() + FOR_MS
    while (performance.now() < endsMs) {
      if (sockets.opened - sockets.closed < most) sockets.add(endlessBody(farm, isSlow))
      await sleep(STEP_MS / 2)
    }
    const told = sockets.asText
    sockets.destroy()
    return told
  },
})

const streams: Attack = {
  name: 'hoarders of event streams',
  against: 'control plane',
  async run(farm) {
    const { cookies } = farm.controlPlane.api.storageState
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const held: ReturnType<typeof request>[] = []
    const counts = new Map<number, number>()
    const endsMs = performance.now() + FOR_MS
    while (performance.now() < endsMs) {
      if (held.length < 300) {
        const url = new URL('/api/v1/events', farm.consoleUrl)
        const stream = request(url, { headers: { cookie }, localAddress: ADDRESS, agent: false })
        stream.on('response', (response) => {
          const status = response.statusCode ?? 0
          counts.set(status, (counts.get(status) ?? 0) + 1)
          // It is never read: what is sent to it must not be kept for it.
          response.pause()
          response.on('error', () => {})
        })
        stream.on('error', () => counts.set(0, (counts.get(0) ?? 0) + 1))
        stream.end()
        held.push(stream)
      }
      await sleep(STEP_MS / 4)
    }
    const told = toldOf(counts)
    for (const stream of held) stream.destroy()
    return `${held.length} asked for: ${told}`
  },
}

type Identity = { key: string; certificate: string } | null

/** What an agent asks, with or without an identity; its status, 0 for none. */
function askAsAgent(farm: GameFarm, message: string, body: string | Buffer, identity: Identity) {
  const { promise, resolve } = Promise.withResolvers<number>()
  const asked = requestTls({
    ...{ host: '127.0.0.1', port: farm.agentPort, method: 'POST', path: `/agent/v1/${message}` },
    ...(identity && { key: identity.key, cert: identity.certificate }),
    ...{ rejectUnauthorized: false, agent: false, timeout: FOR_MS },
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
  })
  asked.on('response', (response) => {
    response.resume()
    response.on('error', () => resolve(0))
    response.on('end', () => resolve(response.statusCode ?? 0))
  })
  asked.on('timeout', () => asked.destroy())
  asked.on('error', () => resolve(0))
  asked.end(body)
  return promise
}

const strangers: Attack = {
  name: 'agents without an identity',
  against: 'control plane',
  run: (farm) =>
    flood(5, (nth) => {
      const message = nth % 2 ? 'hello' : 'enrol'
      return askAsAgent(farm, message, JSON.stringify({ token: `guess-${nth}` }), null)
    }),
}

const MALFORMED: readonly (string | Buffer)[] = [
  '{',
  'null',
  '[]',
  '{"__proto__":{"nodeId":"x"}}',
  `{"windows":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  JSON.stringify({ windows: Array.from({ length: 5000 }, () => ({ seq: -1, startedMs: 1e308 })) }),
  Buffer.alloc(3 * 1024 * 1024, 0xff),
]

const malformed: Attack = {
  name: 'malformed agents',
  against: 'control plane',
  run: (farm) => {
    const identity = farm.simulated?.identity ?? null
    return flood(3, (nth) => {
      const message = ['hello', 'report', 'desired', 'samples'][nth % 4] ?? 'hello'
      return askAsAgent(farm, message, MALFORMED[nth % MALFORMED.length] ?? '', identity)
    })
  },
}

export const AGAINST_CONTROL_PLANE: readonly Attack[] = [
  ...[signIns, wrongTokens, strangers, malformed, streams],
  bodies('giant bodies', 4, false),
  bodies('slow bodies', 200, true),
]

// SPDX-License-Identifier: MIT
// Sends a row's bytes and says what came back: every response, and how the connection ended.
//
// Behind the row's bytes goes a probe, a plain request. Whether it is answered says whether the
// server took it for a request of its own, for a body, or for something it did not want to see.
// Reads responses of any server, so that compare.mjs can ask others; how strict ours has to be is
// said in the test.

import { once } from 'node:events'
import net from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

const PIECES_MAX = 400

export const PROBE = 'GET /probe.txt HTTP/1.1\r\nHost: test\r\nX-Probe: 1\r\n\r\n'

/** The body at the front of `rest`: its bytes and how many it took, or null while it is not whole. */
function takeBody(rest, headers, ended) {
  if (/chunked/i.test(headers['transfer-encoding'] ?? '')) {
    const parts = []
    for (let at = 0; ; ) {
      const line = rest.indexOf('\r\n', at)
      const size = line < 0 ? Number.NaN : Number.parseInt(rest.toString('latin1', at, line), 16)
      if (Number.isNaN(size) || rest.length < line + size + 4) return null
      parts.push(rest.subarray(line + 2, line + 2 + size))
      at = line + size + 4
      if (size === 0) return { body: Buffer.concat(parts), taken: at }
    }
  }
  const length = headers['content-length']
  if (length === undefined) return ended ? { body: rest, taken: rest.length } : null
  return rest.length < Number(length)
    ? null
    : { body: rest.subarray(0, Number(length)), taken: Number(length) }
}

function parseHead(text) {
  const [first, ...lines] = text.split('\r\n')
  const [, version, status, reason] = /^HTTP\/(\d\.\d) (\d{3})(?: (.*))?$/.exec(first) ?? []
  const headers = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    const value = line.slice(colon + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return { version, status: Number(status), reason, headers }
}

/** The responses in `bytes`, and what is left behind the last whole one. */
function takeResponses(bytes, isHead, ended) {
  const responses = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return { responses, rest }
    const response = parseHead(rest.toString('latin1', 0, end))
    if (!response.status) return { responses, rest }
    const bodiless =
      isHead[responses.filter((one) => one.status >= 200).length] ||
      response.status < 200 ||
      response.status === 204 ||
      response.status === 304
    const taken = bodiless
      ? { body: Buffer.alloc(0), taken: 0 }
      : takeBody(rest.subarray(end + 4), response.headers, ended)
    if (!taken) return { responses, rest }
    responses.push({ ...response, body: taken.body })
    rest = rest.subarray(end + 4 + taken.taken)
  }
}

/* What follows rides with the last piece: a server that closes may reset a client that goes on
 * sending behind its back, and take the answer away with it (RFC 9112 section 9.6). */
async function sendInPieces(socket, bytes, behind) {
  const size = Math.ceil(bytes.length / PIECES_MAX)
  socket.setNoDelay(true)
  for (let at = 0; at < bytes.length && socket.writable; at += size) {
    const piece = bytes.subarray(at, at + size)
    socket.write(at + size < bytes.length ? piece : Buffer.concat([piece, behind]))
    await nextTurn()
  }
}

async function send(socket, row, inPieces) {
  const bytes = Buffer.from(row.bytes, 'latin1')
  const behind = Buffer.from(row.hangsUp ? '' : PROBE)
  if (inPieces) await sendInPieces(socket, bytes, behind)
  else socket.write(Buffer.concat([bytes, behind]))
  if (row.hangsUp) socket.end()
}

/** Which of a row's responses answer HEAD. */
function headFlags(row) {
  return row.responses
    ? row.responses.map((one) => one.isHead === true)
    : [row.isHead ?? /^(\r\n)?HEAD[ \t]/.test(row.bytes)]
}

/**
 * The outcome of `row` (its `send` already turned into `bytes`) at `port`. Over when the server
 * closes, when the probe is answered, or when `quietMs` passed without a byte.
 */
export async function exchange(port, row, { inPieces = false, quietMs = 10_000 } = {}) {
  const isHead = headFlags(row)
  const wanted = (row.responses?.length ?? 1) + 1
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: row.hangsUp })
  await once(socket, 'connect')
  const chunks = []
  let closed = false
  let wake = () => {}
  socket.on('data', (chunk) => {
    chunks.push(chunk)
    wake()
  })
  for (const event of ['end', 'close', 'error'])
    socket.on(event, () => {
      closed = true
      wake()
    })
  const sent = send(socket, row, inPieces)
  try {
    for (;;) {
      const taken = takeResponses(Buffer.concat(chunks), isHead, closed)
      const count = taken.responses.filter((one) => one.status >= 200).length
      if (closed || count >= wanted) return { ...taken, closed, timedOut: false }
      const seen = chunks.length
      const timer = setTimeout(() => wake(), quietMs)
      await new Promise((resolve) => {
        wake = resolve
      })
      clearTimeout(timer)
      if (!closed && chunks.length === seen) return { ...taken, closed, timedOut: true }
    }
  } finally {
    socket.destroy()
    await sent
  }
}

/** What rows may need to know of the server's own validators. */
export async function contextOf(port) {
  const context = {}
  for (const [name, target] of [
    ['', '/a.txt'],
    ['numbers', '/numbers.txt'],
  ]) {
    const bytes = `GET ${target} HTTP/1.1\r\nHost: test\r\n\r\n`
    const { responses } = await exchange(port, { bytes })
    const { etag, 'last-modified': changed } = responses[0].headers
    context[name ? `${name}Etag` : 'etag'] = etag
    context[name ? `${name}Changed` : 'changed'] = changed
  }
  return context
}

/** The row with the bytes it sends to a server of that context. */
export function rowFor(row, context) {
  return { ...row, bytes: typeof row.send === 'function' ? row.send(context) : row.send }
}

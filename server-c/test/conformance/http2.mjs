// SPDX-License-Identifier: MIT
// The rows that ask the same over HTTP/2: one request, with a target of the usual form and fields that
// both versions have.

import http2 from 'node:http2'

const ofTheConnection = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** The fields of the request in `bytes`, or null where HTTP/2 has no such request. */
function fieldsOf(lines) {
  const fields = {}
  for (const line of lines) {
    // What is no field in either version no library sends.
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\t -~]*?)[ \t]*$/.exec(line) ?? []
    const lower = name?.toLowerCase()
    // Node's client makes one line of two.
    if (!name || lower in fields || ofTheConnection.has(lower)) return null
    fields[lower] = value
  }
  return fields
}

/** A row's bytes as a request of HTTP/2: its headers and content; null where there is none. */
export function asHttp2(bytes) {
  const end = bytes.indexOf('\r\n\r\n')
  const [first, ...lines] = bytes.slice(0, end).split('\r\n')
  const [, method, path] = /^([A-Z]+) ([!-~]+) HTTP\/1\.1$/.exec(first) ?? []
  const fields = end > 0 && path ? fieldsOf(lines) : null
  if (!fields?.host || method === 'CONNECT') return null
  if (path[0] !== '/' && !(path === '*' && method === 'OPTIONS')) return null
  const { host, ...rest } = fields
  const content = bytes.slice(end + 4)
  if (content.length !== Number(rest['content-length'] ?? 0)) return null
  return {
    headers: {
      ':method': method,
      ':scheme': 'http',
      ':authority': host,
      ':path': path,
      ...rest,
    },
    content: Buffer.from(content, 'latin1'),
  }
}

/** The response, in the form of exchange.mjs; `reset` when the stream was reset without one. */
export async function exchangeHttp2(session, { headers, content }) {
  const stream = session.request(headers, { endStream: content.length === 0 })
  if (content.length > 0) stream.end(content)
  const chunks = []
  let response = null
  stream.on('response', (got) => {
    response = got
  })
  stream.on('data', (chunk) => chunks.push(chunk))
  stream.on('error', () => {})
  await new Promise((resolve) => stream.on('close', resolve))
  if (!response) return { reset: stream.rstCode }
  const { ':status': status, ...rest } = response
  return { status, headers: { ...rest }, body: Buffer.concat(chunks), reset: stream.rstCode }
}

export const connectHttp2 = (port, options) =>
  http2.connect(`http://127.0.0.1:${port}`, options).on('error', () => {})

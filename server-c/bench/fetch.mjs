// SPDX-License-Identifier: MIT
// One request on a connection of its own, over each protocol that is measured.
import { Agent, request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { request as requestTls } from 'node:https'
import { connect as connectTls } from 'node:tls'

const ANSWER_WITHIN_MS = 5000
const HOST = '127.0.0.1'

/** The server answers, and speaks something else than it should. */
export class OtherProtocol extends Error {}

async function bodyOf(stream) {
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function fetchHttp1(ask, options) {
  return new Promise((resolve, reject) => {
    const outgoing = ask({ host: HOST, timeout: ANSWER_WITHIN_MS, ...options }, (answer) => {
      const { statusCode: status, headers } = answer
      bodyOf(answer).then((body) => resolve({ status, headers, body }), reject)
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')))
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** A socket on which the handshake has agreed on HTTP/2. @param {number} port @returns {Promise<import('node:tls').TLSSocket>} */
function socketForHttp2(port) {
  return new Promise((resolve, reject) => {
    const options = { host: HOST, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] }
    const socket = connectTls(options, () => {
      socket.off('error', reject)
      if (socket.alpnProtocol === 'h2') return resolve(socket)
      socket.destroy()
      reject(new OtherProtocol('it does not speak HTTP/2 over TLS'))
    })
    socket.on('error', reject)
  })
}

/** @param {number} port @param {Record<string, string>} headers @param {import('node:tls').TLSSocket} [socket] */
function fetchHttp2(port, headers, socket) {
  return new Promise((resolve, reject) => {
    const scheme = socket ? 'https' : 'http'
    const options = socket ? { createConnection: () => socket } : {}
    const session = connectHttp2(`${scheme}://${HOST}:${port}`, options)
    session.on('error', reject)
    // A peer that sends something else ends the session without an error.
    session.on('close', () => reject(new OtherProtocol('it does not speak HTTP/2')))
    session.setTimeout(ANSWER_WITHIN_MS, () => session.destroy(new Error('no answer')))
    const stream = session.request(headers)
    stream.on('error', reject)
    stream.on('response', ({ ':status': status, ...answered }) => {
      const done = (body) => {
        session.close()
        resolve({ status, headers: answered, body })
      }
      bodyOf(stream).then(done, reject)
    })
    stream.end()
  })
}

/**
 * Headers come back in lower case.
 * @param {number} port @param {string} path
 * @param {Record<string, string>} [headers]
 * @param {string} [protocol] as a load names it
 */
export async function fetchOnce(port, path, headers = {}, protocol = 'http') {
  const options = { port, path, headers }
  if (protocol === 'http')
    return fetchHttp1(request, { ...options, agent: new Agent({ maxSockets: 1 }) })
  if (protocol === 'https')
    return fetchHttp1(requestTls, { ...options, agent: false, rejectUnauthorized: false })
  const asked = { ':path': path, ...headers }
  return fetchHttp2(port, asked, protocol === 'h2' ? await socketForHttp2(port) : undefined)
}

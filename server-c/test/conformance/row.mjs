// SPDX-License-Identifier: MIT
// The words the tables are written in. README.md says what a row is.

const CRLF = '\r\n'

/** A head from its lines, with the empty line that ends it. */
export const head = (...lines) => `${lines.join(CRLF)}${CRLF}${CRLF}`

/** The request most rows vary: one file, all that HTTP/1.1 asks for, and `fields`. */
export const get = (...fields) => head('GET /a.txt HTTP/1.1', 'Host: test', ...fields)
export const getOf = (target, ...fields) => head(`GET ${target} HTTP/1.1`, 'Host: test', ...fields)
export const asked = (method, ...fields) =>
  head(`${method} /a.txt HTTP/1.1`, 'Host: test', ...fields)

/** Answered with `status`, and the connection goes on: the probe behind it is answered too. */
export const answered = (status, name, rfc, send, more = {}) => ({
  name,
  rfc,
  send,
  status,
  connection: 'kept',
  must: false,
  ...more,
})

/** a.txt comes whole, and the connection goes on. */
export const served = (name, rfc, send, more = {}) =>
  answered(200, name, rfc, send, { body: 'alpha\n', ...more })

/** Answered with `status`; then the connection ends and nothing behind it is read as a request. */
export const ended = (status, name, rfc, send, more = {}) =>
  answered(status, name, rfc, send, { connection: 'closed', ...more })

/* What the RFC leaves a server with a MUST or MUST NOT; the rows without are our policy. */

/** One of these statuses, and no other. Without any: the row's own. */
export const must = (...statuses) => ({ must: true, judge: { statuses } })

/** The connection ends, whatever the status (or with one of these). */
export const mustEnd = (...statuses) => ({ must: true, judge: { statuses, ended: true } })

/** The row's own status with the row's headers, body and number of responses. */
export const mustAll = { must: true, judge: { whole: true } }

/** The whole with 200, or with 206 parts that are what they say they are. */
export const mustPart = { must: true, judge: { part: true } }

/** Nothing in the body is taken for a request: the probe is answered, or the connection ends. */
export const mustFrame = {
  must: true,
  judge: {
    accepts: (_, { responses, closed }) =>
      responses.length === 1 ? closed : responses[1].body.toString() === 'probe\n',
  },
}

/** Any 4xx. */
export const must4xx = {
  must: true,
  judge: { accepts: ({ status }) => status >= 400 && status < 500 },
}

// SPDX-License-Identifier: MIT
// Compares what came back with what a row says: `checkRow` all of it, as our server has to answer;
// `meetsMust` only what the RFC leaves no server a choice in.

import assert from 'node:assert/strict'
import { bytesOf } from './docroot.mjs'

/** multipart/byteranges (RFC 9110 section 14.6) → [{headers, body}], however it is laid out. */
function partsOf(response) {
  const [, boundary] = /boundary="?([^";]+)"?/.exec(response.headers['content-type'] ?? '') ?? []
  assert.ok(boundary, 'multipart/byteranges with a boundary')
  const text = `\r\n${response.body.toString('latin1')}`
  const pieces = text.split(`\r\n--${boundary}`)
  assert.match(pieces.at(-1), /^--\s*$/, 'the last boundary ends it')
  return pieces.slice(1, -1).map((piece) => {
    const end = piece.indexOf('\r\n\r\n')
    const headers = Object.fromEntries(
      piece
        .slice(2, end)
        .split('\r\n')
        .map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 1).trim(),
        ]),
    )
    return { headers, body: Buffer.from(piece.slice(end + 4), 'latin1') }
  })
}

function checkPart(part, [first, last], whole) {
  assert.equal(part.headers['content-range'], `bytes ${first}-${last}/${whole.length}`)
  assert.ok(part.body.equals(whole.subarray(first, last + 1)), `the bytes of ${first}-${last}`)
}

/** Section 15.3.7: one part says in its head which, several say it each, and the head does not. */
function checkParts(response, { target, ranges }) {
  const whole = bytesOf(target)
  if (!/^multipart\//.test(response.headers['content-type'] ?? '')) {
    const said = /^bytes (\d+)-(\d+)\//.exec(response.headers['content-range'] ?? '')
    assert.ok(said, 'it says which part it is')
    const [first, last] = said.slice(1).map(Number)
    checkPart(response, [first, last], whole)
    assert.ok(
      ranges.some(([from]) => from >= first && from <= last),
      'it was asked for',
    )
    return
  }
  assert.ok(ranges.length > 1, 'one range is not multipart')
  assert.equal(response.headers['content-range'], undefined)
  for (const part of partsOf(response)) {
    const said = /^bytes (\d+)-(\d+)\//.exec(part.headers['content-range'] ?? '')
    assert.ok(said, 'each part says which it is')
    const [first, last] = said.slice(1).map(Number)
    checkPart(part, [first, last], whole)
  }
}

/** `ranges`: of `target`, in this order; one alone comes as a single part. */
function checkRanges(response, { target, ranges }) {
  const whole = bytesOf(target)
  if (ranges.length === 1) {
    checkPart(response, ranges[0], whole)
    return
  }
  assert.match(response.headers['content-type'], /^multipart\/byteranges;/)
  assert.equal(response.headers['content-range'], undefined, 'each part has its own Content-Range')
  const parts = partsOf(response)
  assert.equal(parts.length, ranges.length, 'number of parts')
  for (const [i, part] of parts.entries()) {
    checkPart(part, ranges[i], whole)
    assert.ok(part.headers['content-type'], 'each part has a Content-Type')
  }
}

function checkHeaders(response, wanted, context) {
  for (const [name, value] of Object.entries(wanted)) {
    const got = response.headers[name]
    const want = typeof value === 'function' ? value(context) : value
    if (want === null) assert.equal(got, undefined, `no ${name}`)
    else if (want instanceof RegExp) assert.match(got ?? '', want, name)
    else assert.equal(got, want, name)
  }
}

export function checkResponse(response, wanted, context) {
  assert.equal(response.status, wanted.status, 'status')
  if (wanted.headers) checkHeaders(response, wanted.headers, context)
  if (wanted.body !== undefined) assert.equal(response.body.toString('latin1'), wanted.body)
  if (wanted.ranges) checkRanges(response, wanted)
}

/** What each response of ours has, whatever was asked. */
function checkOurs({ version, status, reason, headers }) {
  assert.equal(version, '1.1', 'the version we speak')
  assert.ok(reason, 'a reason phrase')
  assert.match(headers.date ?? '', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/, 'Date')
  const isBare = status === 204 || status === 304
  if (isBare) assert.equal(headers['content-length'], undefined, 'no Content-Length')
  else assert.match(headers['content-length'] ?? '', /^\d+$/, 'Content-Length')
  if (status === 405) assert.match(headers.allow ?? '', /GET/, 'Allow')
}

const wantedOf = (row) => row.responses ?? [row]

export function checkRow(row, outcome, context) {
  const { responses, rest, closed, timedOut } = outcome
  const wanted = wantedOf(row)
  const seen = responses.map((one) => one.status)
  assert.equal(timedOut, false, `the server fell silent after ${JSON.stringify(seen)}`)
  assert.equal(rest.toString('latin1'), '', 'nothing but whole responses')
  for (const [i, want] of wanted.entries()) {
    assert.ok(responses[i], `response ${i + 1}; there were ${JSON.stringify(seen)}`)
    checkResponse(responses[i], want, context)
    checkOurs(responses[i])
  }
  if (row.connection === 'kept') {
    assert.equal(responses.length, wanted.length + 1, `the probe is answered: ${seen}`)
    assert.equal(responses.at(-1).body.toString(), 'probe\n')
    assert.equal(responses[wanted.length - 1].headers.connection === 'close', false)
  } else {
    assert.equal(responses.length, wanted.length, `nothing behind it is answered: ${seen}`)
    assert.ok(closed, 'the connection ends')
    if (!row.hangsUp)
      assert.equal(responses.at(-1).headers.connection, 'close', 'and the client is told so')
  }
  if (row.must) assert.ok(meetsMust(row, outcome, context), 'what the RFC leaves no choice in')
}

function passes(check) {
  try {
    check()
    return true
  } catch (error) {
    if (error instanceof assert.AssertionError) return false
    throw error
  }
}

/** Does any server's outcome meet the row's MUST? */
export function meetsMust(row, outcome, context) {
  const { responses, closed, timedOut } = outcome
  const { statuses = [], ended, accepts, whole, part } = row.judge
  const [first] = responses.filter((one) => one.status >= 200)
  const wanted = wantedOf(row)
  if (timedOut && !first) return false
  if (accepts) return first !== undefined && accepts(first, outcome)
  if (ended && (!closed || responses.length > wanted.length)) return false
  /* A server that hangs up without a word has not acted on what it was sent. */
  if (!first) return ended === true
  /* Range may be ignored (section 14.2); what calls itself a part has to be one. */
  if (part)
    return first.status === 200
      ? first.headers['content-range'] === undefined
      : first.status === 206 && passes(() => checkParts(first, row))
  if (whole)
    return passes(() => {
      for (const [i, want] of wanted.entries()) {
        assert.ok(responses[i])
        checkResponse(responses[i], want, context)
      }
    })
  if (statuses.length === 0) return ended === true || first.status === row.status
  return statuses.includes(first.status)
}

// SPDX-License-Identifier: MIT
// /metrics in the form that Accept names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startNode } from '../support/node.mjs'
import { exchange, get } from '../support/raw.mjs'

const PROTOBUF =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited'
const OPENMETRICS = 'application/openmetrics-text;version=1.0.0'

const scrape = (node, accept) =>
  exchange(
    node.adminPort,
    `GET /metrics HTTP/1.1\r\nHost: localhost\r\n${accept ? `Accept: ${accept}\r\n` : ''}\r\n`,
  )

/** The messages of a delimited stream; throws when it does not end with one. */
function messagesOf(bytes) {
  const messages = []
  for (let at = 0; at < bytes.length; ) {
    let length = 0
    let shift = 0
    for (;;) {
      const byte = bytes[at++]
      length += (byte & 0x7f) * 2 ** shift
      shift += 7
      if (byte < 0x80) break
    }
    assert.ok(at + length <= bytes.length)
    messages.push(bytes.subarray(at, at + length))
    at += length
  }
  return messages
}

test('the form is what the client names', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
  await get(node.port, '/a.txt')
  for (const [accept, type] of [
    [null, /^text\/plain; version=0\.0\.4; charset=utf-8$/],
    ['*/*', /^text\/plain; version=0\.0\.4/],
    ['application/json', /^text\/plain; version=0\.0\.4/],
    [
      `${OPENMETRICS},text/plain;version=0.0.4;q=0.5`,
      /^application\/openmetrics-text; version=1\.0\.0; charset=utf-8$/,
    ],
    [`${OPENMETRICS};q=0.4,text/plain;version=0.0.4;q=0.5`, /^text\/plain; version=0\.0\.4/],
    [
      `${PROTOBUF};q=0.6,${OPENMETRICS};q=0.5,*/*;q=0.1`,
      /^application\/vnd\.google\.protobuf; proto=io\.prometheus\.client\.MetricFamily; encoding=delimited$/,
    ],
  ]) {
    const response = await scrape(node, accept)
    assert.equal(response.status, 200)
    assert.match(response.headers['content-type'], type, accept)
    assert.equal(response.headers.vary, 'Accept')
  }
})

test('all forms tell of the same series', async (t) => {
  const node = await startNode(t, { files: { 'a.txt': 'alpha' } })
  for (let i = 0; i < 10; i++) await get(node.port, '/a.txt')
  const samples = (text) =>
    text
      .split('\n')
      .filter((line) => line && !line.startsWith('#') && !/^farmstead_\w+_created[ {]/.test(line))
  const classic = (await scrape(node)).text
  const open = (await scrape(node, OPENMETRICS)).text
  assert.deepEqual(samples(open), samples(classic))
  assert.match(open, /\n# EOF\n$/)
  const families = messagesOf((await scrape(node, PROTOBUF)).body).map((message) =>
    // Field 1, a string: the name.
    message.subarray(2, 2 + message[1]).toString(),
  )
  const types = [...classic.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
  assert.deepEqual(families, types)
})

test('OpenMetrics says since when it counts, and in which unit', async (t) => {
  const before = Date.now() / 1000 - 1
  const node = await startNode(t)
  const { text } = await scrape(node, OPENMETRICS)
  const created = [...text.matchAll(/^farmstead_\w+_created\{[^}]+\} ([\d.]+)$/gm)]
  assert.ok(created.length > 20)
  for (const [line, seconds] of created)
    assert.ok(Number(seconds) > before && Number(seconds) <= Date.now() / 1000, line)
  assert.match(text, /^# TYPE farmstead_requests counter$/m)
  assert.match(text, /^# UNIT farmstead_stage_seconds seconds$/m)
})

// SPDX-License-Identifier: MIT
// The control plane asks for the end of the error log.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { joinNode } from '../support/joined-node.mjs'
import { until } from '../support/node.mjs'

let control
let node, leave
before(async () => {
  ;({ control, node, leave } = await joinNode())
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await control.until('quiet', () => /generation 1 is confirmed/.test(node.log))
})
after(() => leave())

async function linesOf(requestId) {
  const find = () => control.of('logs').find(({ body }) => body.requestId === requestId)
  const { body } = await control.until('logs', find)
  return body
}

test('the newest lines come, each with its time and level', async () => {
  const { lines, droppedLines } = await linesOf(control.askForLog(500))
  assert.equal(droppedLines, 0)
  const written = await until(() => {
    const all = node.log.trim().split('\n')
    return all.length >= lines.length && all
  }, 'all of them on standard error, too')
  assert.deepEqual(
    lines.map(({ timeMs, level, text }) => `${new Date(timeMs).toISOString()} ${level} ${text}`),
    written.slice(0, lines.length),
  )
  assert.ok(lines.some(({ text }) => /generation 1 serves/.test(text)))
  const two = await linesOf(control.askForLog(2))
  assert.deepEqual(two.lines, lines.slice(-2))
})

test('who asks while another is answered gets an answer of their own', async () => {
  control.faults.logs = () => ({ delayMs: 500 })
  const first = control.askForLog(1)
  await control.until('logs', () => control.of('logs').some(({ body }) => body.requestId === first))
  const others = []
  for (let i = 0; i < 3; i++) {
    const polls = control.wishes().length
    others.push(control.askForLog(i + 1))
    await control.until('the next poll', () => control.wishes().length > polls)
  }
  control.faults = {}
  for (const [i, id] of others.entries()) assert.equal((await linesOf(id)).lines.length, i + 1)
})

test('the long poll goes on meanwhile, and a push still reaches the node', async () => {
  const requestId = control.askForLog(1)
  control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await linesOf(requestId)
})

test('a request of a kind that the node does not know is passed over', async () => {
  control.faults.desired = () => {
    control.faults = {}
    return { raw: JSON.stringify({ assignment: null, request: { kind: 'coreDump' } }) }
  }
  const requestId = control.askForLog(1)
  await control.until('asked again', () => control.faults.desired === undefined)
  control.assign(node.config('v3'))
  await node.untilVersion('v3')
  await linesOf(requestId)
})

test('the same request again and again is answered once, and not asked for in a tight loop', async () => {
  const answered = control.of('logs').length
  const request = { requestId: 'request_01jd4q6v2m8w3x5y7z9abcdefm', kind: 'errorLog', lines: 1 }
  const raw = JSON.stringify({ assignment: null, request })
  control.faults.desired = () => ({ raw })
  control.assign(node.config('v4')) // ends the poll under way
  await control.until('logs', () => control.of('logs').length > answered)
  const asked = control.wishes().length
  await new Promise((resolve) => setTimeout(resolve, 1000))
  assert.equal(control.of('logs').length, answered + 1)
  assert.ok(control.wishes().length - asked < 10)
  control.faults = {}
})

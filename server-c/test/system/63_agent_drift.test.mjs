// SPDX-License-Identifier: MIT
// A config that somebody changes on the node by hand: seen, told, served when asked, never overwritten
// silently.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { digestOf } from '../support/fake-control-plane.mjs'
import { joinNode } from '../support/joined-node.mjs'

let control
let node, leave
beforeEach(async () => {
  ;({ control, node, leave } = await joinNode())
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await control.until(
    'kept',
    () => /generation 1 is confirmed/.test(node.log) && existsSync(path()),
  )
})
afterEach(() => leave())

const path = () => join(node.state, 'config.jsonc')
const edit = (config) =>
  writeFileSync(path(), typeof config === 'string' ? config : JSON.stringify(config))
const reload = () => process.kill(node.pid, 'SIGHUP')
const lastDrift = () => control.of('report').at(-1)?.body.drift
const untilReported = (what, find) =>
  control.until(what, () => control.of('report').find(({ body }) => find(body)))

test('an edit is reported with its text, once, and served after a SIGHUP', async () => {
  assert.equal(readFileSync(path(), 'utf8'), `${control.assignment.release.configText}\n`)
  const edited = node.config('mine')
  edit(edited)
  const seen = await untilReported('drift', ({ drift }) => drift?.text)
  assert.equal(seen.body.drift.digest, digestOf(edited))
  assert.equal(seen.body.drift.isServed, false)
  assert.equal(await node.version(), 'v1')
  await control.until('the digest alone', () => {
    const drift = lastDrift()
    return drift && !('text' in drift) && drift.digest === digestOf(edited)
  })
  reload()
  await node.untilVersion('mine')
  const served = await untilReported('served', ({ drift }) => drift?.isServed)
  assert.equal(served.body.effective.source, 'local')
  assert.equal(served.body.effective.digest, digestOf(edited))
  assert.equal(served.body.effective.generation, 1)
  await node.stop()
  const hellos = control.of('hello').length
  node.start()
  await node.untilVersion('mine')
  await control.until('hello', () => control.of('hello').length > hellos)
  const { drift, effective } = control.of('hello').at(-1).body
  assert.deepEqual([drift.text, drift.isServed], [JSON.stringify(edited), true])
  assert.equal(effective.source, 'local')
})

test('a bad edit is told with the places of its errors and never served', async () => {
  edit('{ "listen": [')
  reload()
  const { body } = await untilReported('drift', ({ drift }) => drift?.errors)
  assert.equal(body.drift.isServed, false)
  assert.deepEqual([body.drift.errors[0].line, body.drift.errors[0].code], [1, 'syntax'])
  await control.until('a line', () => /config.jsonc is not served/.test(node.log))
  assert.equal(await node.version(), 'v1')
  edit(node.config('mine', { sites: [{ hosts: ['*'], root: join(node.dir, 'nonexistent') }] }))
  reload()
  await untilReported('missing', ({ drift }) => drift?.errors?.[0].code === 'missing_file')
  assert.equal(await node.version(), 'v1')
  await node.stop()
  node.start()
  await node.untilVersion('v1')
})

test('an assignment waits until the edit is discarded', async () => {
  const edited = node.config('mine')
  edit(edited)
  reload()
  await node.untilVersion('mine')
  const refused = control.assign(node.config('v2')).generation
  await control.until('nack', () => control.of('nack', refused).length > 0)
  assert.equal(control.of('nack', refused)[0].body.code, 'local_change')
  assert.equal(await node.version(), 'mine')
  const { generation, release } = control.assign(node.config('v3'), {
    replacesDrift: digestOf(edited),
  })
  await node.untilVersion('v3')
  await control.until('confirm', () => control.of('confirm', generation).length > 0)
  await untilReported(
    'no drift',
    (body) => body.drift === null && body.effective?.generation === generation,
  )
  assert.equal(readFileSync(path(), 'utf8'), `${release.configText}\n`)
})

test("an edit that is adopted goes on serving, as the control plane's", async () => {
  const edited = node.config('mine')
  edit(edited)
  reload()
  await node.untilVersion('mine')
  const before = await untilReported('served', ({ drift }) => drift?.isServed)
  const { generation } = control.assign(edited)
  const after = await untilReported(
    'adopted',
    (body) => body.drift === null && body.effective?.generation === generation,
  )
  assert.equal(after.body.effective.reloads, before.body.effective.reloads)
  assert.ok(!('source' in after.body.effective))
})

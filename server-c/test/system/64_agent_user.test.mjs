// SPDX-License-Identifier: MIT
// A joined node becomes the user its first config names, with its state folder, or refuses it.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { run } from '../support/agent-node.mjs'
import { joinNode } from '../support/joined-node.mjs'

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }
const uidOf = (name) => Number(execFileSync('id', ['-u', name]).toString())

let control
let node, leave
beforeEach(async () => {
  ;({ control, node, leave } = await joinNode())
})
afterEach(() => leave())

test('process.chroot is refused, and the next config is taken', async () => {
  node.start()
  control.assign(node.config('v1', { process: { chroot: '/' } })) // all paths are right there
  await control.until('a refusal', () =>
    control.said.some(({ body }) => /chroot/.test(JSON.stringify(body))),
  )
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await node.untilConfirmed(generation)
})

test('the node becomes the user and goes on with its own files', needsRoot, async () => {
  chmodSync(node.dir, 0o755)
  node.start()
  const pidFile = join(node.dir, 'node.pid')
  const first = control.assign(node.config('v1', { process: { user: 'nobody', pidFile } }))
  await node.untilVersion('v1')
  await node.untilConfirmed(first.generation)
  const uid = uidOf('nobody')
  for (const task of readdirSync(`/proc/${node.servingPid}/task`)) {
    const status = readFileSync(`/proc/${node.servingPid}/task/${task}/status`, 'utf8')
    assert.match(status, new RegExp(`^Uid:\\t${uid}\\t${uid}\\t${uid}\\t${uid}$`, 'm'))
  }
  assert.equal(readFileSync(pidFile, 'utf8'), `${node.pid}\n`)
  const second = control.assign(node.config('v2', { process: { user: 'nobody' } }))
  await node.untilVersion('v2')
  await node.untilConfirmed(second.generation)
  assert.equal(statSync(node.state).uid, uid)
  for (const name of readdirSync(node.state))
    assert.equal(statSync(join(node.state, name)).uid, uid)
  // And after a restart, as root again.
  assert.equal(await node.stop(), 0)
  node.start()
  await node.untilVersion('v2')
})

test('logs that root opened for the user do not stop the next config', needsRoot, async () => {
  chmodSync(node.dir, 0o755)
  const access = join(node.dir, 'access.log')
  const errors = join(node.dir, 'error.log')
  const options = {
    process: { user: 'nobody' },
    accessLog: { path: access },
    errorLog: { path: errors },
  }
  node.start()
  const first = control.assign(node.config('v1', options))
  await node.untilVersion('v1')
  await node.untilConfirmed(first.generation)
  for (const path of [access, errors]) assert.equal(statSync(path).uid, uidOf('nobody'))
  const second = control.assign(node.config('v2', options))
  await node.untilVersion('v2')
  await node.untilConfirmed(second.generation)
})

test('a config that is refused leaves no log of its own behind', needsRoot, async () => {
  node.start()
  const errors = join(node.dir, 'error.log')
  control.assign(node.config('v1', { process: { chroot: '/' }, errorLog: { path: errors } }))
  await control.until('a refusal', () =>
    control.said.some(({ body }) => /chroot/.test(JSON.stringify(body))),
  )
  // What the node says of it goes to where its log was.
  await control.until('why', () => /generation 1 could not be applied/.test(node.log))
  control.assign(node.config('v2'))
  await node.untilVersion('v2')
})

test("what root joins into the folder of another user is that user's", needsRoot, async () => {
  const uid = uidOf('nobody')
  const owners = () => readdirSync(node.state).map((name) => statSync(join(node.state, name)).uid)
  assert.ok(owners().every((owner) => owner === 0))
  for (const name of ['', ...readdirSync(node.state)]) chownSync(join(node.state, name), uid, uid)
  const token = control.makeToken()
  const joined = await run(
    ...['join', control.url, '--token', token, '--state', node.state],
    ...['--insecure-http', '--rejoin'],
  )
  assert.equal(joined.code, 0, joined.stderr)
  assert.ok(owners().every((owner) => owner === uid))
})

test('a user that does not exist is refused', async () => {
  node.start()
  control.assign(node.config('v1', { process: { user: 'no-such-user' } }))
  await control.until('a refusal', () =>
    control.said.some(({ body }) => /no-such-user/.test(JSON.stringify(body))),
  )
  control.assign(node.config('v2'))
  await node.untilVersion('v2')
})

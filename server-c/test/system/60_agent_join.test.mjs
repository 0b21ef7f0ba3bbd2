// SPDX-License-Identifier: MIT
// farmstead-node join over plain HTTP, and the ways in which `run` does not begin.
import assert from 'node:assert/strict'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { AgentNode, run } from '../support/agent-node.mjs'
import { FakeControlPlane } from '../support/fake-control-plane.mjs'
import { tempFolder } from '../support/node.mjs'
import { preload } from '../support/preload.mjs'

let control
let dir
before(async () => {
  control = await new FakeControlPlane({ isPlain: true }).start()
  dir = mkdtempSync(join(tmpdir(), 'farmstead-join-'))
})
after(async () => {
  await control.stop()
  rmSync(dir, { recursive: true, force: true })
  assert.deepEqual(control.violations, [])
})

const joinWith = (state, ...more) =>
  run('join', control.url, '--token', control.makeToken(), '--state', state, ...more)

test('join makes a private state folder and says what to do next', async () => {
  const state = join(dir, 'deep', 'state')
  const { code, stdout, stderr } = await joinWith(state, '--name', 'edge-7', '--insecure-http')
  assert.equal(stderr, '')
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^joined http:\S+ as "edge-7" \(node_\w+\); next: farmstead-node run --state \S+\n$/,
  )
  assert.equal(statSync(state).mode & 0o777, 0o700)
  assert.equal(statSync(join(state, 'identity.json')).mode & 0o777, 0o600)
  const identity = JSON.parse(readFileSync(join(state, 'identity.json'), 'utf8'))
  assert.deepEqual(Object.keys(identity).sort(), [
    ...['controlPlaneId', 'controlPlaneUrl', 'credential', 'insecureHttp', 'name', 'nodeId'],
  ])
  assert.equal(identity.controlPlaneId, control.controlPlaneId)
  const [enrol] = control.of('enrol')
  assert.equal(enrol.body.name, 'edge-7')
  assert.match(enrol.body.os, /\w/)
  assert.ok(!stdout.includes(identity.credential), 'the credential is never printed')
})

test('every name that join leaves is on the disk, the new folders above the state, too', async (t) => {
  const witness = join(tempFolder(t), 'witness')
  const state = join(dir, 'new', 'folders', 'state')
  const { code, stderr } = await run(
    { wrap: preload('sync_witness', { SYNC_WITNESS: witness }) },
    ...['join', control.url, '--token', control.makeToken(), '--state', state, '--insecure-http'],
  )
  assert.equal(code, 0, stderr)
  const seen = readFileSync(witness, 'utf8').trim().split('\n')
  const made = [...new Set(seen.filter((line) => line.startsWith('made ')))]
  // A folder is there for good before anything is in it.
  for (const path of ['new', 'new/folders', 'new/folders/state.joining', 'new/folders/state']) {
    const at = seen.indexOf(`made ${join(dir, path)}`)
    assert.equal(seen[at + 1], `synced ${dirname(join(dir, path))}`, seen.join('\n'))
  }
  for (const line of made) {
    const folder = `synced ${dirname(line.slice('made '.length))}`
    assert.ok(seen.lastIndexOf(folder) > seen.indexOf(line), `${line} in\n${seen.join('\n')}`)
  }
})

test('join refuses to overwrite an identity, unless told to', async () => {
  const state = join(dir, 'again')
  assert.equal((await joinWith(state, '--insecure-http')).code, 0)
  const first = readFileSync(join(state, 'identity.json'), 'utf8')
  const refused = await joinWith(state, '--insecure-http')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /is node "\S+" of http\S+ already: .*--rejoin/)
  assert.equal(readFileSync(join(state, 'identity.json'), 'utf8'), first)
  assert.equal((await joinWith(state, '--insecure-http', '--rejoin')).code, 0)
  assert.notEqual(readFileSync(join(state, 'identity.json'), 'utf8'), first)
})

test('join over plain http needs the flag, and spends no token without it', async () => {
  const before = control.said.length
  const { code, stderr } = await joinWith(join(dir, 'plain'))
  assert.equal(code, 1)
  assert.match(stderr, /--insecure-http/)
  assert.equal(control.said.length, before)
})

test('a spent token, a wrong address and a silent one each have their sentence', async () => {
  const flags = ['--state', join(dir, 'none'), '--insecure-http']
  const spent = await run('join', control.url, '--token', 'fst_0123456789abcdef', ...flags)
  assert.equal(spent.code, 1)
  assert.match(spent.stderr, /refuses \(token_used\): This enrolment token has been used/)
  control.faults.enrol = () => ({ raw: '<!doctype html>' })
  const page = await run('join', control.url, '--token', control.makeToken(), ...flags)
  delete control.faults.enrol
  assert.equal(page.code, 1)
  assert.match(page.stderr, /not JSON/)
  const nobody = await run(
    ...['join', `http://127.0.0.1:${await freePort()}`, '--token', 'fst_0123456789abcdef'],
    ...flags,
  )
  assert.equal(nobody.code, 1)
  assert.match(nobody.stderr, /no control plane at http:\S+: /)
  assert.deepEqual(
    readdirSync(dir).filter((name) => name.startsWith('none')),
    [],
    'a join that failed leaves no folder',
  )
})

test('join leaves a folder with other files alone', async () => {
  const state = join(dir, 'home')
  mkdirSync(state)
  writeFileSync(join(state, 'thesis.txt'), '')
  const { code, stderr } = await joinWith(state, '--insecure-http')
  assert.equal(code, 1)
  assert.match(stderr, /has other files in it: name a new or empty folder/)
})

const badUsage = [
  ['join'],
  ['join', 'https://127.0.0.1:1'],
  ['join', 'https://127.0.0.1:1', '--token', 'short', '--state', '/tmp/x'],
  ['join', 'ftp://127.0.0.1:1', '--token', 'fst_0123456789abcdef', '--state', '/tmp/x'],
  ['join', 'https://u@127.0.0.1/', '--token', 'fst_0123456789abcdef', '--state', '/tmp/x'],
  ['join', 'https://h/', '--token', 'fst_0123456789abcdef', '--state', '/tmp/x', '--name', 'A_b'],
  ['join', 'https://h/', '--token', 'fst_0123456789abcdef', '--state', '/tmp/x', '--what'],
  ['run'],
  ['run', '--state'],
  ['run', '--state', '/tmp/x', 'more'],
  ['run', '--state', '/tmp/x', '--child', '3'],
  ['run', '--state', '/tmp/x', '--child', '0,1,2'],
  ['run', '--state', '/tmp/x', '--child', '97,98,99'],
]
for (const args of badUsage) {
  test(`bad usage: ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await run(...args)
    assert.equal(code, 2)
    assert.equal(stdout, '')
    assert.match(stderr, /^farmstead-node (join|run): .*usage: farmstead-node (join|run) .*\n$/)
    assert.equal(stderr.split('\n').length, 2, 'one line')
  })
}

test('join says that an IPv6 address stands in brackets', async () => {
  const flags = ['--token', 'fst_0123456789abcdef', '--state', join(dir, 'v6')]
  const { code, stderr } = await run('join', 'https://::1:9701', ...flags)
  assert.equal(code, 2)
  assert.match(stderr, /an IPv6 address stands in brackets, as in https:\/\/\[::1\]:9701/)
})

test('run without a state folder, without an identity or with a torn one says what to do', async () => {
  const missing = await run('run', '--state', join(dir, 'nowhere'))
  assert.equal(missing.code, 1)
  assert.match(missing.stderr, /nowhere: cannot open the state folder: No such file/)
  const empty = join(dir, 'empty')
  mkdirSync(empty)
  const unjoined = await run('run', '--state', empty)
  assert.equal(unjoined.code, 1)
  assert.match(unjoined.stderr, /is no node yet: run farmstead-node join URL/)
  writeFileSync(join(empty, 'identity.json'), '{"controlPlaneUrl": "htt')
  const torn = await run('run', '--state', empty)
  assert.equal(torn.code, 1)
  assert.match(torn.stderr, /identity.json: not JSON.*--rejoin/)
})

test('one state folder is used by one run at a time', async () => {
  const node = await AgentNode.join(control)
  node.start()
  await control.until('hello', () => control.of('hello').length > 0)
  const second = await run('run', '--state', node.state)
  assert.equal(second.code, 1)
  assert.match(second.stderr, /another farmstead-node uses this state folder; waiting 14 s/)
  assert.match(second.stderr, /another farmstead-node uses this state folder: stop it/)
  assert.equal((await joinWith(node.state, '--insecure-http', '--rejoin')).code, 1)
  await node.dispose()
})

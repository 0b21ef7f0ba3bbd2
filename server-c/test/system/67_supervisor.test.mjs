// SPDX-License-Identifier: MIT
// The parent of `run` and the process that serves: whichever is killed, whenever, the node comes back
// with a config that is known to be good, and says what happened to the other.
import assert from 'node:assert/strict'
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { joinNode } from '../support/joined-node.mjs'

const needsRoot = { skip: process.getuid() !== 0 && 'needs root' }

/** A sanitizer must not take these for faults of the program's own. */
const signalsAreOurs = 'handle_segv=0:handle_abort=0'
const env = {
  ASAN_OPTIONS: [process.env.ASAN_OPTIONS, signalsAreOurs].filter(Boolean).join(':'),
  TSAN_OPTIONS: [process.env.TSAN_OPTIONS, signalsAreOurs].filter(Boolean).join(':'),
}

const LARGE = 32 * 1024 * 1024 // more than the kernel takes at once

let control
let node, leave
beforeEach(async () => {
  ;({ control, node, leave } = await joinNode())
})
afterEach(() => leave())

const start = () => node.start(env)

const confirmedGeneration = () => {
  const path = join(node.state, 'confirmed.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).generation : 0
}

const untilConfirmed = (generation) =>
  control.until(`generation ${generation} kept`, () => confirmedGeneration() === generation)

async function serving(version) {
  const { generation } = control.assign(node.config(version))
  if (node.pid === undefined) start()
  await node.untilVersion(version)
  await untilConfirmed(generation)
}

/** One that nobody has waited for yet is dead, too. */
function lives(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Ends the serving process; resolves when there is another. */
async function crash(signal = 'SIGSEGV') {
  const pid = node.servingPid
  process.kill(pid, signal)
  return control.until('another process', () => {
    const now = node.servingPid
    return now !== undefined && now !== pid && now
  })
}

/** The lastResult that says how `generation` was taken back. */
const untilTold = (generation, from = 0) =>
  control.until(`the end of generation ${generation}`, () => {
    const told = control
      .of('hello')
      .slice(from)
      .filter((one) => one.status === 200)
    return told
      .map(({ body }) => body.lastResult)
      .find((one) => one?.generation === generation && one.outcome === 'reverted')
  })

test('a confirmed config comes back by itself, crash after crash', async () => {
  await serving('v1')
  for (const signal of ['SIGKILL', 'SIGSEGV', 'SIGABRT', 'SIGKILL']) {
    await crash(signal)
    await node.untilVersion('v1')
  }
  assert.match(node.log, /killed by signal 9 \(Killed.*starting it again in 100 ms/)
  assert.match(node.log, /killed by signal 11 \(Segmentation fault.*starting it again in 200 ms/)
  assert.match(node.log, /killed by signal 6 \(Aborted.*starting it again in 400 ms/)
  assert.equal(confirmedGeneration(), 1)
  await serving('v2')
})

test('a config that crashes twice before it is confirmed is taken back, and told how', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await crash()
  await node.untilVersion('v2')
  assert.match(node.log, /generation 2 ran when the serving process ended .*a second try/)
  const hellos = control.of('hello').length
  await crash()
  await node.untilVersion('v1')
  const result = await untilTold(generation, hellos)
  assert.deepEqual(
    [result.outcome, result.reason, result.effective.generation],
    ['reverted', 'crash_loop', 1],
  )
  assert.match(result.message, /ended twice before it was confirmed: killed by signal 11 \(Segm/)
  assert.ok(result.evidence.some((line) => /warn agent: generation 2 ran when/.test(line)))
  await control.until('a tidy folder', () => !existsSync(join(node.state, 'crash.json')))
  // The next one is an apply like any other.
  control.confirming = 'yes'
  await serving('v3')
})

test('a config that crashes once gets its second try confirmed', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await crash('SIGKILL')
  control.confirming = 'yes'
  await node.untilVersion('v2')
  await untilConfirmed(generation)
  await crash()
  await crash()
  await node.untilVersion('v2')
})

test('the time to be confirmed runs on over a crash', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'), { confirmWithinMs: 1500 })
  await node.untilVersion('v2')
  await crash()
  await control.until('a revert', () =>
    control.of('result', generation).some(({ body }) => body.reason === 'unconfirmed'),
  )
  await node.untilVersion('v1')
})

test('a first config that crashes twice leaves nothing served', async () => {
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v1'))
  start()
  await node.untilVersion('v1')
  await crash()
  await node.untilVersion('v1')
  const hellos = control.of('hello').length
  await crash()
  const result = await untilTold(generation, hellos)
  assert.deepEqual([result.reason, result.effective], ['crash_loop', null])
  assert.equal(await node.version(), 'ECONNREFUSED')
  control.confirming = 'yes'
  await serving('v2')
})

test('how a config crashed is told after both processes were killed, too', async () => {
  await serving('v1')
  control.confirming = 'no'
  const { generation } = control.assign(node.config('v2'))
  await node.untilVersion('v2')
  await control.stop()
  await crash()
  await node.untilVersion('v2')
  await crash()
  await node.untilVersion('v1')
  await node.stop('SIGKILL')
  const hellos = control.of('hello').length
  await control.start()
  start()
  const result = await untilTold(generation, hellos)
  assert.deepEqual([result.outcome, result.reason], ['reverted', 'crash_loop'])
  await node.untilVersion('v1')
})

test('killed at any moment, again and again, it serves what was confirmed', async (t) => {
  await serving('v0')
  const kills = Number(process.env.FARMSTEAD_KILLS ?? 12)
  const seen = { parent: 0, child: 0 }
  for (let i = 1; i <= kills; i++) {
    const { generation } = control.assign(node.config(`v${i}`))
    await sleep(Math.random() * 20)
    if (i % 3 === 0) {
      await node.stop('SIGKILL')
      start()
      seen.parent++
    } else {
      await crash('SIGKILL')
      seen.child++
    }
    // What was cut off between ack and confirmation is offered anew, as a rollout would do.
    await control.until('an outcome', () => {
      const told = control.of('hello').at(-1)?.body.lastResult
      return confirmedGeneration() === generation || told?.generation === generation
    })
    if (confirmedGeneration() !== generation) {
      if (control.of('hello').at(-1).body.lastResult.outcome === 'reverted')
        control.assign(node.config(`v${i}`))
      await untilConfirmed(control.assignment.generation)
    }
    await node.untilVersion(`v${i}`)
  }
  t.diagnostic(`${seen.parent} kills of the parent, ${seen.child} of the serving process`)
})

test('the serving process ends with its parent, and a new start finds all free', async () => {
  await serving('v1')
  const child = node.servingPid
  await node.stop('SIGKILL')
  start()
  await node.untilVersion('v1')
  assert.ok(!lives(child))
})

test('… also after it has become another user', needsRoot, async (t) => {
  chmodSync(node.dir, 0o755)
  control.assign(node.config('v1', { process: { user: 'nobody' } }))
  start()
  await node.untilVersion('v1')
  await untilConfirmed(1)
  const child = node.servingPid
  const uid = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${child}/status`, 'utf8'))[1]
  assert.notEqual(uid, '0')
  t.after(() => lives(child) && process.kill(child, 'SIGKILL'))
  await node.stop('SIGKILL')
  await control.until('its end', () => !lives(child))
  // And its successor has the rights of the start again.
  start()
  await node.untilVersion('v1')
  await crash()
  await node.untilVersion('v1')
})

test('SIGTERM lets a response end, then both processes', async () => {
  writeFileSync(join(node.root, 'large.bin'), Buffer.alloc(LARGE))
  await serving('v1')
  const child = node.servingPid
  const answer = await fetch(`http://127.0.0.1:${node.port}/large.bin`)
  const [body, code] = await Promise.all([answer.arrayBuffer(), node.stop('SIGTERM')])
  assert.equal(body.byteLength, LARGE)
  assert.equal(code, 0)
  assert.ok(!lives(child))
})

test('SIGTERM between two processes is a stop like any other', async () => {
  await serving('v1')
  for (let i = 0; i < 3; i++) await crash('SIGKILL')
  process.kill(node.servingPid, 'SIGKILL')
  await control.until('a gap', () => node.servingPid === undefined)
  assert.equal(await node.stop('SIGTERM'), 0)
})

test('a serving process that is told to stop by hand takes its parent with it', async () => {
  await serving('v1')
  const { pid } = node
  process.kill(node.servingPid, 'SIGTERM')
  await control.until('the end of both', () => !lives(pid))
  assert.equal(await node.stop(), 0)
})

test('the parent has one thread and no socket of any network', async () => {
  await serving('v1')
  assert.equal(readdirSync(`/proc/${node.pid}/task`).length, 1)
  const network = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8')
      .split('\n')
      .map((line) => `socket:[${line.trim().split(/\s+/)[9]}]`),
  )
  const open = (pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
  assert.ok(
    open(node.servingPid).some((one) => network.includes(one)),
    'the child has some',
  )
  assert.deepEqual(
    open(node.pid).filter((one) => network.includes(one)),
    [],
  )
})

// SPDX-License-Identifier: MIT
// Rare states of a node that must neither hurt others nor hold it up.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from '../support/agent-node.mjs'
import { joinNode } from '../support/joined-node.mjs'

/** A node that serves "v1", confirmed. */
async function farm(t) {
  const { control, node, leave } = await joinNode()
  const before = []
  t.after(async () => {
    for (const cleanUp of before) await cleanUp()
    await leave()
  })
  control.assign(node.config('v1'))
  node.start()
  await node.untilVersion('v1')
  await node.untilConfirmed(1)
  /** What must be undone before the node's folder is removed. */
  const beforeLeaving = (cleanUp) => before.push(cleanUp)
  return { control, node, beforeLeaving }
}

describe('rare states', { concurrency: 4 }, () => {
  test('hellos that change nothing are said ever more rarely', async (t) => {
    const { control, node } = await farm(t)
    // As when another machine runs with a copy of the state folder: each one's hello shuts out the other.
    control.faults.report = () => ({ status: 409, code: 'say_hello' })
    const before = control.of('hello').length
    await sleep(2500)
    const hellos = control.of('hello').length - before
    assert.ok(hellos >= 1 && hellos <= 12, `${hellos} hellos in 2.5 s`)
    await control.until('a warning', () => /copy of this state folder/.test(node.log))
    control.faults = {}
    control.assign(node.config('v2'))
    await node.untilVersion('v2')
  })

  test('SIGHUP without an edit changes nothing', async (t) => {
    const { control, node } = await farm(t)
    process.kill(node.pid, 'SIGHUP')
    await control.until('a line', () => /generation 1 serves as it was confirmed/.test(node.log))
    assert.equal(await node.version(), 'v1')
  })

  for (const [what, fault] of Object.entries({
    'a redirect': { status: 302, raw: '' },
    'an error of a proxy': { status: 404, raw: '<html>Not found</html>' },
    'a page of a proxy': { raw: '<html>Please log in</html>' },
  })) {
    test(`${what} is no answer to an ack: the assignment waits for the control plane's`, async (t) => {
      const { control, node } = await farm(t)
      control.faults.ack = () => fault
      const { generation } = control.assign(node.config('v2'))
      await control.until('acks', () => control.of('ack', generation).length >= 2)
      assert.equal(await node.version(), 'v1')
      control.faults = {}
      await node.untilVersion('v2')
      await control.until('confirm', () => control.of('confirm', generation).length > 0)
    })
  }

  test('a name that is long to look up holds up no stop', async (t) => {
    const { node } = await farm(t)
    // What getaddrinfo does while no name server answers.
    const source = join(node.dir, 'slow.c')
    const library = join(node.dir, 'slow.so')
    writeFileSync(
      source,
      `#include <netdb.h>
     #include <unistd.h>
     int getaddrinfo(const char *n, const char *s, const struct addrinfo *h, struct addrinfo **r)
     { (void)n, (void)s, (void)h, (void)r; sleep(20); return EAI_AGAIN; }`,
    )
    try {
      execFileSync('cc', ['-shared', '-fPIC', '-o', library, source])
    } catch {
      t.skip('no C compiler')
      return
    }
    await node.stop()
    const identity = join(node.state, 'identity.json')
    execFileSync('sed', ['-i', 's,https://127.0.0.1:,https://control.invalid:,', identity])
    const sanitizer = `${process.env.ASAN_OPTIONS ?? ''}:verify_asan_link_order=0`
    node.start({ LD_PRELOAD: library, ASAN_OPTIONS: sanitizer })
    await node.untilVersion('v1')
    await sleep(300)
    const began = performance.now()
    assert.equal(await node.stop(), 0)
    assert.ok(performance.now() - began < 4000, `took ${performance.now() - began} ms`)
    rmSync(library)
  })

  test('a state folder on a full or a read-only disk keeps no node from serving', async (t) => {
    const { control, node, beforeLeaving } = await farm(t)
    const disk = join(node.dir, 'disk')
    const mount = (options) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk])
    mkdirSync(disk)
    try {
      mount('size=256k')
    } catch {
      t.skip('only root may mount')
      return
    }
    beforeLeaving(async () => {
      await node.stop()
      execFileSync('umount', ['-l', disk])
    })
    await node.stop()
    node.state = join(disk, 'state')
    const joinAgain = (...more) =>
      run(...['join', control.url, '--token', control.makeToken(), '--state', node.state], ...more)
    assert.equal((await joinAgain()).code, 0)
    node.start()
    await control.until('kept', () => existsSync(join(node.state, 'confirmed.json')))

    assert.throws(() => writeFileSync(join(disk, 'fill'), Buffer.alloc(300_000)), /ENOSPC/)
    const { generation } = control.assign(node.config('v2'))
    await control.until('nack', () => control.of('nack', generation).length > 0)
    assert.equal(control.of('nack', generation)[0].body.code, 'resource_limit')
    assert.equal(await node.version(), 'v1')
    await node.stop()
    const enrolments = control.of('enrol').length
    const full = await joinAgain('--rejoin')
    assert.equal(full.code, 1)
    assert.match(full.stderr, /No space left/)
    assert.equal(control.of('enrol').length, enrolments, 'the token is not spent')

    rmSync(join(disk, 'fill'))
    execFileSync('mount', ['-o', 'remount,ro', disk])
    node.start()
    await node.untilVersion('v1')
    assert.equal((await joinAgain('--rejoin')).code, 1)
    assert.equal(control.of('enrol').length, enrolments, 'nor here')
  })
})

// SPDX-License-Identifier: MIT
// Logs on a disk that does not answer, standard error that nobody reads: nobody waits for them, a node can
// be reloaded and stopped, and what is lost is counted.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import {
  closeSync,
  constants,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { ends } from '../support/ends.mjs'
import { hungDisk } from '../support/hung-disk.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'
import { nodeBinary, startNode, tempFolder, until } from '../support/node.mjs'
import { get, RawClient, request } from '../support/raw.mjs'

const files = { 'a.txt': 'alpha' }

/** A pipe that takes no more, and nobody reads: its end for a child's standard error. */
function fullPipe(t) {
  const path = join(tempFolder(t), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writer = openSync(path, 'w')
  t.after(() => [reader, writer].forEach(closeSync))
  const block = Buffer.alloc(4096)
  for (;;) {
    try {
      writeSync(reader, block)
    } catch (error) {
      assert.equal(error.code, 'EAGAIN')
      return writer
    }
  }
}

/** `serve` with what a shell makes of its descriptors, on a port of its own. */
async function startServe(t, { redirect = '', stderr = 'ignore' }) {
  const folder = tempFolder(t)
  const path = join(folder, 'config.json')
  const write = (port) =>
    writeFileSync(
      path,
      JSON.stringify({
        listen: [{ address: '127.0.0.1', port }],
        errorLog: { level: 'debug' },
        sites: [{ hosts: ['*'], root: folder }],
      }),
    )
  const serves = (port) =>
    get(port, '/a.txt').then(
      () => true,
      () => false,
    )
  writeFileSync(join(folder, 'a.txt'), 'a')
  const port = await freePort()
  write(port)
  const command = ['-c', `exec "$0" serve --config "$1" ${redirect}`, nodeBinary, path]
  const child = spawn('sh', command, { stdio: ['ignore', 'ignore', stderr] })
  t.after(() => child.kill('SIGKILL'))
  await until(() => serves(port), 'it serves')
  const reload = async () => {
    const next = await freePort()
    write(next)
    child.kill('SIGHUP')
    await until(() => serves(next), 'it serves the next config')
  }
  return { child, reload }
}

// They wait for most of their time, each for its own node.
describe('logs that hang', { concurrency: 4 }, () => {
  test('serve: standard error that nobody reads holds up neither a reload nor the end', async (t) => {
    const { child, reload } = await startServe(t, { stderr: fullPipe(t) })
    await reload()
    child.kill('SIGUSR1')
    await reload()
    assert.equal(await ends(child), 0)
  })

  test('serve: standard error that is closed is nobody else’s', async (t) => {
    const { child, reload } = await startServe(t, { redirect: '<&- >&- 2>&-' })
    for (const fd of [0, 1, 2])
      assert.equal(readlinkSync(`/proc/${child.pid}/fd/${fd}`), '/dev/null')
    await reload()
    assert.equal(await ends(child), 0)
  })

  test('serve: standard error whose reader has gone', async (t) => {
    const { child, reload } = await startServe(t, { stderr: 'pipe' })
    child.stderr.destroy()
    for (let i = 0; i < 3; i++) await reload()
    assert.equal(await ends(child), 0)
  })

  test('run: standard error that nobody reads holds up neither a restart nor the end', async (t) => {
    const { control, node } = await joinNodeFor(t)
    const { generation } = control.assign(node.config('v1'))
    const child = spawn(nodeBinary, ['run', '--state', node.state, '--policy', node.policy], {
      stdio: ['ignore', 'ignore', fullPipe(t)],
    })
    t.after(() => child.kill('SIGKILL'))
    await node.untilVersion('v1')
    await node.untilConfirmed(generation)
    const isServing = (pid) => {
      try {
        return readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'log\n'
      } catch {
        return false // it has ended meanwhile
      }
    }
    const served = () =>
      readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
        .split(' ')
        .filter((pid) => pid && isServing(pid))
    const [first] = served()
    for (let i = 0; i < 3; i++) process.kill(Number(served()[0]), i < 2 ? 'SIGUSR1' : 'SIGKILL')
    await until(() => served()[0] && served()[0] !== first, 'another process')
    await node.untilVersion('v1')
    assert.equal(await ends(child), 0)
  })

  test('run: a limit of the size of files ends no process and reverts no config', async (t) => {
    const { control, node } = await joinNodeFor(t)
    const access = join(node.dir, 'access.log')
    const logged = { accessLog: { path: access, format: 'json' } }
    const { generation } = control.assign(node.config('v1', logged))
    // Less than the parent wants for the last lines of a crash, and enough for the state.
    const place = ['--state', node.state, '--policy', node.policy]
    const args = ['--fsize=60000', nodeBinary, 'run', ...place]
    const child = spawn('prlimit', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    t.after(() => child.kill('SIGKILL'))
    let log = ''
    child.stderr.on('data', (bytes) => (log += bytes))
    await node.untilVersion('v1')
    await node.untilConfirmed(generation)
    const client = await RawClient.connect(node.port)
    await until(async () => {
      client.send(request('/', { lines: [`User-Agent: ${'x'.repeat(900)}`] }))
      assert.equal((await client.response()).status, 200)
      return statSync(access).size === 60_000
    }, 'the limit')
    client.close()
    control.assign(node.config('v2', logged))
    await node.untilVersion('v2')
    assert.equal(await ends(child), 0)
    assert.doesNotMatch(log, /ended|starting it again|taken back/)
  })

  test('run: pushed logs that hang are refused or left, and the next push is taken', async (t) => {
    const { env } = hungDisk(t)
    const { control, node } = await joinNodeFor(t)
    const at = (name) => ({ path: join(node.dir, name) })
    execFileSync('mkfifo', [join(node.dir, 'fifo')])
    writeFileSync(join(node.dir, 'hang-open.log'), '')
    control.assign(node.config('v1'))
    node.start(env)
    await node.untilVersion('v1')
    for (const name of ['fifo', 'hang-open.log']) {
      const { generation } = control.assign(node.config('no', { errorLog: at(name) }))
      await control.until('a nack', () => control.of('nack', generation).length > 0)
    }
    const hung = { errorLog: at('hang-write-error.log'), accessLog: at('hang-write-access.log') }
    control.assign(node.config('v2', { ...hung, errorLog: { ...hung.errorLog, level: 'debug' } }))
    await node.untilVersion('v2')
    control.assign(node.config('v3', hung))
    await node.untilVersion('v3')
    assert.equal(await node.stop(), 0)
  })

  for (const option of ['accessLog', 'errorLog']) {
    test(`${option}: one that can't be opened in time is refused, and the node goes on`, async (t) => {
      const { wrap } = hungDisk(t)
      const node = await startNode(t, { files, wrap })
      // It is there already, so check does not only look at its folder.
      const path = join(node.folder, 'hang-open.log')
      writeFileSync(path, '')
      assert.equal(await node.reload({ ...node.config, [option]: { path } }), false)
      assert.match(
        node.log,
        /resource_limit: ".*" can't be opened: the disk does not answer; see that/,
      )
      assert.equal((await get(node.port, '/a.txt')).status, 200)
      assert.equal(await node.reload({ ...node.config, workers: 1 }), true)
    })
  }

  test('logs whose disk hangs later: clients are served, lines are counted, another file is taken', async (t) => {
    const { wrap } = hungDisk(t)
    const node = await startNode(t, { files, wrap, config: { workers: 1 } })
    const hung = (name) => ({ path: join(node.folder, `hang-write-${name}.log`) })
    const config = { ...node.config, accessLog: { ...hung('access'), format: 'combined' } }
    node.writeConfig({ ...config, errorLog: { ...hung('error'), level: 'debug' } })
    node.child.kill('SIGHUP')
    await until(async () => (await node.status()).effective.generation === 2, 'generation 2')
    const client = await RawClient.connect(node.port)
    await until(async () => {
      client.send(request('/a.txt', { lines: [`User-Agent: ${'x'.repeat(900)}`] }).repeat(20))
      for (let k = 0; k < 20; k++) assert.equal((await client.response()).status, 200)
      return (await node.counter('logDropped')) > 50
    }, 'lines are dropped')
    client.close()
    const access = join(node.folder, 'access.log')
    node.writeConfig({ ...config, accessLog: { path: access, format: 'combined' } })
    node.child.kill('SIGHUP')
    await node.logLine(/generation 3 serves/)
    await until(async () => {
      await get(node.port, '/a.txt?after')
      return readFileSync(access, 'utf8').includes('?after')
    }, 'a line in the new file')
  })

  test('SIGTERM ends a node whose logs hang', async (t) => {
    const { wrap } = hungDisk(t)
    const node = await startNode(t, { files, wrap })
    const hung = (name) => ({ path: join(node.folder, `hang-write-${name}.log`) })
    node.writeConfig({ ...node.config, accessLog: hung('access'), errorLog: hung('error') })
    node.child.kill('SIGHUP')
    await until(async () => (await node.status()).effective.generation === 2, 'generation 2')
    await get(node.port, '/a.txt')
    assert.equal(await ends(node.child), 0)
  })
})

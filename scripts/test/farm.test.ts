// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Death, endLeftover, ManagedProcess } from '../farm/managed-process.ts'
import { farmPorts } from '../farm/options.ts'
import { isFree, portHolder } from '../farm/ports.ts'
import { processStart } from '../setup/lock.mjs'

const dir = mkdtempSync(join(tmpdir(), 'farmstead-farm-'))
after(() => rmSync(dir, { recursive: true }))

/** A process whose death is awaited as a promise. */
function managed(name: string, script: string) {
  const { promise: death, resolve } = Promise.withResolvers<Death>()
  const spec = {
    name,
    command: process.execPath,
    args: ['-e', script],
    env: process.env,
    logFile: join(dir, `${name}.log`),
    pidFile: join(dir, `${name}.pid`),
  }
  return { process: new ManagedProcess(spec, resolve), death, pidFile: spec.pidFile }
}

describe('ManagedProcess', () => {
  it('tells how a child died, with its last lines, and starts it again', async () => {
    const { process: child, death } = managed('dies', 'console.log("farewell"); process.exit(3)')
    child.start()
    const { how, logTail, restartInMs } = await death
    assert.equal(how, 'ended with exit code 3')
    assert.equal(logTail, 'farewell')
    assert.equal(restartInMs, 500)
    await child.stop()
    assert.equal(child.isRunning, false)
  })

  it('is silent about a child that was told to stop, and removes its pid', async () => {
    const { process: child, death, pidFile } = managed('stays', 'setInterval(() => {}, 1000)')
    child.start()
    assert(existsSync(pidFile))
    await child.stop()
    assert(!existsSync(pidFile))
    assert.equal(await Promise.race([death, 'no death told']), 'no death told')
  })

  it('tells when the program cannot be run at all', async () => {
    const { promise, resolve } = Promise.withResolvers<Death>()
    const spec = {
      name: 'missing',
      command: join(dir, 'no-such-program'),
      args: [],
      env: process.env,
      logFile: join(dir, 'missing.log'),
      pidFile: join(dir, 'missing.pid'),
    }
    const child = new ManagedProcess(spec, resolve)
    child.start()
    const { how, logTail } = await promise
    assert.equal(how, 'ended with exit code 127')
    assert.match(logTail, /no-such-program: No such file or directory/)
    await child.stop()
  })

  it('ends with a farm that is killed and can tell nobody', async () => {
    const pidFile = join(dir, 'orphan.pid')
    const spec = {
      name: 'orphan',
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)'],
      env: {},
      logFile: join(dir, 'orphan.log'),
      pidFile,
    }
    const source = new URL('../farm/managed-process.ts', import.meta.url)
    const farm = spawn(process.execPath, [
      '--input-type=module',
      '--eval',
      `const { ManagedProcess } = await import('${source}')
       new ManagedProcess(${JSON.stringify(spec)}, () => {}).start()
       console.log('started')
       setInterval(() => {}, 1000)`,
    ])
    await once(farm.stdout, 'data')
    const [pid] = readFileSync(pidFile, 'utf8').split(' ')
    /** Not before it has begun its program, and no more when it has ended, though nobody may have reaped it yet. */
    const isOurs = () => {
      const path = `/proc/${pid}/cmdline`
      return existsSync(path) && readFileSync(path, 'utf8').startsWith(process.execPath)
    }
    while (!isOurs()) await sleep(5)
    farm.kill('SIGKILL')
    while (isOurs()) await sleep(5)
  })
})

describe('endLeftover', () => {
  it('ends the process an earlier farm left', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    const exited = once(child, 'exit')
    const pidFile = join(dir, 'left.pid')
    writeFileSync(pidFile, `${child.pid} ${processStart(child.pid ?? 0)}\n`)
    assert.equal(await endLeftover(pidFile), true)
    assert.equal((await exited)[1], 'SIGTERM')
    assert(!existsSync(pidFile))
  })

  it('leaves a process alone that only got the same pid', async () => {
    const pidFile = join(dir, 'other.pid')
    writeFileSync(pidFile, `${process.pid} 1\n`)
    assert.equal(await endLeftover(pidFile), false)
  })
})

describe('ports', () => {
  it('sees a taken port and who has it', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    assert.equal(await isFree(port), false)
    assert.equal(portHolder(port), `node (pid ${process.pid})`)
    server.close()
    await once(server, 'close')
    assert.equal(await isFree(port), true)
    assert.equal(portHolder(port), '')
  })
})

describe('farmPorts', () => {
  it('has defaults', () => {
    const nodes = [8101, 8102, 8103]
    assert.deepEqual(farmPorts({}), { console: 9700, agent: 9701, nodes })
  })
  it('names the variable that is wrong', () => {
    const wrong = () => farmPorts({ FARMSTEAD_NODE_PORTS: '8101,http' })
    assert.throws(wrong, { message: 'FARMSTEAD_NODE_PORTS must be a port (1–65535), got "http".' })
  })
})

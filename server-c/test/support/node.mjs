// SPDX-License-Identifier: MIT
// Starts a real farmstead-node on a config of the test, on ports the kernel chooses.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
export const nodeBinary =
  process.env.FARMSTEAD_NODE ?? resolve(here, '../../build/release/farmstead-node')

/** What is waited for comes, however busy the machine is and whatever a sanitizer takes: this is for when it never would. */
export const NEVER_MS = 60_000

// The cache trusts no file that changed within the grain of the kernel's clock: a test's are older.
export const SETTLED_MS = 100

/** CLIENT_MS of src/admin/admin.c */
const ADMIN_WAITS_MS = 2000

/** A folder that is gone when the test ends. */
export function tempFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'farmstead-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes {path: content} under `root`, folders included. */
export function writeTree(root, files) {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

/** Retries `probe` until it returns something truthy. */
export async function until(probe, what, withinMs = NEVER_MS) {
  const end = Date.now() + withinMs
  for (;;) {
    const value = await probe()
    if (value) return value
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
    await sleep(20)
  }
}

class RunningNode {
  constructor(child, configPath) {
    this.child = child
    this.configPath = configPath
    this.log = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      this.log += text
    })
    // 'close' comes when the log has been read to its end, too.
    this.exit = once(child, 'close').then(([code, signal]) => signal ?? code)
    this.ended = false
    this.exit.then(() => {
      this.ended = true
    })
  }

  async logLine(pattern, from = 0) {
    return until(() => {
      const match = this.log.slice(from).match(pattern)
      if (!match && this.ended) throw new Error(`the node has ended:\n${this.log}`)
      return match
    }, `${pattern} in the log:\n${this.log}`)
  }

  /** Writes another config and has it read; resolves when it serves. */
  async reload(config) {
    const from = this.log.length
    this.writeConfig(config)
    this.child.kill('SIGHUP')
    const match = await this.logLine(/generation \d+ (serves|goes on serving)/, from)
    return match[1] === 'serves'
  }

  writeConfig(config) {
    writeFileSync(
      this.configPath,
      typeof config === 'string' ? config : JSON.stringify(config, null, 2),
    )
  }

  /**
   * The admin listener's answer. On a connection of its own: one that was kept may be closed, as it was idle for long on a
   * busy machine, while it is used again. Who was left standing for longer than the listener waits asks again.
   */
  async admin(path) {
    const url = `http://127.0.0.1:${this.adminPort}${path}`
    for (let turn = 1; ; turn++) {
      const asked = performance.now()
      try {
        return await fetch(url, { headers: { connection: 'close' } })
      } catch (error) {
        if (turn === 5 || performance.now() - asked < ADMIN_WAITS_MS) throw error
      }
    }
  }

  async status() {
    return (await this.admin('/status')).json()
  }

  /** One counter, summed over generations. */
  async counter(name) {
    const { series } = await this.status()
    return series.reduce((sum, one) => sum + one.counters[name], 0)
  }

  /** Waits until as much is counted: a client may have its answer, or see its end, a moment before. */
  async untilCounter(name, wanted) {
    let counted
    await until(async () => {
      counted = await this.counter(name)
      return counted >= wanted
    }, `${wanted} ${name}`)
    assert.equal(counted, wanted, name)
  }

  /** How many connections ended for `reason` (docs/observing-a-node.md). */
  async ends(reason) {
    const { connectionEnds } = await this.status()
    return connectionEnds[reason]
  }

  /** Waits for the `wanted`th end for `reason`: a client may see its end a moment before it is counted. */
  async untilEnds(reason, wanted) {
    let counted
    await until(async () => {
      counted = await this.ends(reason)
      return counted >= wanted
    }, `${wanted} ends for ${reason}`)
    assert.equal(counted, wanted, `ends for ${reason}`)
  }

  async stop(signal = 'SIGTERM') {
    if (!this.ended) this.child.kill(signal)
    return this.exit
  }
}

/**
 * `root` may be left out: then there is one, made of `files`. `config`: what it has besides, or a function of its folders.
 * `options`: of `serve`, by its folder. `passed`: descriptors that it has from 3 on.
 */
export async function startNode(
  t,
  {
    files = {},
    site = {},
    config = {},
    wrap = [],
    passed = [],
    options = () => [],
    stdout = 'ignore',
  } = {},
) {
  const folder = tempFolder(t)
  const root = site.root ?? join(folder, 'www')
  mkdirSync(root, { recursive: true })
  writeTree(root, files)
  const settled = sleep(SETTLED_MS)
  const whole = {
    listen: [{ address: '127.0.0.1', port: 0 }],
    workers: 2,
    admin: { address: '127.0.0.1', port: 0 },
    sites: [{ hosts: ['*'], root, ...site }],
    ...(typeof config === 'function' ? config({ folder, root }) : config),
  }
  const configPath = join(folder, 'config.json')
  writeFileSync(configPath, JSON.stringify(whole, null, 2))
  const [command, ...args] = [
    ...wrap,
    nodeBinary,
    'serve',
    '--config',
    configPath,
    ...options(folder),
  ]
  const node = new RunningNode(
    spawn(command, args, { stdio: ['ignore', stdout, 'pipe', ...passed] }),
    configPath,
  )
  node.folder = folder
  node.root = root
  node.config = whole
  t.after(async () => {
    const code = await node.stop()
    // A sanitizer's finding is an exit code; say what it was.
    if (code !== 0 && !node.expectFailure)
      throw new Error(`the node ended with ${code}:\n${node.log}`)
  })
  node.port = Number((await node.logLine(/info listening on http:\/\/[^ ]*:(\d+)\n/))[1])
  if (whole.admin.address)
    node.adminPort = Number((await node.logLine(/admin listening on http:\/\/[^ ]*:(\d+)\n/))[1])
  await settled
  return node
}

// SPDX-License-Identifier: MIT
// One farmstead-node under test: its state folder, its root, its process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { openPolicy, policyFor, writePolicy } from '../../../scripts/testing/node-policy.mjs'
import { NEVER_MS } from './node.mjs'

export const nodeBinary =
  process.env.FARMSTEAD_NODE ??
  fileURLToPath(new URL('../../build/release/farmstead-node', import.meta.url))

/** A busy machine takes its time; who is not there is refused at once. */
const ANSWER_MS = 15_000

/** A proxy of the machine's must not come between a node and 127.0.0.1. */
const proxies = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
const env = { ...process.env, ...Object.fromEntries(proxies.map((name) => [name, ''])) }
for (const name of ['no_proxy', 'NO_PROXY']) delete env[name]

let anything = null
function withPolicy(words) {
  if (!['join', 'run'].includes(words[0]) || words.includes('--policy')) return words
  if (!anything) {
    const dir = mkdtempSync(join(tmpdir(), 'farmstead-policy-'))
    process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
    anything = openPolicy(dir)
  }
  return [...words, ...anything]
}

/** Runs the nodeBinary to its end; a first argument { wrap, env } may put a command before it. */
export async function run(...words) {
  const { wrap = [], env: moreEnv = {} } = typeof words[0] === 'object' ? words.shift() : {}
  const [command, ...args] = [...wrap, nodeBinary, ...withPolicy(words)]
  const child = spawn(command, args, {
    env: { ...env, ...moreEnv },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const done = { stdout: '', stderr: '' }
  child.stdout.on('data', (bytes) => (done.stdout += bytes))
  child.stderr.on('data', (bytes) => (done.stderr += bytes))
  const [code] = await once(child, 'close')
  return { code, ...done }
}

function isServing(pid) {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'log\n'
  } catch {
    return false
  }
}

export class AgentNode {
  #child = null
  #exited = null

  /** @param {import('./fake-control-plane.mjs').FakeControlPlane} controlPlane */
  constructor(controlPlane) {
    this.controlPlane = controlPlane
    this.dir = mkdtempSync(join(tmpdir(), 'farmstead-agent-'))
    this.state = join(this.dir, 'state')
    this.root = join(this.dir, 'www')
    this.policy = writePolicy(join(this.dir, 'policy.json'), policyFor([this.dir]))
    this.log = ''
  }

  /** Joined, with a root and a port of its own, not yet running. */
  static async join(controlPlane) {
    const node = new AgentNode(controlPlane)
    await node.furnish()
    const token = controlPlane.makeToken()
    const joined = await run(
      ...['join', controlPlane.url, '--token', token, '--state', node.state],
      ...[
        '--name',
        'edge-1',
        '--policy',
        node.policy,
        ...(controlPlane.isPlain ? ['--insecure-http'] : []),
      ],
    )
    if (joined.code !== 0) throw new Error(`join: ${joined.stderr}`)
    return node
  }

  /** A root and a port of its own. */
  async furnish() {
    this.port = await freePort()
    mkdirSync(this.root)
    writeFileSync(join(this.root, 'index.html'), '<h1>hello</h1>\n')
  }

  /** A config that answers with the header `X-Version: version`. */
  config(version, overrides = {}) {
    return {
      listen: [{ address: '127.0.0.1', port: this.port }],
      workers: 1,
      sites: [
        {
          hosts: ['*'],
          root: this.root,
          headers: [{ action: 'set', name: 'X-Version', value: version }],
        },
      ],
      ...overrides,
    }
  }

  /** `wrap`: a command before it, which becomes it; `passed`: descriptors that it has from 3 on. */
  start(moreEnv = {}, { wrap = [], passed = [] } = {}) {
    const policy = this.policy === null ? [] : ['--policy', this.policy]
    const [command, ...words] = [...wrap, nodeBinary, 'run', '--state', this.state, ...policy]
    this.#child = spawn(command, words, {
      env: { ...env, ...moreEnv },
      stdio: ['ignore', 'pipe', 'pipe', ...passed],
    })
    this.#exited = once(this.#child, 'exit')
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (bytes) => {
        this.log += bytes
      })
    }
    return this
  }

  /** The parent: whom signals are sent to. */
  get pid() {
    return this.#child?.pid
  }

  /** The process that serves, or undefined while there is none. */
  get servingPid() {
    if (this.pid === undefined) return undefined
    const children = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim()
    // Another one may be there for a moment: it writes a line of the parent's to standard error.
    const serving = children.split(' ').find((pid) => pid && isServing(pid))
    return serving && Number(serving)
  }

  /** Resolves with the exit code, or null when a signal ended it. */
  async stop(signal = 'SIGTERM') {
    if (!this.#child) return undefined
    this.#child.kill(signal)
    const [code] = await this.#exited
    this.#child = null
    return code
  }

  /** The version that a request to the node sees now, or the reason that it sees none. */
  async version() {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.port}/`, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(ANSWER_MS),
      })
      await answer.arrayBuffer()
      return answer.headers.get('x-version') ?? `HTTP ${answer.status}`
    } catch (error) {
      return error.cause?.code ?? error.message
    }
  }

  async untilVersion(want, timeoutMs = NEVER_MS) {
    const deadline = performance.now() + timeoutMs
    let seen = await this.version()
    while (seen !== want) {
      if (performance.now() > deadline) {
        throw new Error(`serves ${seen}, not ${want}, after ${timeoutMs} ms; log:\n${this.log}`)
      }
      await sleep(20)
      seen = await this.version()
    }
  }

  /** What confirmed.json in the state folder holds: the config that a start goes back to; or null. */
  confirmed() {
    const path = join(this.state, 'confirmed.json')
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null
  }

  /** Until the config of `generation` is confirmed and on disk, so that any end may follow: the
   * control plane has heard of it a little earlier. */
  async untilConfirmed(generation, timeoutMs = NEVER_MS) {
    const deadline = performance.now() + timeoutMs
    while (this.confirmed()?.generation !== generation) {
      if (performance.now() > deadline) {
        const kept = this.confirmed()?.generation ?? 'none'
        throw new Error(
          `keeps ${kept}, not ${generation}, after ${timeoutMs} ms; log:\n${this.log}`,
        )
      }
      await sleep(20)
    }
  }

  /** Ends it as an operator would: every test thus sees a clean end, and what a sanitizer found. */
  async dispose() {
    const code = await this.stop()
    rmSync(this.dir, { recursive: true, force: true })
    if (code !== undefined && code !== 0) throw new Error(`exit code ${code}; log:\n${this.log}`)
    if (/Sanitizer|runtime error/.test(this.log)) throw new Error(this.log)
  }
}

// SPDX-License-Identifier: MIT
// A farm on this machine: one control plane and its nodes, each a real process with its own folder
// under `home`. `npm start` runs one, the browser tests run their own. What it knows stays in `home`,
// so that starting again goes on where it stopped.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { tryLock } from '../setup/lock.mjs'
import { nodeBinary, root } from '../setup/paths.mjs'
import { Problem } from '../setup/problem.mjs'
import {
  admin,
  agentUrlOf,
  controlPlaneEnv,
  copyConsole,
  failed,
  serverWords,
  stringField,
} from './control-plane.ts'
import { joinAgain, joinNew, whyRejoin } from './joining.ts'
import { type Death, endLeftover, ManagedProcess } from './managed-process.ts'
import { checkReadable, ensureNodeUser } from './node-user.ts'
import { isFree, portHolder } from './ports.ts'
import { answers } from './ready.ts'
import { sampleConfig } from './sample-config.ts'

const run = promisify(execFile)
const CONTROL_PLANE_WITHIN_MS = 30_000
const NODE_WITHIN_MS = 20_000
const CONFIG_NAME = 'default'
const FIRST_MESSAGE = 'Serve the sample site'
const siteScript = join(root, 'scripts/sample-site/generate.ts')

export type FarmPorts = { console: number; agent: number; nodes: number[] }
export type FarmOptions = {
  home: string
  ports: FarmPorts
  /** Pictures of the sample site; all when left out. */
  pictureCount?: number
  /** More of the control plane's environment. */
  env?: NodeJS.ProcessEnv
  /** Told what goes on, one line at a time. */
  report: (line: string) => void
  onDeath: (death: Death) => void
}

export class FarmNode {
  readonly name: string
  readonly port: number
  readonly url: string
  readonly stateDir: string
  readonly policyFile: string
  readonly process: ManagedProcess

  constructor(index: number, port: number, home: string, onDeath: (death: Death) => void) {
    this.name = `edge-${index + 1}`
    this.port = port
    this.url = `http://127.0.0.1:${port}`
    this.stateDir = join(home, 'nodes', this.name)
    this.policyFile = join(home, 'policy.json')
    const spec = {
      name: this.name,
      command: nodeBinary,
      args: ['run', '--state', this.stateDir, '--policy', this.policyFile],
      env: process.env,
      logFile: join(home, 'logs', `${this.name}.log`),
      pidFile: join(home, 'run', `${this.name}.pid`),
    }
    this.process = new ManagedProcess(spec, onDeath)
  }

  /** It has enrolled: its state folder came into being whole. */
  get hasJoined(): boolean {
    return existsSync(this.stateDir)
  }
}

export class Farm {
  readonly home: string
  readonly ports: FarmPorts
  readonly consoleUrl: string
  /** Where nodes dial in. */
  readonly agentUrl: string
  readonly siteDir: string
  readonly nodes: FarmNode[]
  readonly controlPlane: ManagedProcess
  /** Makes the first administrator; null: there is one. Good once, and until the control plane starts again. */
  setupToken: string | null = null
  readonly #options: FarmOptions
  readonly #consoleCopy: string
  readonly #env: NodeJS.ProcessEnv
  #lock: { release: () => void } | undefined

  constructor(options: FarmOptions) {
    const { home, ports, onDeath } = options
    this.#options = options
    this.home = home
    this.ports = ports
    this.consoleUrl = `http://127.0.0.1:${ports.console}`
    this.agentUrl = agentUrlOf(ports)
    this.siteDir = join(home, 'site')
    this.#consoleCopy = join(home, 'console')
    const dataDir = join(home, 'control')
    this.#env = {
      ...controlPlaneEnv({ dataDir, consoleCopy: this.#consoleCopy, ports }),
      ...options.env,
    }
    this.nodes = ports.nodes.map((port, index) => new FarmNode(index, port, home, onDeath))
    const spec = {
      name: 'control plane',
      command: process.execPath,
      args: serverWords,
      env: this.#env,
      logFile: join(home, 'logs/control-plane.log'),
      pidFile: join(home, 'run/control-plane.pid'),
    }
    this.controlPlane = new ManagedProcess(spec, onDeath)
  }

  /** Everything runs and answers when this resolves. On failure nothing is left running. */
  async start(signal: AbortSignal = new AbortController().signal): Promise<void> {
    this.#takeLock()
    try {
      await this.#endLeftovers()
      await this.#checkPorts()
      await this.#makeSite(signal)
      await this.#makePolicy()
      await this.#startControlPlane(signal)
      await this.#startNodes(signal)
      signal.throwIfAborted()
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  /** Nodes first: the control plane is still there to hear of it. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.process.stop()))
    await this.controlPlane.stop()
    this.#lock?.release()
  }

  /** Where to begin; null: there is an administrator. */
  get setupLink(): string | null {
    return this.setupToken && `${this.consoleUrl}/setup#${this.setupToken}`
  }

  node(name: string): FarmNode {
    const found = this.nodes.find((node) => node.name === name)
    if (!found) throw new Error(`No node "${name}": ${this.nodes.map((n) => n.name).join(', ')}`)
    return found
  }

  #takeLock(): void {
    const got = tryLock(join(this.home, 'lock'))
    if ('pid' in got) {
      throw new Problem(
        `This farm runs already (pid ${got.pid}, folder ${this.home}): stop it there with Ctrl-C, or set FARMSTEAD_HOME and the ports to start a second one.`,
      )
    }
    this.#lock = got
  }

  async #endLeftovers(): Promise<void> {
    for (const name of ['control-plane', ...this.nodes.map((node) => node.name)]) {
      if (await endLeftover(join(this.home, 'run', `${name}.pid`))) {
        this.#options.report(`Ended ${name}, which an earlier farm had left running`)
      }
    }
  }

  async #checkPorts(): Promise<void> {
    const wanted: [number, string][] = [
      [this.ports.console, 'FARMSTEAD_PORT'],
      [this.ports.agent, 'FARMSTEAD_AGENT_PORT'],
      ...this.ports.nodes.map((port): [number, string] => [port, 'FARMSTEAD_NODE_PORTS']),
    ]
    for (const [port, variable] of wanted) {
      if (await isFree(port)) continue
      const holder = portHolder(port)
      throw new Problem(
        `Port ${port} is taken${holder ? ` by ${holder}` : ''}: end that program, or choose another port with ${variable}${this.#portAdvice(variable)}.`,
      )
    }
  }

  /** A node's port is in its configuration once it has joined, so the variable alone cannot move it. */
  #portAdvice(variable: string): string {
    const isSettled =
      variable === 'FARMSTEAD_NODE_PORTS' && this.nodes.some((node) => node.hasJoined)
    return isSettled
      ? ` together with a new FARMSTEAD_HOME (these nodes have joined with theirs)`
      : ''
  }

  /** In a process of its own: painting keeps a core busy, and Ctrl-C must be heard meanwhile. */
  async #makeSite(signal: AbortSignal): Promise<void> {
    if (existsSync(this.siteDir)) return
    this.#options.report('Painting the sample site (about 20 s, only this time)')
    mkdirSync(this.home, { recursive: true })
    const { pictureCount } = this.#options
    const some = pictureCount === undefined ? [] : ['--pictures', String(pictureCount)]
    try {
      await run(process.execPath, [siteScript, this.siteDir, ...some], { signal })
    } catch (error) {
      signal.throwIfAborted()
      throw failed('The sample site could not be painted.', error)
    }
  }

  /** What configs may do on this machine; it is the operator's to change, and then left as it is. */
  async #makePolicy(): Promise<void> {
    const user = await ensureNodeUser()
    if (user) await checkReadable(user, join(this.siteDir, 'index.html'))
    const file = join(this.home, 'policy.json')
    if (existsSync(file)) return
    const own = join(this.home, 'node-files')
    const policy = {
      serve: [this.siteDir, '/srv/www'],
      secrets: [own],
      logs: [own],
      runtime: [own],
      listen: ['127.0.0.1:1024-65535', '[::1]:1024-65535'],
      users: user ? [user] : [],
    }
    writeFileSync(`${file}.new`, `${JSON.stringify(policy, null, 2)}\n`, { mode: 0o644 })
    renameSync(`${file}.new`, file)
  }

  async #startControlPlane(signal: AbortSignal): Promise<void> {
    const dataDir = join(this.home, 'control')
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    await this.#importConfig(join(dataDir, 'sample-config.jsonc'))
    copyConsole(this.#consoleCopy)
    this.controlPlane.start()
    const health = `${this.consoleUrl}/api/v1/health`
    const isUp = () => this.controlPlane.isRunning && !signal.aborted
    if (!(await answers(health, CONTROL_PLANE_WITHIN_MS, isUp))) {
      signal.throwIfAborted()
      throw new Problem('The control plane did not start.', {
        detail: this.controlPlane.logTail(15),
      })
    }
    this.setupToken = stringField(await admin(this.#env, ['init']), 'setupToken')
  }

  /** Only once: `file` gets its name when it has been imported. */
  async #importConfig(file: string): Promise<void> {
    if (existsSync(file)) return
    writeFileSync(
      `${file}.new`,
      sampleConfig({ root: this.siteDir, address: '127.0.0.1', port: 8080 }),
    )
    const what = ['--name', CONFIG_NAME, '--file', `${file}.new`, '--message', FIRST_MESSAGE]
    await admin(this.#env, ['import-config', ...what, '--release'])
    renameSync(`${file}.new`, file)
  }

  async #startNodes(signal: AbortSignal): Promise<void> {
    for (const node of this.nodes) {
      signal.throwIfAborted()
      await this.#join(node)
      node.process.start()
    }
    await Promise.all(this.nodes.map((node) => this.#awaitNode(node, signal)))
  }

  async #awaitNode(node: FarmNode, signal: AbortSignal): Promise<void> {
    if (await answers(`${node.url}/`, NODE_WITHIN_MS, () => !signal.aborted)) return
    if (signal.aborted) return
    // Not a failure of the start: its config may say another port by now, or be refused here.
    this.#options.report(
      `${node.name} runs but does not answer at ${node.url}: see it in the console, or ${join(this.home, 'logs', `${node.name}.log`)}`,
    )
  }

  async #join(node: FarmNode): Promise<void> {
    const { name, stateDir, policyFile, port } = node
    const joining = { env: this.#env, agentUrl: this.agentUrl, name, stateDir, policyFile, port }
    if (!node.hasJoined) return await joinNew(joining)
    const rejoin = whyRejoin(stateDir, this.agentUrl)
    if (!rejoin) return
    this.#options.report(`${name} joins anew as itself: ${rejoin.why}`)
    await joinAgain(joining, rejoin)
  }
}

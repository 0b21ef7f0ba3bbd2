// SPDX-License-Identifier: MIT
// `npm start` as a person at a terminal sees it: what it prints, Ctrl-C, and starting again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFree } from '../../../scripts/farm/ports.ts'
import { generateSite } from '../../../scripts/sample-site/generate.ts'
import { root } from '../../../scripts/setup/paths.mjs'
import { freePorts } from '../../../scripts/testing/free-port.mjs'
import { expect, test } from '../../fixtures/index.ts'

/** Set-up finds nothing to do, and then the whole farm starts. */
const STARTED_WITHIN_MS = 60_000

type Started = { child: ChildProcess; output: () => string }

function start(env: NodeJS.ProcessEnv): Started {
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
  }
  return { child, output: () => text }
}

async function running({ child, output }: Started): Promise<string> {
  await expect
    .poll(() => child.exitCode !== null || output().includes('Stop '), {
      timeout: STARTED_WITHIN_MS,
    })
    .toBe(true)
  expect(output()).toContain('The farm runs.')
  return output()
}

async function interrupt({ child, output }: Started): Promise<string> {
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  expect((await exited)[0]).toBe(0)
  return output()
}

let home = ''
test.beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'farmstead-start-'))
  chmodSync(home, 0o755) // where root runs the tests, nodes serve as a user of their own
  generateSite(join(home, 'site'), 1)
})
test.afterEach(() => rmSync(home, { recursive: true, force: true }))

test('says where everything is, stops cleanly, and goes on with what it knew', async () => {
  const ports = await freePorts(5)
  const [consolePort, agentPort, ...nodePorts] = ports
  const env = {
    FARMSTEAD_HOME: home,
    FARMSTEAD_PORT: String(consolePort),
    FARMSTEAD_AGENT_PORT: String(agentPort),
    FARMSTEAD_NODE_PORTS: nodePorts.join(','),
  }
  const first = start(env)
  const said = await running(first)
  expect(said).toContain(`http://127.0.0.1:${consolePort}`)
  for (const port of nodePorts) expect(said).toContain(`http://127.0.0.1:${port}`)
  const setupLink = new RegExp(`http://127\\.0\\.0\\.1:${consolePort}/setup#fss_[\\w-]{43}`)
  expect(said).toMatch(setupLink)

  const twice = start(env)
  await once(twice.child, 'exit')
  expect(twice.child.exitCode).toBe(1)
  expect(twice.output()).toContain('This farm runs already')

  expect(await interrupt(first)).toContain('Stopped in')
  for (const port of ports) expect(await isFree(port)).toBe(true)

  const second = start(env)
  const saidAgain = await running(second)
  expect(saidAgain).toMatch(setupLink)
  expect(setupLink.exec(saidAgain)?.[0]).not.toBe(setupLink.exec(said)?.[0])
  await interrupt(second)
})

test('a farm whose nodes spoke plain HTTP goes on, with the same nodes over TLS', async () => {
  const [consolePort, agentPort, nodePort] = await freePorts(3)
  const env = {
    FARMSTEAD_HOME: home,
    FARMSTEAD_PORT: String(consolePort),
    FARMSTEAD_AGENT_PORT: String(agentPort),
    FARMSTEAD_NODE_PORTS: String(nodePort),
  }
  const first = start(env)
  expect(await running(first)).not.toContain('joins anew')
  await interrupt(first)
  const file = join(home, 'nodes/edge-1/identity.json')
  const identity = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const { nodeId, name, controlPlaneId, controlPlaneUrl } = identity()
  expect(controlPlaneUrl).toBe(`https://127.0.0.1:${agentPort}`)
  const plain = {
    ...{ nodeId, name, controlPlaneId, insecureHttp: true, credential: 'c'.repeat(43) },
    controlPlaneUrl: `http://127.0.0.1:${agentPort}`,
  }
  writeFileSync(file, JSON.stringify(plain))

  const second = start(env)
  expect(await running(second)).toContain('edge-1 joins anew as itself: it spoke plain HTTP')
  expect(identity()).toMatchObject({ nodeId, controlPlaneUrl, insecureHttp: false })
  await interrupt(second)
  const third = start(env)
  expect(await running(third)).not.toContain('joins anew')
  await interrupt(third)
})

test('a taken port is named, with its holder and the variable that moves it', async () => {
  const [consolePort, agentPort, nodePort] = await freePorts(3)
  const holder = createServer().listen(agentPort, '127.0.0.1')
  await once(holder, 'listening')
  const { child, output } = start({
    FARMSTEAD_HOME: home,
    FARMSTEAD_PORT: String(consolePort),
    FARMSTEAD_AGENT_PORT: String(agentPort),
    FARMSTEAD_NODE_PORTS: String(nodePort),
  })
  await once(child, 'exit')
  holder.close()
  expect(child.exitCode).toBe(1)
  expect(output()).toContain(`Port ${agentPort} is taken by node (pid ${process.pid})`)
  expect(output()).toContain('FARMSTEAD_AGENT_PORT')
})

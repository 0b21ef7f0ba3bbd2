// SPDX-License-Identifier: MIT
// docs/running-the-control-plane.md, "Move it": a real node, whose control plane comes up elsewhere.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { nodeBinary, tempDir } from './helper.ts'
import { start } from './processes.ts'
import { PROGRAMS } from './programs.ts'

/** Several processes, on a machine that may have much else to do. */
const WITHIN_MS = 240_000
const SEEN_WITHIN_MS = 60_000

async function controlPlane(dataDir: string, agentPort: number) {
  const env = {
    FARMSTEAD_DATA_DIR: dataDir,
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: String(agentPort),
    FARMSTEAD_NODE_BINARY: nodeBinary,
  }
  const server = start(PROGRAMS.server, [], env)
  await expect.poll(() => server.out.stdout, { timeout: SEEN_WITHIN_MS }).toMatch(/Agents/)
  const stop = async () => {
    server.child.kill('SIGTERM')
    await server.ended
  }
  return { env, stop, log: () => server.out.stderr }
}

function runNode(state: string) {
  const child = spawn(nodeBinary, ['run', '--state', state], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.on('data', (text) => {
    log += text
  })
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = new Promise((done) => child.once('close', done))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  return { log: () => log, stop }
}

/** A hello of the node is a line in the log of the control plane it reached. */
const isHeard = (log: string) => /"path":"\/agent\/v1\/hello","status":200/.test(log)

test('a control plane that moved is found at its new address, with the identity of before', {
  timeout: WITHIN_MS,
}, async () => {
  const [oldFolder, newFolder, work] = [join(tempDir(), 'old'), join(tempDir(), 'new'), tempDir()]
  const [oldPort, newPort] = [await freePort(), await freePort()]
  const before = await controlPlane(oldFolder, oldPort)
  const token = JSON.parse(
    (await start(PROGRAMS.admin, ['enrolment-token', '--json'], before.env).ended).stdout,
  ).token
  const state = join(work, 'state')
  mkdirSync(state, { mode: 0o700 })
  const url = `https://127.0.0.1:${oldPort}`
  execFileSync(nodeBinary, ['join', url, '--token', token, '--state', state, '--name', 'edge-1'], {
    stdio: 'ignore',
  })
  const first = runNode(state)
  await expect.poll(() => isHeard(before.log()), { timeout: SEEN_WITHIN_MS }).toBe(true)
  await before.stop()

  cpSync(oldFolder, newFolder, { recursive: true, mode: 0 })
  const after = await controlPlane(newFolder, newPort)
  await first.stop()
  const path = join(state, 'identity.json')
  const identity = readFileSync(path, 'utf8')
  expect(identity).toContain(url)
  writeFileSync(path, identity.replace(url, `https://127.0.0.1:${newPort}`))
  const second = runNode(state)
  await expect
    .poll(() => isHeard(after.log()) || second.log(), { timeout: SEEN_WITHIN_MS })
    .toBe(true)
})

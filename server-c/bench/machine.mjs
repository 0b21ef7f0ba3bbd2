// SPDX-License-Identifier: MIT
// On what the figures were measured.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { versionOf } from './peers.mjs'

function systemName() {
  const pretty = /^PRETTY_NAME="(.*)"$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  return pretty ?? 'Linux'
}

function commit() {
  const cwd = fileURLToPath(new URL('.', import.meta.url))
  const { stdout } = spawnSync('git', ['describe', '--always', '--dirty'], {
    cwd,
    encoding: 'utf8',
  })
  return stdout?.trim() || 'unknown'
}

/** @param {import('./peers.mjs').Server[]} servers @param {number[]} cores */
export function describeMachine(servers, cores) {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cores.length,
    kernel: release(),
    system: systemName(),
    memoryBytes: totalmem(),
    serverCore: cores[0],
    wrkCores: cores.length > 1 ? cores.slice(1, 4) : cores,
    commit: commit(),
    versions: Object.fromEntries([
      ...servers.map((server) => [server.name, server.version()]),
      ['wrk', versionOf('wrk', ['-v'], /wrk (\S+)/)],
    ]),
  }
}

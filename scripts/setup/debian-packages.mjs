// SPDX-License-Identifier: MIT
// The Debian packages the build and the tests need: looks what is missing, installs only that.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { Problem } from './problem.mjs'

const buildPackages = [
  'ca-certificates',
  'cmake',
  'gcc',
  'libc6-dev',
  'libcurl4-openssl-dev',
  'libargon2-dev',
  'libcrypt-dev',
  'libjansson-dev',
  'libpcre2-dev',
  'libssl-dev',
  'libuv1-dev',
  'ninja-build',
  'pkg-config',
]
const testPackages = [
  'chromium',
  'clang',
  'clang-format',
  'clang-tidy',
  'fonts-dejavu-core',
  'libclang-rt-14-dev',
  'llvm',
]

/** @typedef {'build' | 'test'} PackageSet */

/** @param {PackageSet} set */
const packagesOf = (set) => (set === 'test' ? [...buildPackages, ...testPackages] : buildPackages)

/** @param {string[]} wanted */
function missing(wanted) {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
  const format = '${Package} ${db:Status-Status}\n'
  const asked = spawnSync('dpkg-query', ['-W', '-f', format, ...wanted], { encoding: 'utf8' })
  const installed = new Set(
    asked.stdout
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  )
  return wanted.filter((name) => !installed.has(name))
}

/** How to become root here: nothing to do, sudo with or without a question, or not at all. */
function rootPrefix() {
  if (process.getuid?.() === 0) return []
  if (spawnSync('sudo', ['-n', 'true']).status === 0) return ['sudo', '-n']
  const canAsk = process.stdin.isTTY && spawnSync('sudo', ['--version']).status === 0
  return canAsk ? ['sudo'] : null
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {PackageSet} set
 */
export async function ensureDebianPackages(steps, set) {
  await steps.step('Debian packages', async () => {
    if (!existsSync('/usr/bin/dpkg-query')) {
      throw new Problem(
        `This is not Debian, so packages cannot be installed from here: Farmstead is built on Debian 12 with ${packagesOf(set).join(' ')}.`,
      )
    }
    const wanted = missing(packagesOf(set))
    if (wanted.length === 0) return null
    const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...wanted]
    const prefix = rootPrefix()
    if (!prefix) {
      throw new Problem(
        `Debian packages are missing and only root can install them; run: sudo apt-get update && sudo ${install.join(' ')}`,
      )
    }
    const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive']
    const patient = ['-o', 'DPkg::Lock::Timeout=300']
    const ask = prefix.length === 1
    steps.note(`installing ${wanted.join(' ')}`)
    for (const [command = '', ...args] of [['apt-get', 'update'], install]) {
      const [first = '', ...rest] = [...prefix, ...quiet, command, ...patient, ...args]
      await steps.run(first, rest, { ask })
    }
    return `${wanted.length} installed`
  })
}

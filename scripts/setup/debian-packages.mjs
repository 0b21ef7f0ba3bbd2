// SPDX-License-Identifier: MIT
// The Debian packages the build and the tests need: looks what is missing, installs only that.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Problem } from './problem.mjs'

const RELEASE = '/etc/os-release'

export const buildPackages = [
  'ca-certificates',
  'cmake',
  'gcc',
  'libc6-dev',
  'libcurl4-openssl-dev',
  'libargon2-dev',
  'libbrotli-dev',
  'libcrypt-dev',
  'libdeflate-dev',
  'libjansson-dev',
  'libnghttp2-dev',
  'libpcre2-dev',
  'libssl-dev',
  'libuv1-dev',
  'libzstd-dev',
  'ninja-build',
  'pkg-config',
]
/** In Debian 12 by its number, since machines have it so; later releases have a package that leads to the right one. */
function clangRuntime() {
  const isBookworm = existsSync(RELEASE) && /^VERSION_ID="12"/m.test(readFileSync(RELEASE, 'utf8'))
  return isBookworm ? 'libclang-rt-14-dev' : 'libclang-rt-dev'
}
const testPackages = [
  'apache2',
  'caddy',
  'chromium-headless-shell',
  'clang',
  'clang-format',
  'clang-tidy',
  'curl',
  'fonts-dejavu-core',
  'haproxy',
  'iproute2',
  'iptables',
  clangRuntime(),
  'lighttpd',
  'lighttpd-mod-deflate',
  'lighttpd-mod-openssl',
  'llvm',
  'nghttp2-client',
  'nginx',
  'openssl',
  'pebble',
  'postgresql',
  'prometheus',
  'python3-venv',
  'wrk',
]
const benchPackages = [
  'apache2-bin',
  'h2o',
  'lighttpd',
  'lighttpd-mod-deflate',
  'lighttpd-mod-openssl',
  'nghttp2-client',
  'nginx',
  'openssl',
  'wrk',
]
/** Debian starts these when it installs them, some of them on port 80, and at every boot: nobody here wants either. */
const services = [
  ...['apache2', 'caddy', 'h2o', 'haproxy', 'lighttpd', 'nginx', 'postgresql', 'prometheus'],
]

/** @typedef {'build' | 'test' | 'bench' | 'package'} PackageSet */

/** @type {Record<PackageSet, string[]>} */
const packageSets = {
  build: buildPackages,
  test: [...buildPackages, ...testPackages],
  bench: [...buildPackages, ...benchPackages],
  package: [...buildPackages, 'dpkg-dev'],
}

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
 * Runs the command behind it with the start of services forbidden, then takes those that were not
 * there before out of the boot. The services' names are the first argument.
 */
const WITHOUT_SERVICES = `
policy=/usr/sbin/policy-rc.d
services=$1; shift
if [ ! -e $policy ]; then
  trap 'rm -f $policy' EXIT
  trap 'exit 1' INT TERM
  printf '#!/bin/sh\\nexit 101\\n' >$policy && chmod 755 $policy
fi
"$@" || exit
for service in $services; do
  if command -v systemctl >/dev/null; then systemctl disable $service || true; fi
done
`

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {PackageSet} set
 */
export async function ensureDebianPackages(steps, set) {
  await steps.step('Debian packages', async () => {
    if (!existsSync('/usr/bin/dpkg-query')) {
      throw new Problem(
        `This is not Debian, so packages cannot be installed from here: Farmstead is built on Debian 12 or 13 with ${packageSets[set].join(' ')}.`,
      )
    }
    const wanted = missing(packageSets[set])
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
    const silenced = services.filter((name) => wanted.includes(name)).join(' ')
    const silently = silenced ? ['sh', '-c', WITHOUT_SERVICES, 'sh', silenced] : []
    for (const [before, [command = '', ...args]] of /** @type {[string[], string[]][]} */ ([
      [[], ['apt-get', 'update']],
      [silently, install],
    ])) {
      const [first = '', ...rest] = [...prefix, ...quiet, ...before, command, ...patient, ...args]
      await steps.run(first, rest, { ask })
    }
    return `${wanted.length} installed`
  })
}

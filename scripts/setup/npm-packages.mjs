// SPDX-License-Identifier: MIT
// `npm ci`, but only when what is installed is not what package-lock.json says. npm writes
// node_modules/.package-lock.json at the end of an installation; that is compared, so no stamp of
// ours can be wrong about it.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnv } from './node-toolchain.mjs'
import { root } from './paths.mjs'

/** @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockEntry */

/** @param {string} file @returns {Record<string, LockEntry>} */
const packagesIn = (file) => JSON.parse(readFileSync(file, 'utf8')).packages

/** Optional packages of other platforms are in the lock and rightly not installed. */
export function isInstalled() {
  const installedFile = join(root, 'node_modules/.package-lock.json')
  if (!existsSync(installedFile)) return false
  const installed = packagesIn(installedFile)
  const wanted = packagesIn(join(root, 'package-lock.json'))
  const same = (/** @type {string} */ path, /** @type {LockEntry} */ entry) => {
    const found = installed[path]
    if (!found) return entry.optional === true || !path.startsWith('node_modules/')
    return found.version === entry.version && found.integrity === entry.integrity
  }
  return (
    Object.entries(wanted).every(([path, entry]) => same(path, entry)) &&
    Object.keys(installed).every((path) => path in wanted)
  )
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./node-toolchain.mjs').Toolchain} tools
 */
export async function ensureNpmPackages(steps, tools) {
  await steps.step('npm packages', async () => {
    if (isInstalled()) return null
    // Playwright's own browsers are not used: the tests drive Debian's Chromium.
    const env = { ...npmEnv(tools), PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' }
    // No package needs its install script: better-sqlite3 carries its binaries.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-update-notifier']
    await steps.run(tools.node, [tools.npmCli, 'ci', ...flags], { cwd: root, env })
    return 'installed'
  })
}

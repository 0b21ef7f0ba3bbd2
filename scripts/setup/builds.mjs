// SPDX-License-Identifier: MIT
// Builds what `npm start` runs: the node (CMake knows what changed), the control plane (control-api/bundle.ts knows) and the
// console (rebuilt when the hash of everything it is made from changed).
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { consoleDir, nodeBinary, programsDir, root, toolsDir } from './paths.mjs'

/** @param {import('./steps.mjs').Steps} steps */
export async function buildNode(steps) {
  await steps.step('farmstead-node', async () => {
    const cwd = join(root, 'server-c')
    const before = existsSync(nodeBinary) ? readFileSync(nodeBinary) : null
    if (!existsSync(join(cwd, 'build/release/build.ninja'))) {
      await steps.run('cmake', ['--preset', 'release'], { cwd })
    }
    await steps.run('cmake', ['--build', '--preset', 'release'], { cwd })
    return before?.equals(readFileSync(nodeBinary)) ? null : 'built'
  })
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./node-toolchain.mjs').Toolchain} tools
 */
export async function buildControlPlane(steps, tools) {
  await steps.step('control plane', async () => {
    const before = existsSync(programsDir) ? realpathSync(programsDir) : null
    await steps.run(tools.node, ['control-api/bundle.ts'], { cwd: root, env: tools.env })
    return before === realpathSync(programsDir) ? null : 'built'
  })
}

/** @param {string} path a file or folder @returns {string[]} */
function filesUnder(path) {
  if (!existsSync(path)) return []
  const entries = readdirSync(path, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
  return entries.flatMap((entry) => {
    const below = join(path, entry.name)
    return entry.isDirectory() ? filesUnder(below) : [below]
  })
}

/** What the console ships of them. */
function shippedDocs() {
  const docs = join(root, 'docs')
  const pages = readdirSync(docs).filter((name) => name.endsWith('.md'))
  return [...pages.sort().map((name) => join(docs, name)), ...filesUnder(join(docs, 'images'))]
}

function consoleInputs() {
  const dir = join(root, 'web-ui')
  const top = readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(dir, entry.name))
  const contracts = ['package-lock.json', 'tsconfig.base.json', 'server-c/config.schema.json']
  const outside = contracts.map((name) => join(root, name)).filter((file) => existsSync(file))
  return [
    ...top.sort(),
    ...filesUnder(join(dir, 'src')),
    ...filesUnder(join(dir, 'public')),
    ...shippedDocs(),
    ...outside,
  ]
}

function consoleHash() {
  const hash = createHash('sha256')
  for (const file of consoleInputs())
    hash.update(`${file}\0`).update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./node-toolchain.mjs').Toolchain} tools
 */
export async function buildConsole(steps, tools) {
  await steps.step('console', async () => {
    const stamp = join(toolsDir, 'stamps/console')
    const hash = consoleHash()
    const isBuilt = existsSync(join(consoleDir, 'index.html')) && existsSync(stamp)
    if (isBuilt && readFileSync(stamp, 'utf8') === hash) return null
    const args = [tools.npmCli, 'run', 'build', '--workspace', 'web-ui']
    await steps.run(tools.node, args, { cwd: root, env: tools.env })
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, hash)
    return 'built'
  })
}

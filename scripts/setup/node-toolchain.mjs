// SPDX-License-Identifier: MIT
// Node 24 and npm 11 for the project. The machine's own Node is used when it is new enough; else
// both come as npm packages into .tools/, so that nothing outside the checkout changes.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { toolsDir } from './paths.mjs'
import { Problem } from './problem.mjs'

const NODE_VERSION = '24.21.0'
const NPM_VERSION = '11.21.2'
/** 24.7 brought argon2 to node:crypto. */
const OLDEST = { major: 24, minor: 7 }

/**
 * @typedef {object} Toolchain
 * @property {string} node path of the node binary
 * @property {string} npmCli path of npm's script, to run with `node`
 * @property {NodeJS.ProcessEnv} env environment in which `node` and `npx` are these
 */

/** @param {string} version like v24.21.0 */
export function isNewEnough(version) {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)
}

const ownNpm = join(toolsDir, 'node_modules/npm/bin/npm-cli.js')

/** npm's script behind the `npm` of a folder. @param {string} dir */
function npmScriptIn(dir) {
  const command = join(dir, 'npm')
  return existsSync(command) ? realpathSync(command) : ''
}

/** The script of the npm that runs us, of the one on the path, or of the one an earlier set-up brought. */
function machineNpm() {
  const onPath = (process.env.PATH ?? '').split(delimiter).map(npmScriptIn)
  const beside = npmScriptIn(dirname(process.execPath))
  const candidates = [process.env.npm_execpath ?? '', beside, ...onPath, ownNpm]
  const found = candidates.find((path) => path.endsWith('npm-cli.js') && existsSync(path))
  if (found) return found
  throw new Problem('npm is missing: install it ("apt-get install npm") and run "npm start".')
}

/** @param {string} name */
function installedVersion(name) {
  const file = join(toolsDir, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : null
}

/** What npm tells the scripts it runs about itself; ours must not take the old npm's word for it. */
const ofOldNpm =
  /^npm_(?!config_)|^npm_config_(\w*prefix|user_agent|npm_version|node_gyp|init_module)$/

/** @param {string} node @param {string} npmCli @returns {Toolchain} */
function toolchain(node, npmCli) {
  const kept = Object.entries(process.env).filter(([name]) => !ofOldNpm.test(name))
  const PATH = [dirname(node), process.env.PATH].join(delimiter)
  // The service, its tests and farmctl are many processes of the same modules.
  const NODE_COMPILE_CACHE = join(toolsDir, 'compile-cache')
  const env = { ...Object.fromEntries(kept), ...npmCache(), NODE_COMPILE_CACHE, PATH }
  return { node, npmCli, env }
}

/** npm keeps its cache in the home folder; users without one (CI, containers) get it in .tools/. */
function npmCache() {
  try {
    accessSync(homedir(), constants.W_OK)
    return {}
  } catch {
    return { npm_config_cache: join(toolsDir, 'npm-cache') }
  }
}

/**
 * The environment for an npm that reads the machine's own npmrc (registry, certificates, proxy), which
 * npm otherwise looks for beside the node that runs it.
 * @param {Toolchain} tools
 */
export function npmEnv({ npmCli, env }) {
  if (env.npm_config_globalconfig || npmCli === machineNpm()) return env
  const ask = [machineNpm(), 'config', 'get', 'globalconfig']
  const answer = spawnSync(process.execPath, ask, { encoding: 'utf8' }).stdout.trim()
  return answer ? { ...env, npm_config_globalconfig: answer } : env
}

/**
 * @param {import('./steps.mjs').Steps} steps
 * @returns {Promise<Toolchain>}
 */
export async function ensureNode(steps) {
  if (isNewEnough(process.version)) {
    await steps.step(`Node ${process.version.slice(1)}`, () => null)
    return toolchain(process.execPath, machineNpm())
  }
  const name = `node-linux-${process.arch}`
  const node = join(toolsDir, 'node_modules', name, 'bin/node')
  await steps.step(`Node ${NODE_VERSION}`, async () => {
    if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) {
      throw new Problem(
        `Node ${process.version} on ${process.platform}-${process.arch} is too old and cannot be replaced from here: install Node 24.7 or newer.`,
      )
    }
    if (installedVersion(name) === NODE_VERSION && installedVersion('npm')) return null
    const wanted = [`${name}@${NODE_VERSION}`, `npm@${NPM_VERSION}`]
    const flags = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
    // Not with --prefix: npm would look for the machine's npmrc (registry, certificates) there.
    const manifest = join(toolsDir, 'package.json')
    if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
    const args = [machineNpm(), 'install', ...flags, ...wanted]
    await steps.run(process.execPath, args, {
      cwd: toolsDir,
      env: toolchain(process.execPath, '').env,
    })
    return 'installed in .tools/'
  })
  return toolchain(node, ownNpm)
}

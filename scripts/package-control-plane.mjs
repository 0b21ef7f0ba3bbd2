// SPDX-License-Identifier: MIT
// `npm run package:control-plane`: a Debian package of the control plane, its console and farmctl, with a Node
// of its own: control-api/build/farmstead-control-plane_VERSION_ARCH.deb. It is unpacked and started as it
// was packed, before it counts as made.
import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  changelog,
  filesIn,
  maintainer,
  output,
  Stage,
  sourceEpoch,
  systemdTakes,
} from './packaging/deb.mjs'
import { buildConsole, buildControlPlane, buildNode } from './setup/builds.mjs'
import { ensureDebianPackages } from './setup/debian-packages.mjs'
import { ensureNode } from './setup/node-toolchain.mjs'
import { ensureNpmPackages } from './setup/npm-packages.mjs'
import { programsDir, root } from './setup/paths.mjs'
import { Problem } from './setup/problem.mjs'
import { runMain } from './setup/run-main.mjs'
import { Steps } from './setup/steps.mjs'

const NAME = 'farmstead-control-plane'
const LIB = `usr/lib/${NAME}`
const packaging = join(root, 'control-api/packaging')
const build = join(root, 'control-api/build')
const doc = `usr/share/doc/${NAME}`
const unit = `lib/systemd/system/${NAME}.service`
/** Of xz: Node is large, and the best takes minutes for a tenth less. */
const PACKED = 2
const START_WITHIN_MS = 60_000

/** What its programs read, as in the image (control-api/Dockerfile). */
const TREES = [
  'control-api/bin',
  'control-api/package.json',
  'control-api/openapi.json',
  'web-ui/dist',
  'server-c/config.schema.json',
  'server-c/agent-protocol/schemas',
]
const FILES = /** @type {const} */ ([
  [unit, 0o644, `systemd/${NAME}.service`],
  ['etc/farmstead/control-plane.env', 0o644, 'debian/control-plane.env'],
  ['usr/bin/farmctl', 0o755, 'farmctl'],
  ['usr/sbin/farmstead-admin', 0o755, 'farmstead-admin'],
])
const scripts = ['postinst', 'prerm', 'postrm']

const version = () =>
  JSON.parse(readFileSync(join(root, 'control-api/package.json'), 'utf8')).version

/** @param {import('./setup/node-toolchain.mjs').Toolchain} tools */
function installPackages({ node, npmCli, env }) {
  const work = join(build, 'packages')
  rmSync(work, { recursive: true, force: true })
  for (const path of ['', 'api-types', 'control-api', 'web-ui', 'e2e']) {
    mkdirSync(join(work, path), { recursive: true })
    cpSync(join(root, path, 'package.json'), join(work, path, 'package.json'))
  }
  cpSync(join(root, 'package-lock.json'), join(work, 'package-lock.json'))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund']
  const words = ['ci', '--workspace', 'control-api', '--omit=dev', ...quiet]
  output(node, [npmCli, ...words], { cwd: work, env })
  rmSync(join(work, 'node_modules/@farmstead'), { recursive: true, force: true })
  return join(work, 'node_modules')
}

/** @param {Stage} stage @param {string} modules @param {string} node @param {number} epoch */
function stageFiles(stage, modules, node, epoch) {
  const lib = join(stage.dir, LIB)
  for (const path of TREES) cpSync(join(root, path), join(lib, path), { recursive: true })
  // Of the builds only the newest.
  cpSync(realpathSync(programsDir), join(lib, 'control-api/dist/current'), { recursive: true })
  cpSync(modules, join(lib, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  stage.put(`${LIB}/bin/node`, readFileSync(realpathSync(node)), 0o755)
  stage.put(`${LIB}/package.json`, readFileSync(join(root, 'package.json')), 0o644)
  for (const [path, mode, from] of FILES) stage.put(path, readFileSync(join(packaging, from)), mode)
  const copyright = readFileSync(join(root, 'server-c/packaging/debian/copyright'))
  stage.put(`${doc}/copyright`, copyright, 0o644)
  stage.put(`${doc}/changelog.gz`, changelog(NAME, version(), epoch), 0o644)
  // Sources may come from a folder of one's own alone.
  output('chmod', ['-R', 'u=rwX,go=rX', stage.dir])
}

/** @param {Stage} stage */
function stageControl(stage) {
  const control = `Package: ${NAME}
Version: ${version()}
Section: httpd
Priority: optional
Architecture: ${output('dpkg', ['--print-architecture'])}
Maintainer: ${maintainer()}
Installed-Size: ${stage.size()}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: adduser, farmstead-node (>= ${version()}), libc6, libstdc++6
Suggests: nginx | caddy | apache2
Description: control plane and console for a farm of static web servers
 It keeps the configs of all nodes of farmstead-node, takes new versions to them
 wave by wave, watches them, and takes back what fails.
 .
 With it come farmctl, the command line, and a Node.js of its own.
`
  const texts = scripts.map((name) => [name, readFileSync(join(packaging, 'debian', name), 'utf8')])
  stage.describe(control, Object.fromEntries(texts))
}

/** The packed programs, run where they were unpacked; and the unit, read by systemd when it is here. */
async function tryOut(/** @type {string} */ file) {
  const scratch = mkdtempSync(join(tmpdir(), 'farmstead-package-'))
  try {
    output('dpkg-deb', ['-x', file, scratch])
    const lib = join(scratch, LIB)
    const PATH = `${join(lib, 'bin')}:/usr/bin:/bin`
    const said = output(join(lib, 'control-api/bin/farmctl'), ['--version'], {
      env: { PATH, HOME: scratch },
    })
    if (said !== version()) throw new Problem(`farmctl says: ${said}`)
    await serve(lib, scratch)
    const text = readFileSync(join(scratch, unit), 'utf8').replaceAll(`/${LIB}`, lib)
    const copy = join(scratch, `${NAME}.service`)
    writeFileSync(copy, text)
    return systemdTakes([copy]) ? 'it serves, systemd takes the unit' : 'it serves'
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

/** @param {string} lib @param {string} scratch */
async function serve(lib, scratch) {
  const env = {
    PATH: '/usr/bin:/bin',
    FARMSTEAD_DATA_DIR: join(scratch, 'data'),
    FARMSTEAD_CONSOLE_DIR: join(lib, 'web-ui/dist'),
    FARMSTEAD_NODE_BINARY: join(root, 'server-c/build/release/farmstead-node'),
    FARMSTEAD_PORT: '0',
    FARMSTEAD_AGENT_PORT: '0',
    FARMSTEAD_AGENT_URL: 'https://127.0.0.1:9701',
    FARMSTEAD_LOG_LEVEL: 'error',
  }
  const words = [join(lib, 'control-api/dist/current/server.js')]
  const child = spawn(join(lib, 'bin/node'), words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text) => {
      out += text
    })
  }
  const ended = new Promise((done) => child.once('close', done))
  try {
    const url = await addressIn(() => out)
    const health = await (await fetch(`${url}/api/v1/health`)).text()
    if (JSON.parse(health).status !== 'ok') throw new Problem('It is not well.', { detail: health })
    const page = await fetch(url, { headers: { accept: 'text/html' } })
    if (!(await page.text()).includes('<title>Farmstead')) throw new Problem('No console is there.')
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** @param {() => string} output */
async function addressIn(output) {
  const deadline = performance.now() + START_WITHIN_MS
  while (performance.now() < deadline) {
    const url = /Console and API {2}(\S+)/.exec(output())?.[1]
    if (url) return url
    await sleep(50)
  }
  throw new Problem('It did not start.', { detail: output() })
}

runMain(async () => {
  const steps = new Steps()
  let file = ''
  try {
    const tools = await ensureNode(steps)
    await ensureDebianPackages(steps, 'package')
    await ensureNpmPackages(steps, tools)
    await buildNode(steps)
    await buildControlPlane(steps, tools)
    await buildConsole(steps, tools)
    let modules = ''
    await steps.step('its npm packages', () => {
      modules = installPackages(tools)
      return `${readdirSync(modules).length} folders`
    })
    await steps.step('Debian package', () => {
      const epoch = sourceEpoch()
      const stage = new Stage(join(build, 'stage'))
      stageFiles(stage, modules, tools.node, epoch)
      stageControl(stage)
      file = stage.pack({ name: NAME, version: version(), epoch, to: build, level: PACKED })
      return `${filesIn(stage.dir).length} files`
    })
    await steps.step('trial', () => tryOut(file))
  } finally {
    steps.close()
  }
  process.stdout.write(`${file}\n`)
  return 0
})

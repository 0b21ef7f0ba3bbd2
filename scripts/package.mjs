// SPDX-License-Identifier: MIT
// `npm run package`: builds farmstead-node with Debian's hardening and makes a Debian package of it, for
// the release this machine runs: server-c/build/farmstead-node_VERSION_ARCH.deb. What is in it is
// checked against the list below, and the binary is run as it was packed. Needs no network, once the
// build's packages are installed.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  changelog,
  maintainer,
  output,
  Stage,
  sourceEpoch,
  systemdTakes,
} from './packaging/deb.mjs'
import { ensureDebianPackages } from './setup/debian-packages.mjs'
import { root } from './setup/paths.mjs'
import { Problem } from './setup/problem.mjs'
import { runMain } from './setup/run-main.mjs'
import { Steps } from './setup/steps.mjs'

const NAME = 'farmstead-node'
const source = join(root, 'server-c')
const packaging = join(source, 'packaging')
const build = join(source, 'build/package')
const doc = `usr/share/doc/${NAME}`

/** What the package holds: path, mode, and where it comes from (null: the build). */
const contents = /** @type {const} */ ([
  ['usr/bin/farmstead-node', 0o755, null],
  ['usr/bin/farmload', 0o755, null],
  ['lib/systemd/system/farmstead-node.service', 0o644, 'systemd/farmstead-node.service'],
  ['lib/systemd/system/farmstead-serve.service', 0o644, 'systemd/farmstead-serve.service'],
  ['etc/logrotate.d/farmstead-node', 0o644, 'logrotate'],
  ['usr/share/man/man1/farmstead-node.1.gz', 0o644, 'farmstead-node.1'],
  ['usr/share/man/man1/farmload.1.gz', 0o644, 'farmload.1'],
  [`${doc}/changelog.gz`, 0o644, null],
  [`${doc}/copyright`, 0o644, 'debian/copyright'],
  [`${doc}/examples/node.jsonc`, 0o644, 'debian/node.jsonc'],
  [`${doc}/examples/policy.json`, 0o644, 'debian/policy.jsonc'],
])
/** Those that the build makes; farmload is what `farmctl load` runs. */
const PROGRAMS = [NAME, 'farmload']
const scripts = ['postinst', 'prerm', 'postrm']

const version = () =>
  /project\(farmstead-node VERSION (\S+)/.exec(
    readFileSync(join(source, 'CMakeLists.txt'), 'utf8'),
  )?.[1] ?? '0'

/** @param {Stage} stage @param {number} epoch */
function stageFiles(stage, epoch) {
  output('cmake', ['--install', build, '--strip'], { env: { ...process.env, DESTDIR: stage.dir } })
  for (const [path, mode, from] of contents) {
    if (from) stage.put(path, readFileSync(join(packaging, from)), mode)
  }
  stage.put(`${doc}/changelog.gz`, changelog(NAME, version(), epoch), 0o644)
}

/** Which packages have the libraries that the programs are linked with. @param {Stage} stage */
function libraries(stage) {
  const work = join(build, 'shlibdeps')
  mkdirSync(join(work, 'debian'), { recursive: true })
  writeFileSync(
    join(work, 'debian/control'),
    `Source: ${NAME}\n\nPackage: ${NAME}\nArchitecture: any\n`,
  )
  const programs = PROGRAMS.map((name) => join(stage.dir, 'usr/bin', name))
  const said = output('dpkg-shlibdeps', ['-O', ...programs], { cwd: work })
  return said.replace('shlibs:Depends=', '')
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
Depends: adduser, ${libraries(stage)}
Recommends: logrotate
Description: static web server that a control plane can manage
 farmstead-node serves static files over HTTP/1.1 and HTTP/2, with and without
 TLS, on all cores, measures each request stage by stage, and takes new configs
 while it serves.
 .
 With a control plane it enrols once, checks and proves every config that it is
 given, and goes back to the last good one by itself. Without one it serves what
 a config file says.
`
  const texts = scripts.map((name) => [name, readFileSync(join(packaging, 'debian', name), 'utf8')])
  stage.describe(control, Object.fromEntries(texts))
}

/** @param {string} file */
function checkContents(file) {
  const packed = output('dpkg-deb', ['--contents', file])
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([mode = '']) => !mode.startsWith('d'))
    .map(([mode = '', owner = '', , , , path = '']) => `${mode} ${owner} ${path}`)
  const wanted = contents.map(
    ([path, mode]) => `-rw${mode & 0o100 ? 'xr-xr-x' : '-r--r--'} root/root ./${path}`,
  )
  const differs = [
    ...packed.filter((line) => !wanted.includes(line)).map((line) => `too much: ${line}`),
    ...wanted.filter((line) => !packed.includes(line)).map((line) => `missing: ${line}`),
  ]
  if (differs.length > 0)
    throw new Problem('The package does not hold what it should.', { detail: differs.join('\n') })
}

/** With certificates where postinst makes room for them: the policy of the examples must allow it. */
function httpsConfig(/** @type {string} */ folder) {
  const [chainFile, keyFile] = ['chain', 'key'].map((name) => `/etc/farmstead/tls/${name}.pem`)
  const config = {
    listen: [{ address: '0.0.0.0', port: 443, tls: true }],
    sites: [{ hosts: ['*'], root: '/srv/www', certificates: [{ chainFile, keyFile }] }],
  }
  const file = join(folder, 'https.json')
  writeFileSync(file, JSON.stringify(config))
  return file
}

/** It says what it wants, and exits with 2, where it is given no plan. @param {string} farmload */
function refusesNothing(farmload) {
  const { status, stderr } = spawnSync(farmload, { input: '', encoding: 'utf8' })
  if (status !== 2) throw new Problem(`farmload exits with ${status}.`, { detail: stderr })
}

/** The packed binary, run where it was unpacked, and its units, read by systemd when it is here. */
function tryOut(/** @type {string} */ file) {
  const scratch = mkdtempSync(join(tmpdir(), 'farmstead-package-'))
  try {
    output('dpkg-deb', ['-x', file, scratch])
    const binary = join(scratch, 'usr/bin', NAME)
    const said = output(binary, ['version'])
    if (!said.startsWith(`${NAME} ${version()}`)) throw new Problem(`The binary says: ${said}`)
    refusesNothing(join(scratch, 'usr/bin/farmload'))
    const examples = join(scratch, doc, 'examples')
    const policy = ['--policy', join(examples, 'policy.json')]
    const configs = [join(examples, 'node.jsonc'), httpsConfig(scratch)]
    for (const config of configs) output(binary, ['check', '--text-only', ...policy, config])
    const units = ['node', 'serve'].map((name) => {
      const unit = join(scratch, `farmstead-${name}.service`)
      cpSync(join(scratch, `lib/systemd/system/farmstead-${name}.service`), unit)
      const text = readFileSync(unit, 'utf8').replaceAll('/usr/bin/farmstead-node', binary)
      writeFileSync(unit, text)
      return unit
    })
    return systemdTakes(units) ? 'the binary runs, systemd takes the units' : 'the binary runs'
  } finally {
    rmSync(scratch, { recursive: true })
  }
}

runMain(async () => {
  const steps = new Steps()
  let file = ''
  try {
    await ensureDebianPackages(steps, 'package')
    await steps.step('farmstead-node, hardened', async () => {
      await steps.run('cmake', ['--preset', 'package'], { cwd: source })
      const words = ['--build', '--preset', 'package', '--target', ...PROGRAMS]
      await steps.run('cmake', words, { cwd: source })
      return ''
    })
    await steps.step('Debian package', () => {
      const epoch = sourceEpoch()
      const stage = new Stage(join(build, 'stage'))
      stageFiles(stage, epoch)
      stageControl(stage)
      file = stage.pack({ name: NAME, version: version(), epoch, to: join(source, 'build') })
      checkContents(file)
      return `${contents.length} files`
    })
    await steps.step('trial', () => tryOut(file))
  } finally {
    steps.close()
  }
  process.stdout.write(`${file}\n`)
  return 0
})

// SPDX-License-Identifier: MIT
// `npm run package`: builds farmstead-node with Debian's hardening and makes a Debian package of it, for
// the release this machine runs: server-c/build/farmstead-node_VERSION_ARCH.deb. What is in it is
// checked against the list below, and the binary is run as it was packed. Needs no network, once the
// build's packages are installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ensureDebianPackages } from './setup/debian-packages.mjs'
import { root } from './setup/paths.mjs'
import { Problem } from './setup/problem.mjs'
import { runMain } from './setup/run-main.mjs'
import { Steps } from './setup/steps.mjs'

const NAME = 'farmstead-node'
/** The most that `systemd-analyze security` may say of a unit, in tenths. */
const EXPOSURE = 15
const source = join(root, 'server-c')
const packaging = join(source, 'packaging')
const build = join(source, 'build/package')
const stage = join(build, 'stage')
const doc = `usr/share/doc/${NAME}`

/** What the package holds: path, mode, and where it comes from (null: the build). */
const contents = /** @type {const} */ ([
  ['usr/bin/farmstead-node', 0o755, null],
  ['lib/systemd/system/farmstead-node.service', 0o644, 'systemd/farmstead-node.service'],
  ['lib/systemd/system/farmstead-serve.service', 0o644, 'systemd/farmstead-serve.service'],
  ['etc/logrotate.d/farmstead-node', 0o644, 'logrotate'],
  ['usr/share/man/man1/farmstead-node.1.gz', 0o644, 'farmstead-node.1'],
  [`${doc}/changelog.gz`, 0o644, null],
  [`${doc}/copyright`, 0o644, 'debian/copyright'],
  [`${doc}/examples/node.jsonc`, 0o644, 'debian/node.jsonc'],
  [`${doc}/examples/policy.json`, 0o644, 'debian/policy.jsonc'],
])
const scripts = ['postinst', 'prerm', 'postrm']

/** @param {string} command @param {string[]} args @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options] */
function output(command, args, { cwd = root, env = process.env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' })
  if (error || status !== 0)
    throw new Problem(`"${command} ${args[0] ?? ''}" failed.`, { detail: error?.message ?? stderr })
  return stdout.trim()
}

const version = () =>
  /project\(farmstead-node VERSION (\S+)/.exec(
    readFileSync(join(source, 'CMakeLists.txt'), 'utf8'),
  )?.[1] ?? '0'

/** The same sources make the same package: the last commit's time is the time of all files. */
function sourceEpoch() {
  const given = process.env.SOURCE_DATE_EPOCH
  const asked = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  const changelog = Math.floor(statSync(join(root, 'CHANGELOG.md')).mtimeMs / 1000)
  return Number(given ?? (asked.status === 0 ? asked.stdout : changelog))
}

function maintainer() {
  const { DEBFULLNAME = 'The Farmstead authors', DEBEMAIL = 'farmstead@localhost' } = process.env
  return `${DEBFULLNAME} <${DEBEMAIL}>`
}

/** @param {number} epoch */
function changelog(epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')
  const news = 'See CHANGELOG.md of the sources for what is new.'
  return `${NAME} (${version()}) stable; urgency=medium\n\n  * ${news}\n\n -- ${maintainer()}  ${date}\n`
}

/** @param {string} path in the package @param {string | Buffer} data @param {number} mode */
function put(path, data, mode) {
  const file = join(stage, path)
  mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
  writeFileSync(file, path.endsWith('.gz') ? gzipSync(data, { level: 9 }) : data)
  chmodSync(file, mode)
}

/** @param {number} epoch */
function stageFiles(epoch) {
  rmSync(stage, { recursive: true, force: true })
  output('cmake', ['--install', build, '--strip'], { env: { ...process.env, DESTDIR: stage } })
  for (const [path, mode, from] of contents) {
    if (from) put(path, readFileSync(join(packaging, from)), mode)
  }
  put(`${doc}/changelog.gz`, changelog(epoch), 0o644)
}

/** Which packages have the libraries that the binary is linked with. */
function libraries() {
  const work = join(build, 'shlibdeps')
  mkdirSync(join(work, 'debian'), { recursive: true })
  writeFileSync(
    join(work, 'debian/control'),
    `Source: ${NAME}\n\nPackage: ${NAME}\nArchitecture: any\n`,
  )
  const said = output('dpkg-shlibdeps', ['-O', join(stage, 'usr/bin', NAME)], { cwd: work })
  return said.replace('shlibs:Depends=', '')
}

/** @param {string} dir @returns {string[]} paths of files below it */
function filesIn(dir, below = '') {
  return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below ? `${below}/${entry.name}` : entry.name
    return entry.isDirectory() ? filesIn(dir, path) : [path]
  })
}

function stageControl() {
  const files = filesIn(stage)
  const kibibytes = files.reduce((sum, path) => sum + statSync(join(stage, path)).size, 0) / 1024
  const control = `Package: ${NAME}
Version: ${version()}
Section: httpd
Priority: optional
Architecture: ${output('dpkg', ['--print-architecture'])}
Maintainer: ${maintainer()}
Installed-Size: ${Math.ceil(kibibytes)}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: adduser, ${libraries()}
Recommends: logrotate
Description: static web server that a control plane can manage
 farmstead-node serves static files over HTTP/1.1 on all cores, measures each
 request stage by stage, and takes new configs while it serves.
 .
 With a control plane it enrols once, checks and proves every config that it is
 given, and goes back to the last good one by itself. Without one it serves what
 a config file says.
`
  const digest = (/** @type {string} */ path) =>
    createHash('md5')
      .update(readFileSync(join(stage, path)))
      .digest('hex')
  put('DEBIAN/control', control, 0o644)
  put('DEBIAN/md5sums', files.map((path) => `${digest(path)}  ${path}\n`).join(''), 0o644)
  const conffiles = files.filter((path) => path.startsWith('etc/'))
  put('DEBIAN/conffiles', conffiles.map((path) => `/${path}\n`).join(''), 0o644)
  for (const script of scripts) {
    put(`DEBIAN/${script}`, readFileSync(join(packaging, 'debian', script)), 0o755)
  }
}

/** @param {number} epoch @returns {string} the package's file */
function pack(epoch) {
  const built = join(build, `${NAME}.deb`)
  output('dpkg-deb', ['--root-owner-group', '-Zxz', '--build', stage, built], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
  })
  const architecture = output('dpkg-deb', ['--field', built, 'Architecture'])
  const file = join(source, `build/${NAME}_${version()}_${architecture}.deb`)
  renameSync(built, file)
  return file
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

/** The packed binary, run where it was unpacked, and its units, read by systemd when it is here. */
function tryOut(/** @type {string} */ file) {
  const scratch = mkdtempSync(join(tmpdir(), 'farmstead-package-'))
  try {
    output('dpkg-deb', ['-x', file, scratch])
    const binary = join(scratch, 'usr/bin', NAME)
    const said = output(binary, ['version'])
    if (!said.startsWith(`${NAME} ${version()}`)) throw new Problem(`The binary says: ${said}`)
    const examples = join(scratch, doc, 'examples')
    const policy = ['--policy', join(examples, 'policy.json')]
    output(binary, ['check', '--text-only', ...policy, join(examples, 'node.jsonc')])
    const units = ['node', 'serve'].map((name) => {
      const unit = join(scratch, `farmstead-${name}.service`)
      cpSync(join(scratch, `lib/systemd/system/farmstead-${name}.service`), unit)
      const text = readFileSync(unit, 'utf8').replaceAll('/usr/bin/farmstead-node', binary)
      writeFileSync(unit, text)
      return unit
    })
    const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
    if (hasSystemd) {
      output('systemd-analyze', ['verify', '--man=no', ...units])
      output('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE}`, ...units])
    }
    return hasSystemd ? 'the binary runs, systemd takes the units' : 'the binary runs'
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
      await steps.run('cmake', ['--build', '--preset', 'package', '--target', NAME], {
        cwd: source,
      })
      return ''
    })
    await steps.step('Debian package', () => {
      const epoch = sourceEpoch()
      stageFiles(epoch)
      stageControl()
      file = pack(epoch)
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

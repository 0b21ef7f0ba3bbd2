// SPDX-License-Identifier: MIT
// What both Debian packages are made with: files are staged with their modes, described and packed; the
// same sources make the same package.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { root } from '../setup/paths.mjs'
import { Problem } from '../setup/problem.mjs'

/**
 * The most that `systemd-analyze security` may say of a unit, in tenths. It takes a unit that allows one call of a set for
 * one that allows the set: two tenths of the nodes' are setpriority, of all @resources.
 */
const EXPOSURE = 17

/** @param {string} command @param {string[]} args @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} [options] */
export function output(command, args, { cwd = root, env = process.env } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (error || status !== 0)
    throw new Problem(`"${command} ${args[0] ?? ''}" failed.`, { detail: error?.message ?? stderr })
  return stdout.trim()
}

/** The last commit's time is the time of all files. */
export function sourceEpoch() {
  const given = process.env.SOURCE_DATE_EPOCH
  const asked = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' })
  const changelog = Math.floor(statSync(join(root, 'CHANGELOG.md')).mtimeMs / 1000)
  return Number(given ?? (asked.status === 0 ? asked.stdout : changelog))
}

export function maintainer() {
  const { DEBFULLNAME = 'The Farmstead authors', DEBEMAIL = 'farmstead@localhost' } = process.env
  return `${DEBFULLNAME} <${DEBEMAIL}>`
}

/** @param {string} name @param {string} version @param {number} epoch */
export function changelog(name, version, epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000')
  const news = 'See CHANGELOG.md of the sources for what is new.'
  return `${name} (${version}) stable; urgency=medium\n\n  * ${news}\n\n -- ${maintainer()}  ${date}\n`
}

/** @param {string} dir @returns {string[]} paths of files and links below it */
export function filesIn(dir, below = '') {
  return readdirSync(join(dir, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below ? `${below}/${entry.name}` : entry.name
    return entry.isDirectory() ? filesIn(dir, path) : [path]
  })
}

export class Stage {
  /** @param {string} dir */
  constructor(dir) {
    this.dir = dir
    rmSync(dir, { recursive: true, force: true })
  }

  /** @param {string} path in the package @param {string | Buffer} data @param {number} mode */
  put(path, data, mode) {
    const file = join(this.dir, path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, path.endsWith('.gz') ? gzipSync(data, { level: 9 }) : data)
    chmodSync(file, mode)
  }

  /** In KiB, as Debian counts. */
  size() {
    const bytes = this.#plainFiles().map((path) => statSync(join(this.dir, path)).size)
    return Math.ceil(bytes.reduce((sum, one) => sum + one, 0) / 1024)
  }

  /** @param {string} control @param {Record<string, string>} scripts postinst and the like */
  describe(control, scripts) {
    const digest = (/** @type {string} */ path) =>
      createHash('md5')
        .update(readFileSync(join(this.dir, path)))
        .digest('hex')
    const files = this.#plainFiles()
    const sums = files.map((path) => `${digest(path)}  ${path}\n`).join('')
    const conffiles = files.filter((path) => path.startsWith('etc/')).map((path) => `/${path}\n`)
    this.put('DEBIAN/control', control, 0o644)
    this.put('DEBIAN/md5sums', sums, 0o644)
    this.put('DEBIAN/conffiles', conffiles.join(''), 0o644)
    for (const [name, text] of Object.entries(scripts)) this.put(`DEBIAN/${name}`, text, 0o755)
  }

  /**
   * @param {{ name: string, version: string, epoch: number, to: string, level?: number }} what
   * @returns {string} the package's file
   */
  pack({ name, version, epoch, to, level = 6 }) {
    const built = join(dirname(this.dir), `${name}.deb`)
    const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch) }
    output('dpkg-deb', ['--root-owner-group', '-Zxz', `-z${level}`, '--build', this.dir, built], {
      env,
    })
    const architecture = output('dpkg-deb', ['--field', built, 'Architecture'])
    const file = join(to, `${name}_${version}_${architecture}.deb`)
    renameSync(built, file)
    return file
  }

  #plainFiles() {
    return filesIn(this.dir).filter(
      (path) =>
        !path.startsWith('DEBIAN/') &&
        statSync(join(this.dir, path), { throwIfNoEntry: false })?.isFile(),
    )
  }
}

/** @param {string[]} units paths of unit files @returns {boolean} false: this machine has no systemd to ask */
export function systemdTakes(units) {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return false
  output('systemd-analyze', ['verify', '--man=no', ...units])
  output('systemd-analyze', ['security', '--offline=true', `--threshold=${EXPOSURE}`, ...units])
  return true
}

// SPDX-License-Identifier: MIT
// The libraries that a program says it needs, as the Debian packages of this machine that have them.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { output } from '../packaging/deb.mjs'
import { Problem } from '../setup/problem.mjs'

/** @param {string} binary */
export function nodeComponents(binary) {
  if (!existsSync(binary))
    throw new Problem(
      `There is no ${binary} to look into: build it first (npm start, or cmake in server-c).`,
    )
  const version = /(\d+\.\d+\.\d+)/.exec(output(binary, ['version']))?.[1] ?? ''
  const root = `farmstead-node@${version}`
  const packages = new Map(packagesWith(librariesOf(binary)).map((one) => [one.purl, one]))
  return {
    root,
    components: [
      {
        'bom-ref': root,
        type: 'application',
        name: 'farmstead-node',
        version,
        scope: 'required',
        licenses: [{ license: { id: 'MIT' } }],
      },
      ...[...packages.values()].sort((a, b) => a.name.localeCompare(b.name)),
    ],
    dependencies: [
      { ref: root, dependsOn: [...packages.keys()].sort() },
      ...[...packages.keys()].map((ref) => ({ ref, dependsOn: [] })),
    ],
  }
}

/** What the program itself names, not what those need in turn. @param {string} binary @returns {string[]} files */
export function librariesOf(binary) {
  const names = [...output('readelf', ['-d', binary]).matchAll(/\(NEEDED\).*\[(.+)\]/g)].map(
    ([, name]) => name,
  )
  const found = new Map(
    [...output('ldd', [binary]).matchAll(/^\s*(\S+) => (\/\S+)/gm)].map(
      ([, name = '', file = '']) => [name, file],
    ),
  )
  return names.map((name = '') => {
    const file = found.get(name)
    if (!file) throw new Problem(`${binary} needs ${name}, which is not on this machine.`)
    return file
  })
}

/**
 * All at once: dpkg reads the lists of all packages for each question.
 * @param {string[]} files
 */
function packagesWith(files) {
  const asked = files.flatMap(namesToDpkg)
  const { stdout } = spawnSync('dpkg-query', ['-S', ...asked], { encoding: 'utf8' })
  const owners = new Map(
    [...(stdout ?? '').matchAll(/^([^:\s]+)(?::\w+)?: (.+)$/gm)].map(([, name = '', file = '']) => [
      file,
      name,
    ]),
  )
  const names = files.map((file) => {
    const name = namesToDpkg(file)
      .map((one) => owners.get(one))
      .find((one) => one !== undefined)
    if (name) return name
    throw new Problem(`${file} is of no Debian package, so nobody can say which version it is.`)
  })
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholders are dpkg-query's
  const format = '${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\n'
  const said = output('dpkg-query', ['-W', '-f', format, ...new Set(names)])
  return said.split('\n').map(componentOf)
}

/** dpkg knows a file by the name that it unpacked, /lib or /usr/lib; on a merged system both lead there. @param {string} file */
function namesToDpkg(file) {
  const real = realpathSync(file)
  return [...new Set([file, real, real.replace(/^\/usr/, ''), `/usr${real}`])]
}

/** @param {string} line */
function componentOf(line) {
  const [name = '', version = '', architecture = '', source = '', sourceVersion = ''] =
    line.split('\t')
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}${distro()}`
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl,
    // By these Debian's security tracker names what is wrong with it.
    properties: [
      { name: 'debian:source', value: source },
      { name: 'debian:source-version', value: sourceVersion },
    ],
  }
}

function distro() {
  const release = /^VERSION_ID="?([^"\n]+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  return release ? `&distro=debian-${release}` : ''
}

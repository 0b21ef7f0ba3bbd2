// SPDX-License-Identifier: MIT
// npm packages of a lock as components of an SBOM, and who needs whom, found as Node.js finds them: in the nearest
// node_modules on the way up.

/**
 * @typedef {object} Entry of a lock of version 3
 * @property {string} [name] of a workspace
 * @property {string} [version]
 * @property {string} [license]
 * @property {string} [integrity]
 * @property {string} [resolved]
 * @property {boolean} [link]
 * @property {boolean} [dev]
 * @property {boolean} [devOptional]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 */

const MODULES = 'node_modules/'

/** @param {{ packages: Record<string, Entry> }} lock */
export function npmComponents({ packages }) {
  const paths = Object.keys(packages).filter((path) => path !== '' && !packages[path]?.link)
  /** @type {Map<string, { component: ReturnType<typeof componentOf>, needs: Set<string> }>} */
  const known = new Map()
  for (const path of paths) {
    const entry = packages[path] ?? {}
    const ref = refOf(path, entry)
    const before = known.get(ref)
    const component = before?.component ?? componentOf(ref, path, entry)
    // In two places of the tree, and needed at run time in one of them.
    if (!isOnlyForDevelopment(path, entry)) component.scope = 'required'
    const needs = before?.needs ?? new Set()
    for (const name of namesNeededBy(entry)) {
      const found = placeOf(name, path, packages)
      if (found) needs.add(refOf(found, packages[found] ?? {}))
    }
    known.set(ref, { component, needs })
  }
  const own = paths.filter((path) => !path.includes(MODULES))
  const tools = Object.keys(packages['']?.devDependencies ?? {})
    .map((name) => placeOf(name, '', packages))
    .filter((path) => path !== null)
  return {
    roots: [...own, ...tools].map((path) => refOf(path, packages[path] ?? {})).sort(),
    components: [...known.values()].map(({ component }) => component),
    dependencies: [...known].map(([ref, { needs }]) => ({ ref, dependsOn: [...needs].sort() })),
  }
}

/** @param {Entry} entry */
const namesNeededBy = ({ dependencies, devDependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({
    ...dependencies,
    ...devDependencies,
    ...optionalDependencies,
    ...peerDependencies,
  })

/** e2e is a workspace, and ships nothing. @param {string} path @param {Entry} entry */
const isOnlyForDevelopment = (path, { dev = false }) => dev || path === 'e2e'

/** @param {string} path @param {Entry} entry */
const nameOf = (path, { name }) =>
  name ?? path.slice(path.lastIndexOf(MODULES) + (path.includes(MODULES) ? MODULES.length : 0))

/** @param {string} path @param {Entry} entry */
const refOf = (path, entry) => `pkg:npm/${nameOf(path, entry).replace('@', '%40')}@${entry.version}`

/** @param {string} ref @param {string} path @param {Entry} entry */
function componentOf(ref, path, entry) {
  const { license, integrity } = entry
  return {
    'bom-ref': ref,
    type: 'library',
    name: nameOf(path, entry),
    version: entry.version ?? '',
    scope: 'excluded',
    purl: ref,
    ...(license && { licenses: [licenceOf(license)] }),
    ...(integrity && { hashes: hashesOf(integrity) }),
  }
}

/** @param {string} text an identifier of SPDX, or an expression of several */
const licenceOf = (text) =>
  /\s/.test(text) ? { expression: text.replace(/^\((.*)\)$/, '$1') } : { license: { id: text } }

const ALGORITHMS = new Map([
  ['sha512', 'SHA-512'],
  ['sha1', 'SHA-1'],
])

/** @param {string} integrity as subresource integrity has it */
function hashesOf(integrity) {
  return integrity.split(' ').map((one) => {
    const [algorithm = '', digest = ''] = one.split(/-(.*)/s)
    const alg = ALGORITHMS.get(algorithm)
    if (!alg) throw new Error(`The lock has a digest of a kind that is not known here: ${one}`)
    return { alg, content: Buffer.from(digest, 'base64').toString('hex') }
  })
}

/**
 * @param {string} name
 * @param {string} from the place of who needs it
 * @param {Record<string, Entry>} packages
 * @returns {string | null} null: it is not installed (optional, or of another system)
 */
function placeOf(name, from, packages) {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
    const path = at === '' ? `${MODULES}${name}` : `${at}/${MODULES}${name}`
    const entry = packages[path]
    if (entry) return entry.link ? (entry.resolved ?? null) : path
    if (at === '') return null
  }
}

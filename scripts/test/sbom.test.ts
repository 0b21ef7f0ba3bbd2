// SPDX-License-Identifier: MIT
// `npm run sbom`: the shape that CycloneDX 1.5 wants, and nothing forgotten.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, describe, it } from 'node:test'
import { librariesOf } from '../sbom/debian-libraries.mjs'
import { npmComponents } from '../sbom/npm-packages.mjs'
import { nodeBinary, root } from '../setup/paths.mjs'

type Component = {
  'bom-ref': string
  type: string
  name: string
  version: string
  scope: string
  purl?: string
  licenses?: ({ license: { id: string } } | { expression: string })[]
  hashes?: { alg: string; content: string }[]
}
type Bom = {
  bomFormat: string
  specVersion: string
  version: number
  metadata: { component: { 'bom-ref': string } }
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const sbom = (...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts/sbom.mjs'), ...args], {
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  })

describe('the SBOM', () => {
  let text = ''
  let bom: Bom
  before(() => {
    const { stdout, stderr } = sbom()
    assert.equal(stderr, '')
    text = stdout
    bom = JSON.parse(text)
  })

  it('is CycloneDX, with a name for everything and nothing named twice', () => {
    assert.deepEqual([bom.bomFormat, bom.specVersion, bom.version], ['CycloneDX', '1.5', 1])
    const refs = bom.components.map((one) => one['bom-ref'])
    assert.equal(new Set(refs).size, refs.length)
    for (const { type, name, version, scope, purl, hashes = [] } of bom.components) {
      assert.ok(type === 'library' || type === 'application', name)
      assert.match(`${name} ${version}`, /^\S+ \S+$/)
      assert.ok(scope === 'required' || scope === 'excluded', name)
      if (purl) assert.match(purl, /^pkg:(?:npm|deb)\/\S+@\S+$/)
      for (const { content } of hashes) assert.match(content, /^(?:[0-9a-f]{40}|[0-9a-f]{128})$/)
    }
  })

  it('says of each component what it needs, and all of that is in it', () => {
    const refs = new Set([
      bom.metadata.component['bom-ref'],
      ...bom.components.map((one) => one['bom-ref']),
    ])
    assert.deepEqual(new Set(bom.dependencies.map(({ ref }) => ref)), refs)
    for (const { ref, dependsOn } of bom.dependencies)
      for (const one of dependsOn) assert.ok(refs.has(one), `${ref} needs ${one}`)
  })

  it('has every package of the lock, with licence and digest', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string; link?: boolean; integrity?: string }>
    }
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes('node_modules/') && !link,
    )
    assert.ok(installed.length > 300)
    for (const [path, { version, integrity = '' }] of installed) {
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const found = bom.components.find((one) => one.name === name && one.version === version)
      assert.ok(found?.licenses?.length, path)
      const digest = Buffer.from(integrity.split('-')[1] ?? '', 'base64').toString('hex')
      assert.ok(
        found.hashes?.some(({ content }) => content === digest),
        path,
      )
    }
  })

  it('says that what runs is required, and tools are not', () => {
    const scopeOf = (wanted: string) => bom.components.find(({ name }) => name === wanted)?.scope
    for (const name of ['fastify', 'better-sqlite3', 'react', 'farmstead-node', 'libssl3'])
      assert.equal(scopeOf(name), 'required', name)
    for (const name of ['vitest', '@biomejs/biome', '@playwright/test', 'knip'])
      assert.equal(scopeOf(name), 'excluded', name)
  })

  it('has every library that the node is linked with, by its Debian package and version', () => {
    const files = librariesOf(nodeBinary)
    assert.ok(files.length > 8)
    const own = bom.dependencies.find(({ ref }) => ref.startsWith('farmstead-node@'))
    for (const purl of own?.dependsOn ?? [])
      assert.match(purl, /^pkg:deb\/debian\/lib.*\?arch=\w+&distro=debian-\d/)
    const names = (own?.dependsOn ?? []).map((purl) => /debian\/([^@]+)@/.exec(purl)?.[1] ?? '')
    const { stdout } = spawnSync('dpkg-query', ['-L', ...names], { encoding: 'utf8' })
    const theirs = new Set(stdout.split('\n').map((path) => basename(path)))
    for (const file of files) assert.ok(theirs.has(basename(file)), file)
  })

  it('is the same text each time', () => {
    assert.equal(sbom().stdout, text)
  })

  it('says what to do where nothing was built', () => {
    const { status, stderr, stdout } = sbom('/nowhere/farmstead-node')
    assert.equal(status, 1)
    assert.match(
      `${stdout}${stderr}`,
      /There is no \/nowhere\/farmstead-node to look into: build it/,
    )
  })
})

describe('packages of a lock', () => {
  it('need what is nearest on the way up, and of two places the stricter counts', () => {
    const { components, dependencies, roots } = npmComponents({
      packages: {
        '': { version: '1.0.0', devDependencies: { tool: '^1' } },
        part: { name: '@own/part', version: '1.0.0', license: 'MIT', dependencies: { a: '^1' } },
        'node_modules/@own/part': { link: true, resolved: 'part' },
        'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '^2' } },
        'node_modules/b': { version: '1.0.0', license: '(MIT OR ISC)', dev: true },
        'node_modules/a/node_modules/b': { version: '2.0.0', license: 'MIT' },
        'node_modules/tool': {
          version: '1.0.0',
          license: 'MIT',
          dev: true,
          dependencies: { b: '^1', '@own/part': '*' },
          optionalDependencies: { absent: '^1' },
        },
        'node_modules/tool/node_modules/c': { version: '3.0.0', license: 'MIT', dev: true },
        'node_modules/a/node_modules/c': { version: '3.0.0', license: 'MIT' },
      },
    })
    const needs = Object.fromEntries(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]))
    assert.deepEqual(needs['pkg:npm/a@1.0.0'], ['pkg:npm/b@2.0.0'])
    assert.deepEqual(needs['pkg:npm/tool@1.0.0'], ['pkg:npm/%40own/part@1.0.0', 'pkg:npm/b@1.0.0'])
    assert.deepEqual(roots, ['pkg:npm/%40own/part@1.0.0', 'pkg:npm/tool@1.0.0'])
    const scopes = components.map((one) => `${one.name}@${one.version} ${one.scope}`)
    assert.ok(scopes.includes('c@3.0.0 required') && scopes.includes('b@1.0.0 excluded'))
    assert.deepEqual(components.find(({ name }) => name === 'b')?.licenses, [
      { expression: 'MIT OR ISC' },
    ])
  })
})

// SPDX-License-Identifier: MIT
// What docker-compose.yml and the images promise: no root, nothing to write to but volumes, no rights to gain.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { root } from '../setup/paths.mjs'

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const IMAGES = ['server-c/Dockerfile', 'control-api/Dockerfile']

/** Instructions of the stage that becomes the image, each in one line. */
function lastStage(path: string): string[] {
  const lines = read(path)
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')))
}

describe('an image', () => {
  for (const path of IMAGES) {
    it(`is not root's: ${path}`, () => {
      const users = lastStage(path).filter((line) => line.startsWith('USER '))
      assert.deepEqual(users, ['USER farmstead'])
      assert.ok(
        lastStage(path).some((line) => /useradd --uid 10001 .*nologin farmstead/.test(line)),
      )
    })

    it(`has no compiler, fetches nothing by itself and holds no secret: ${path}`, () => {
      const said = lastStage(path).join('\n')
      assert.doesNotMatch(said, /\bgcc\b|\bcmake\b|-dev\b/)
      assert.doesNotMatch(said, /^ADD |curl [^|]*\|[^|]|wget /m)
      assert.doesNotMatch(said, /^(?:ENV|ARG) .*(?:PASSWORD|SECRET|TOKEN|KEY)/m)
      // What the process may replace, it could be made to run.
      assert.doesNotMatch(said, /^COPY .*--chown/m)
    })
  }

  it('is made of what .dockerignore names, which is no test and no data of a farm', () => {
    const [first, ...more] = read('.dockerignore')
      .replaceAll(/^#.*\n/gm, '')
      .trim()
      .split('\n')
    assert.equal(first, '*')
    for (const named of ['!.', '!**', '!.farm', '!server-c', '!scripts'])
      assert.ok(!more.includes(named), named)
    assert.ok(more.includes('**/test') && more.includes('**/node_modules'))
  })
})

/** The lines of each part that begins with so much space, by its name. */
function partsOf(text: string, indent: string): Map<string, string> {
  const parts = text.split(new RegExp(`^(?=${indent}[\\w-]+:)`, 'm'))
  const named = parts.map((part): [string, string] => [
    part.slice(0, part.indexOf(':')).trim(),
    part,
  ])
  return new Map(named.filter(([, part]) => part.startsWith(indent)))
}

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml').replaceAll(/^\s*#.*\n/gm, '')
  const top = partsOf(text, '')
  const services = partsOf(top.get('services') ?? '', '  ')

  it('writes to nothing but volumes, with no right, in every service', () => {
    const hardened = top.get('x-hardened') ?? ''
    assert.match(hardened, /^ {2}read_only: true$/m)
    assert.match(hardened, /^ {2}cap_drop: \[ALL\]$/m)
    assert.match(hardened, /^ {2}security_opt: \["no-new-privileges:true"\]$/m)
    assert.match(top.get('x-node') ?? '', /^ {2}<<: \*hardened$/m)
    assert.deepEqual([...services.keys()], ['site', 'control-plane', 'edge-1', 'edge-2', 'edge-3'])
    for (const [name, part] of services) assert.match(part, /^ {4}<<: \*(?:hardened|node)$/m, name)
  })

  it('takes none of that back, and gives no container the host', () => {
    const words =
      /privileged|cap_add|user:|read_only: false|docker\.sock|network_mode: ["']?host|pid:|ipc:|devices:|- ?\//
    assert.doesNotMatch(text, words)
  })

  it('publishes on this machine alone', () => {
    const published = [...text.matchAll(/ports: \["([^"]+)"\]/g)].map(([, port = '']) => port)
    assert.equal(published.length, 4)
    for (const port of published) assert.match(port, /^127\.0\.0\.1:/)
    assert.equal([...text.matchAll(/ports:/g)].length, published.length)
  })
})

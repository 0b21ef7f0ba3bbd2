// SPDX-License-Identifier: MIT
// The compose file and the front's configuration as texts: what they promise can be read there. To run them takes a
// Docker engine, which the tests have not.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { unknownNames } from '../../control-api/src/base/known-environment.ts'
import { root } from '../setup/paths.mjs'

const folder = join(root, 'packaging/compose')
const text = readFileSync(join(folder, 'postgres.yml'), 'utf8')
const front = readFileSync(join(folder, 'haproxy.cfg'), 'utf8')
// biome-ignore lint/suspicious/noExplicitAny: compose files have no types here
type Service = any
const {
  services,
  secrets,
  volumes,
  networks,
}: Record<string, Record<string, Service>> = parse(text, { merge: true })
const replicas = Object.keys(services ?? {}).filter((name) => name.startsWith('control-'))
const serviceOf = (name: string): Service => services?.[name]

describe('the compose file of replicas on PostgreSQL', () => {
  for (const [name, service] of Object.entries(services ?? {})) {
    it(`gives ${name} no right, and nothing to write to but volumes and memory`, () => {
      assert.equal(service.read_only, true)
      assert.deepEqual(service.cap_drop, ['ALL'])
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
      assert.equal(service.privileged, undefined)
      for (const volume of service.volumes ?? []) {
        const isNamed = Object.keys(volumes ?? {}).includes(volume.split(':')[0])
        assert.ok(isNamed || volume.endsWith(':ro'), volume)
      }
    })
  }

  it('has no password, and none that anybody gets by saying nothing', () => {
    assert.doesNotMatch(text, /:\/\/[^\s:]+:[^\s@]+@/)
    assert.equal(serviceOf('postgres').environment.POSTGRES_PASSWORD, undefined)
    for (const { file } of Object.values(secrets ?? {}))
      assert.match(file, /^\$\{FARMSTEAD_SECRETS:\?/)
    for (const name of replicas) {
      const { environment, secrets: own } = serviceOf(name)
      assert.match(environment.FARMSTEAD_AGENT_URL, /^\$\{FARMSTEAD_AGENT_URL:\?/)
      for (const variable of ['FARMSTEAD_DATABASE_URL_FILE', 'FARMSTEAD_SECRETS_KEY_FILE']) {
        const [, secret] = /^\/run\/secrets\/(.+)$/.exec(environment[variable]) ?? []
        assert.ok(own.includes(secret) && secrets?.[secret ?? ''], variable)
      }
    }
  })

  it('has replicas that differ in their name and their own folder alone', () => {
    assert.ok(replicas.length >= 2)
    const [one, ...others] = replicas.map((name) =>
      JSON.stringify(serviceOf(name)).replaceAll(name, 'NAME'),
    )
    for (const other of others) assert.equal(other, one)
    for (const name of replicas) {
      assert.deepEqual(serviceOf(name).volumes, [
        `${name}:/var/lib/farmstead`,
        'contents:/var/lib/farmstead/releases',
      ])
      assert.equal(serviceOf(name).environment.FARMSTEAD_REPLICA_ADDRESS, `${name}:9702`)
    }
  })

  it('sets names that the service knows', () => {
    for (const name of replicas) {
      const env = Object.entries(serviceOf(name).environment as Record<string, string>)
      assert.ok(env.length > 5)
      assert.deepEqual(unknownNames(Object.fromEntries(env)), [])
    }
  })

  it('asks its own environment for names that no program of ours warns of, and the page tells of each', () => {
    const asked = [...text.matchAll(/\$\{(FARMSTEAD_[A-Z_]+)/g)].map(([, name = '']) => name)
    assert.ok(asked.length > 8)
    assert.deepEqual(unknownNames(Object.fromEntries(asked.map((name) => [name, 'x']))), [])
    const page = readFileSync(join(root, 'docs/postgresql.md'), 'utf8')
    for (const name of asked) assert.ok(page.includes(`\`${name}\``), name)
  })

  it('lets nobody reach the database or a replica but through the front', () => {
    for (const [name, { ports, networks: own }] of Object.entries(services ?? {})) {
      assert.equal(ports !== undefined, name === 'front', name)
      assert.equal(own.includes('database'), name === 'postgres' || replicas.includes(name), name)
    }
    assert.equal(networks?.database.internal, true)
  })

  it('has folders in the image that belong to its user, which named volumes take over', () => {
    const dockerfile = readFileSync(join(root, 'control-api/Dockerfile'), 'utf8')
    const [, made = ''] =
      /install -d -o farmstead -g farmstead -m 0750 (.+) \\/.exec(dockerfile) ?? []
    for (const path of ['/var/lib/farmstead', '/var/lib/farmstead/releases'])
      assert.ok(made.split(' ').includes(path), path)
  })
})

describe('the front', () => {
  it('has a configuration that HAProxy takes', () => {
    const { status, stderr } = spawnSync('haproxy', ['-c', '-f', join(folder, 'haproxy.cfg')], {
      encoding: 'utf8',
      env: { PATH: `${process.env.PATH}:/usr/sbin` },
    })
    assert.equal(status, 0, stderr)
    assert.doesNotMatch(stderr, /WARNING/)
  })

  it('leads both ports to every replica, and asks on the replicas’ port whether each lives', () => {
    assert.match(front, /^ {4}option httpchk GET \/live$/m)
    assert.match(front, /^ {4}default-server check port 9702 /m)
    for (const [backend, port] of Object.entries({ console: 9700, agents: 9701 })) {
      const block = front.split(`\nbackend ${backend}\n`)[1]?.split('\n\n')[0] ?? ''
      for (const name of replicas)
        assert.match(block, new RegExp(`^    server ${name} ${name}:${port}$`, 'm'))
    }
    for (const name of replicas)
      assert.match(serviceOf(name).healthcheck.test.join(' '), /127\.0\.0\.1:9702\/ready/)
  })

  it('believes no visitor who says to come from elsewhere', () => {
    assert.match(front, /http-request set-header X-Forwarded-For %\[src\]/)
    assert.match(front, /http-request del-header X-Forwarded-Host/)
  })
})

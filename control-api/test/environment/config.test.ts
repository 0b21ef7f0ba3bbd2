// SPDX-License-Identifier: MIT
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { SERVICE_NAMES, unknownNames } from '../../src/base/known-environment.ts'
import { ConfigRefused, envToConfig, envToStoreConfig } from '../../src/environment/config.ts'
import { tempDir } from '../helper.ts'

const SRC = resolve(import.meta.dirname, '../../src')
const least = { FARMSTEAD_DATA_DIR: '/var/lib/farmstead' }

function problemsOf(env: Record<string, string>): string[] {
  try {
    envToConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigRefused) return error.problems
    throw error
  }
}

describe('the environment', () => {
  test('needs little, and listens on this machine only unless told otherwise', () => {
    expect(envToConfig(least)).toMatchObject({
      dataDir: '/var/lib/farmstead',
      host: '127.0.0.1',
      port: 9700,
      agent: { host: '127.0.0.1', port: 9701 },
      agentTransport: 'mtls',
      agentUrl: 'https://127.0.0.1:9701',
      consoleDir: null,
      trustProxy: false,
      logLevel: 'info',
    })
  })

  test.each([
    'postgres://farmstead@db.example:5432/farmstead',
    'postgresql://farmstead@db/farmstead?sslmode=verify-full',
    'postgres://farmstead@a:5432,b:5432/farmstead',
  ])('may name a database of PostgreSQL: %s', (url) => {
    const env = { ...least, DATABASE_URL: url }
    expect(envToConfig(env)).toMatchObject({ databaseUrl: url, replica: null })
    const replica = { ...env, FARMSTEAD_REPLICA_ADDRESS: '[2001:db8::1]:9702' }
    expect(envToConfig(replica).replica).toEqual({ address: '[2001:db8::1]:9702', port: 9702 })
  })

  test.each([
    [{ DATABASE_URL: 'mysql://a/b' }, /^DATABASE_URL must be a postgres:\/\/ URL/],
    [{ DATABASE_URL: 'postgres://host' }, /^DATABASE_URL must be/],
    [{ FARMSTEAD_REPLICA_ADDRESS: 'a:9702' }, /set DATABASE_URL, too/],
    [{ DATABASE_URL: 'postgres://u@h/d', FARMSTEAD_REPLICA_ADDRESS: 'a' }, /must be host:port/],
    [{ DATABASE_URL: 'postgres://u@h/d', FARMSTEAD_REPLICA_ADDRESS: 'a:0' }, /must be host:port/],
    [
      { DATABASE_URL: 'postgres://u@h/d', FARMSTEAD_REPLICA_ADDRESS: 'a:65536' },
      /must be host:port/,
    ],
  ])('says what is wrong with a database or a replica: %j', (env, problem) => {
    expect(problemsOf({ ...least, ...env })).toEqual([expect.stringMatching(problem)])
  })

  // A password in the environment is seen by whoever inspects the container. Secrets made of files end in a newline, which was
  // part of the database's name elsewhere (guerzon/vaultwarden's issue 154).
  test('takes the database’s URL from a file, and says what is wrong with that', () => {
    const file = join(tempDir(), 'url')
    const env = { ...least, FARMSTEAD_DATABASE_URL_FILE: file }
    expect(problemsOf(env)).toEqual([
      `FARMSTEAD_DATABASE_URL_FILE names a file that cannot be read, ${file}`,
    ])
    const password = 's3cret'
    const server = `postgres://farmstead:${password}@db.example.org`
    const url = `${server}/farmstead`
    for (const wrong of ['\n', password, server, `${url}\n${url}`]) {
      writeFileSync(file, wrong)
      const said = problemsOf(env).join('\n')
      expect(said, wrong).toContain(`${file} must hold a postgres:// URL`)
      expect(said).not.toContain(password)
    }
    writeFileSync(file, `${url}\n`)
    expect(envToStoreConfig(env).databaseUrl).toBe(url)
    const others = { FARMSTEAD_REPLICA_ADDRESS: 'a:9702', FARMSTEAD_SECRETS_KEY_FILE: '/run/key' }
    expect(envToConfig({ ...env, ...others })).toMatchObject({
      ...{ databaseUrl: url, secretsKeyFile: '/run/key' },
      replica: { address: 'a:9702', port: 9702 },
    })
    expect(problemsOf({ ...env, DATABASE_URL: url })).toEqual([
      expect.stringContaining('set one of them'),
    ])
  })

  test('has no name that is read and not known', () => {
    const folder = join(SRC, 'environment')
    const text = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n')
    const read = [...text.matchAll(/'(FARMSTEAD_[A-Z_]*[A-Z])'/g)].map(([, name]) => name)
    expect(SERVICE_NAMES).toEqual(expect.arrayContaining(read))
    expect(read.length).toBeGreaterThan(14)
  })

  test('says how often nodes report: as often that a silent one is told from a slow one', () => {
    const of = (seconds: string) => ({ ...least, FARMSTEAD_REPORT_EVERY_SECONDS: seconds })
    expect(envToConfig(least).reportEverySeconds).toBeNull()
    for (const [seconds, read] of [
      ['1', 1],
      ['10', 10],
    ] as const) {
      expect(envToConfig(of(seconds)).reportEverySeconds).toBe(read)
    }
    for (const wrong of ['0', '11', '2.5', 'often']) {
      const name = 'FARMSTEAD_REPORT_EVERY_SECONDS'
      expect(problemsOf(of(wrong)), wrong).toEqual([expect.stringContaining(name)])
    }
  })

  test('says under which names previews are shown', () => {
    const of = (host: string) => problemsOf({ ...least, FARMSTEAD_PREVIEW_HOST: host })
    expect(envToConfig(least).previewHost).toBeNull()
    expect(of('v{version}-{release}.{node}.preview.example.org')).toEqual([])
    for (const wrong of [
      ...['preview.example.org', '{release}.example.org', '{release}-{version}'],
      ...['{release}-{version}.{other}.example', 'https://{release}-{version}.example'],
      ...[
        '{release}-{version}.example:8080',
        '{release}-{version}..example',
        '*.{release}-{version}.example',
      ],
    ]) {
      expect(of(wrong), wrong).toEqual([expect.stringContaining('FARMSTEAD_PREVIEW_HOST')])
    }
  })

  test('says where measurements are sent, with headers from a file that no problem shows', () => {
    const path = join(tempDir(), 'headers')
    const of = (env: Record<string, string>) => ({
      ...{ ...least, FARMSTEAD_OTLP_URL: 'https://c.example:4318/v1/metrics' },
      ...{ FARMSTEAD_OTLP_HEADERS_FILE: path, ...env },
    })
    writeFileSync(path, 'Authorization: Bearer s3cret:x\n\nX-Scope-OrgID: farm\n')
    expect(envToConfig(least).otlp).toBeNull()
    expect(envToConfig(of({ FARMSTEAD_OTLP_EVERY_SECONDS: '15' })).otlp).toEqual({
      url: 'https://c.example:4318/v1/metrics',
      headers: { Authorization: 'Bearer s3cret:x', 'X-Scope-OrgID': 'farm' },
      everySeconds: 15,
    })
    writeFileSync(path, 'X-One: 1\ns3cret\n')
    expect(problemsOf(of({ FARMSTEAD_OTLP_EVERY_SECONDS: '1' }))).toEqual([
      'FARMSTEAD_OTLP_EVERY_SECONDS must be a whole number, 5–3600, got "1"',
      `FARMSTEAD_OTLP_HEADERS_FILE: line 2 of ${path} is no header, as in "Name: value"`,
    ])
    const [wrong, ...others] = problemsOf(of({ FARMSTEAD_OTLP_URL: 'https://u:s3cret@c.example' }))
    expect(wrong).toMatch(/^FARMSTEAD_OTLP_URL must be the http/)
    expect([wrong, ...others].join()).not.toContain('s3cret')
    expect(problemsOf({ ...least, FARMSTEAD_OTLP_EVERY_SECONDS: '60' })[0]).toMatch(
      /^FARMSTEAD_OTLP_URL must be set/,
    )
  })

  test('says through which server mail goes, with a password from a file that no problem shows', () => {
    const path = join(tempDir(), 'password')
    writeFileSync(path, 's3cret\n')
    const smtp = {
      FARMSTEAD_SMTP_URL: 'smtps://mail.example',
      FARMSTEAD_SMTP_FROM: 'f@example.org',
    }
    const of = (env: Record<string, string>) => ({ ...least, ...smtp, ...env })
    expect(envToConfig(least).smtp).toBeNull()
    const signIn = { FARMSTEAD_SMTP_USER: 'farm', FARMSTEAD_SMTP_PASSWORD_FILE: path }
    expect(envToConfig(of(signIn)).smtp).toEqual({
      ...{ host: 'mail.example', port: 465, isTls: true, from: 'f@example.org' },
      signIn: { user: 'farm', password: 's3cret' },
    })
    expect(envToConfig(of({ FARMSTEAD_SMTP_URL: 'smtp://[::1]:2525' })).smtp).toEqual({
      ...{ host: '::1', port: 2525, isTls: false, from: 'f@example.org', signIn: null },
    })
    for (const url of ['mail.example', 'smtps://u:s3cret@mail.example', 'smtp://mail.example/x']) {
      const problems = problemsOf(of({ FARMSTEAD_SMTP_URL: url }))
      expect(problems[0], url).toMatch(/^FARMSTEAD_SMTP_URL must be/)
      expect(problems.join()).not.toContain('s3cret')
    }
    expect(problemsOf(of({ FARMSTEAD_SMTP_FROM: 'Farm <f@example.org>' }))[0]).toMatch(
      /^FARMSTEAD_SMTP_FROM must be/,
    )
    expect(problemsOf(of({ FARMSTEAD_SMTP_USER: 'farm' }))).toEqual([
      'FARMSTEAD_SMTP_USER and FARMSTEAD_SMTP_PASSWORD_FILE must be set together',
    ])
    expect(problemsOf({ ...least, FARMSTEAD_SMTP_FROM: 'f@example.org' })[0]).toMatch(
      /^FARMSTEAD_SMTP_URL must be set/,
    )
  })

  test('with a name that nobody knows is told so, with what may be meant', () => {
    const env = { ...least, FARMSTEAD_AGENTS_URL: 'x', FARMSTEAD_TOKEN: 'x', FARMSTEAD_WIBBLE: '' }
    expect(unknownNames(env)).toEqual([
      'FARMSTEAD_AGENTS_URL is no setting; is FARMSTEAD_AGENT_URL meant? It was left out.',
      'FARMSTEAD_WIBBLE is no setting. It was left out.',
    ])
  })

  test.each([
    ['/farm', '/farm'],
    ['/farm/', '/farm'],
    ['/', ''],
    ['/tools/farm', '/tools/farm'],
  ])('takes %s as the path %s', (given, basePath) => {
    expect(envToConfig({ ...least, FARMSTEAD_BASE_PATH: given })).toMatchObject({ basePath })
  })

  test.each(['farm', '/api/x', '/assets', '/a b', '/a/../b', '/a"'])(
    'refuses %s as a path',
    (given) => {
      expect(problemsOf({ ...least, FARMSTEAD_BASE_PATH: given })).toHaveLength(1)
    },
  )

  test('names every problem at once', () => {
    const problems = problemsOf({
      FARMSTEAD_PORT: '70000',
      FARMSTEAD_AGENT_PORT: 'agents',
      FARMSTEAD_AGENT_URL: 'ftp://example.org',
      FARMSTEAD_LOG_LEVEL: 'loud',
    })
    expect(problems).toHaveLength(5)
    expect(problems.join('\n')).toMatch(/FARMSTEAD_PORT must be a port, 0–65535.*got "70000"/)
  })

  test.each(['http', 'tls', 'MTLS'])('knows no transport "%s"', (transport) => {
    const problems = problemsOf({ ...least, FARMSTEAD_AGENT_TRANSPORT: transport })
    expect(problems).toEqual([
      expect.stringMatching(
        /must be mtls, or insecure-http for nodes that talk without encryption/,
      ),
    ])
  })

  test('lets agents talk in the clear only where that was asked for', () => {
    const plain = { ...least, FARMSTEAD_AGENT_TRANSPORT: 'insecure-http' }
    expect(envToConfig(plain)).toMatchObject({
      agentTransport: 'insecure-http',
      agentUrl: 'http://127.0.0.1:9701',
    })
    const http = { FARMSTEAD_AGENT_URL: 'http://control.example:9701' }
    expect(envToConfig({ ...plain, ...http }).agentUrl).toBe('http://control.example:9701')
    expect(problemsOf({ ...least, ...http })).toEqual([
      expect.stringMatching(/must be an https:\/\/ URL.*TRANSPORT is mtls/),
    ])
    const https = { FARMSTEAD_AGENT_URL: 'https://control.example:9701' }
    expect(problemsOf({ ...plain, ...https })).toEqual([
      expect.stringMatching(/must be an http:\/\/ URL.*TRANSPORT is insecure-http/),
    ])
  })

  test('takes the proxies it may believe as a list', () => {
    const env = { ...least, FARMSTEAD_TRUST_PROXY: '10.0.0.0/8, 127.0.0.1,' }
    expect(envToConfig(env).trustProxy).toEqual(['10.0.0.0/8', '127.0.0.1'])
  })

  test.each(['true', 'proxy.example', '10.0.0.0/33', '10.0.0.1/8/8', '::1/129'])(
    'refuses "%s" as a proxy, in one sentence',
    (proxy) => {
      const problems = problemsOf({
        ...least,
        FARMSTEAD_TRUST_PROXY: `loopback, ::1/128, ${proxy}`,
      })
      expect(problems).toEqual([expect.stringContaining(`got "${proxy}"`)])
    },
  )

  test('writes an IPv6 address as URLs want it', () => {
    expect(envToConfig({ ...least, FARMSTEAD_AGENT_HOST: '::1' }).agentUrl).toBe(
      'https://[::1]:9701',
    )
  })

  test('is asked for less by the operator’s commands', () => {
    expect(envToStoreConfig({ FARMSTEAD_DATA_DIR: '/data' }).dataDir).toBe('/data')
    expect(() => envToStoreConfig({})).toThrow(/FARMSTEAD_DATA_DIR must name the folder/)
  })
})

describe('backups', () => {
  const recipient = 'age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p'
  const read = (env: Record<string, string>) =>
    envToConfig({ FARMSTEAD_DATA_DIR: '/data', ...env }).backups

  test('are not made until somebody says to whom they are encrypted', () => {
    expect(read({})).toBeNull()
    expect(read({ FARMSTEAD_BACKUP_EVERY_HOURS: '0' })).toBeNull()
    expect(() => read({ FARMSTEAD_BACKUP_DIR: '/backups' })).toThrow(/RECIPIENTS must be set/)
  })

  test('are daily then, and the newest fourteen are kept', () => {
    expect(read({ FARMSTEAD_BACKUP_RECIPIENTS: recipient })).toEqual({
      dir: '/data/backups',
      recipients: [recipient],
      everyHours: 24,
      keep: 14,
    })
  })

  test.each([
    [{ FARMSTEAD_BACKUP_RECIPIENTS: 'AGE-SECRET-KEY-1ABC' }, /must hold age public keys/],
    [{ FARMSTEAD_BACKUP_RECIPIENTS: recipient, FARMSTEAD_BACKUP_KEEP: '0' }, /KEEP must be/],
    [{ FARMSTEAD_BACKUP_RECIPIENTS: recipient, FARMSTEAD_BACKUP_EVERY_HOURS: '-1' }, /HOURS must/],
  ])('that cannot be made so are refused: %j', (env, message) => {
    expect(() => read(env)).toThrow(message)
  })
})

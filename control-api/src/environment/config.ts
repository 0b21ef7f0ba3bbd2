// SPDX-License-Identifier: MIT
// The process's environment, read once. Nothing else in the service looks at process.env.
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { isRecipient } from '../backup/seal.ts'
import { unknownNames } from '../base/known-environment.ts'
import { LOG_LEVELS, type LogLevel } from '../base/log-level.ts'
import { repositoryDir } from '../base/places.ts'
import type { StorePlace } from '../db/store.ts'
import { databaseUrl, namesDatabase } from './database.ts'
import { type OidcConfig, oidcConfig, publicUrlOf } from './oidc.ts'
import { type OtlpConfig, otlpConfig } from './otlp.ts'
import { type SmtpConfig, smtpConfig } from './smtp.ts'
import { type ConsoleTls, consoleTls } from './tls.ts'

/** What the operator's commands need as well as the service. */
export type StoreConfig = StorePlace & {
  /** On PostgreSQL: a file with secrets.key, of which the data folder gets a copy; null: it has it, or makes it. */
  secretsKeyFile: string | null
  /** `farmstead-node`, whose `check` has the last word on every config. */
  nodeBinary: string
  /** The base URL nodes dial: https with mutual TLS, http without. */
  agentUrl: string
  agentTransport: Transport
  /** null: nobody said to whom backups are encrypted, so none are made. */
  backups: BackupConfig | null
}

export type BackupConfig = {
  dir: string
  /** Public keys (age): who makes backups cannot read them. */
  recipients: string[]
  /** 0: only when asked. */
  everyHours: number
  /** How many are kept: the newest. */
  keep: number
}

const TRANSPORTS = ['mtls', 'insecure-http'] as const
/** Plain HTTP carries the nodes' credentials readably, so nobody gets it without having asked for it. */
export type Transport = (typeof TRANSPORTS)[number]

export type Config = StoreConfig & {
  host: string
  port: number
  /** null: the console and the API speak plain HTTP. */
  tls: ConsoleTls | null
  /** Where the other replicas on the same database reach this one; null: there are no others. */
  replica: { address: string; port: number } | null
  agent: { host: string; port: number }
  /** The built console; null: this process serves the API only. */
  consoleDir: string | null
  /** Below which path of its host browsers see the console: '' is the root. */
  basePath: string
  /** Addresses of proxies whose X-Forwarded-* headers are believed; false: nobody's. */
  trustProxy: string[] | false
  /** The console's address as browsers see it; null: nobody said. */
  publicUrl: string | null
  releases: ReleasesConfig
  /** Under which name a node shows a version of a release, with {release}, {version} and {node}; null: none does. */
  previewHost: string | null
  /** Nodes say what they measured as often; null: as often as is usual. */
  reportEverySeconds: number | null
  /** null: nobody signs in through an identity provider. */
  oidc: OidcConfig | null
  /** Networks that webhooks may reach although they are this machine or its link. */
  webhookAllow: string[]
  /** null: nothing is told by mail. */
  smtp: SmtpConfig | null
  /** null: measurements are sent to nobody. */
  otlp: OtlpConfig | null
  logLevel: LogLevel
}

export type ReleasesConfig = {
  /** Of one release: files and links together, and what all files weigh. */
  maxFiles: number
  maxBytes: number
  /** Of all contents on the disk. */
  storeBytes: number
  /** How long what no release names stays, after it was last wanted. */
  keepHours: number
}

export class ConfigRefused extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(
      `The environment does not make a configuration:\n${problems.map((p) => `  - ${p}`).join('\n')}`,
    )
    this.problems = problems
  }
}

type Env = Record<string, string | undefined>
/** A variable set to nothing is the same as one not set: compose files and shells make those. */
const read = (env: Env, name: string) => env[name]?.trim() || undefined

export const readConfig = () => envToConfig(process.env)
/** Names in the environment that look like ours and are not. */
export const readUnknownNames = () => unknownNames(process.env)
export const readStoreConfig = () => envToStoreConfig(process.env)

export function envToStoreConfig(env: Env): StoreConfig {
  const problems: string[] = []
  const config = storeConfig(env, problems)
  if (problems.length) throw new ConfigRefused(problems)
  return config
}

export function envToConfig(env: Env): Config {
  const problems: string[] = []
  const logLevel = read(env, 'FARMSTEAD_LOG_LEVEL') ?? 'info'
  if (!isLogLevel(logLevel)) {
    problems.push(`FARMSTEAD_LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, got "${logLevel}"`)
  }
  const consoleDir = read(env, 'FARMSTEAD_CONSOLE_DIR')
  const config: Config = {
    ...storeConfig(env, problems),
    host: read(env, 'FARMSTEAD_HOST') ?? '127.0.0.1',
    port: port(env, 'FARMSTEAD_PORT', 9700, problems),
    tls: tls(env, problems),
    replica: replica(env, problems),
    agent: {
      host: agentHost(env),
      port: agentPort(env, problems),
    },
    consoleDir: consoleDir ? resolve(consoleDir) : null,
    basePath: basePath(env, problems),
    trustProxy: proxies(env, problems),
    publicUrl: publicUrl(env, problems),
    releases: releases(env, problems),
    previewHost: previewHost(env, problems),
    reportEverySeconds: reportEverySeconds(env, problems),
    oidc: oidcConfig((name) => read(env, name), problems),
    webhookAllow: networks(env, 'FARMSTEAD_WEBHOOK_ALLOW', problems),
    smtp: smtpConfig((name) => read(env, name), problems),
    otlp: otlp(env, problems),
    logLevel: isLogLevel(logLevel) ? logLevel : 'info',
  }
  if (problems.length) throw new ConfigRefused([...new Set(problems)])
  return config
}

function replica(env: Env, problems: string[]): Config['replica'] {
  const address = read(env, 'FARMSTEAD_REPLICA_ADDRESS')
  if (address === undefined) return null
  const port = Number(/^(?:\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(address)?.[1])
  if (!(port >= 1 && port <= 65_535)) {
    problems.push(
      `FARMSTEAD_REPLICA_ADDRESS must be host:port, as the other replicas reach this one, got "${address}"`,
    )
  }
  if (!namesDatabase((name) => read(env, name))) {
    problems.push(
      'FARMSTEAD_REPLICA_ADDRESS is for replicas on one PostgreSQL database: set DATABASE_URL, too, or leave it out',
    )
  }
  return { address, port }
}

function secretsKeyFile(env: Env, problems: string[]): string | null {
  const path = read(env, 'FARMSTEAD_SECRETS_KEY_FILE')
  if (path === undefined) return null
  if (!namesDatabase((name) => read(env, name))) {
    problems.push(
      'FARMSTEAD_SECRETS_KEY_FILE is for control planes on PostgreSQL: set DATABASE_URL, too, or leave it out and keep secrets.key in the data folder',
    )
  }
  return resolve(path)
}

function storeConfig(env: Env, problems: string[]): StoreConfig {
  const dataDir = read(env, 'FARMSTEAD_DATA_DIR')
  if (!dataDir) problems.push('FARMSTEAD_DATA_DIR must name the folder the databases live in')
  const nodeBinary =
    read(env, 'FARMSTEAD_NODE_BINARY') ??
    join(repositoryDir, 'server-c/build/release/farmstead-node')
  const agentTransport = transport(env, problems)
  return {
    dataDir: resolve(dataDir ?? '.'),
    databaseUrl: databaseUrl((name) => read(env, name), problems),
    secretsKeyFile: secretsKeyFile(env, problems),
    backups: backups(env, resolve(dataDir ?? '.'), problems),
    nodeBinary: resolve(nodeBinary),
    agentUrl: agentUrl(env, agentTransport, problems),
    agentTransport,
  }
}

const agentHost = (env: Env) => read(env, 'FARMSTEAD_AGENT_HOST') ?? '127.0.0.1'
const agentPort = (env: Env, problems: string[]) =>
  port(env, 'FARMSTEAD_AGENT_PORT', 9701, problems)

const SCHEMES: Record<Transport, string> = { mtls: 'https', 'insecure-http': 'http' }

function agentUrl(env: Env, using: Transport, problems: string[]): string {
  const given = read(env, 'FARMSTEAD_AGENT_URL')
  const scheme = SCHEMES[using]
  if (!given) {
    const host = agentHost(env)
    if (agentPort(env, problems) === 0) {
      problems.push('FARMSTEAD_AGENT_URL must be set when FARMSTEAD_AGENT_PORT is 0')
    }
    return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${agentPort(env, problems)}`
  }
  const url = URL.parse(given)
  if (url?.protocol !== `${scheme}:`) {
    problems.push(
      `FARMSTEAD_AGENT_URL must be an ${scheme}:// URL the nodes can reach, as FARMSTEAD_AGENT_TRANSPORT is ${using}, got "${given}"`,
    )
  }
  return given.replace(/\/+$/, '')
}

function transport(env: Env, problems: string[]): Transport {
  const given = read(env, 'FARMSTEAD_AGENT_TRANSPORT') ?? 'mtls'
  const known = TRANSPORTS.find((one) => one === given)
  if (known) return known
  problems.push(
    `FARMSTEAD_AGENT_TRANSPORT must be mtls, or insecure-http for nodes that talk without encryption on a network you trust, got "${given}"`,
  )
  return 'mtls'
}

function port(env: Env, name: string, fallback: number, problems: string[]): number {
  const text = read(env, name)
  if (text === undefined) return fallback
  const value = Number(text)
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value
  problems.push(`${name} must be a port, 0–65535 (0: the kernel chooses), got "${text}"`)
  return fallback
}

const TWO_YEARS_S = 63_072_000

function tls(env: Env, problems: string[]): ConsoleTls | null {
  const hsts = { name: 'FARMSTEAD_TLS_HSTS_SECONDS', max: TWO_YEARS_S }
  return consoleTls((name) => read(env, name), wholeNumber(env, hsts, problems), problems)
}

function otlp(env: Env, problems: string[]): OtlpConfig | null {
  const every = { name: 'FARMSTEAD_OTLP_EVERY_SECONDS', min: 5, max: 3600 }
  return otlpConfig((name) => read(env, name), wholeNumber(env, every, problems), problems)
}

function publicUrl(env: Env, problems: string[]): string | null {
  const url = publicUrlOf((name) => read(env, name))
  if (url === null && read(env, 'FARMSTEAD_PUBLIC_URL') !== undefined) {
    problems.push(
      'FARMSTEAD_PUBLIC_URL must be the address of the console as browsers see it, without a path, such as https://farm.example.org',
    )
  }
  return url
}

const DEFAULT_EVERY_HOURS = 24
const DEFAULT_KEEP = 14

function backups(env: Env, dataDir: string, problems: string[]): BackupConfig | null {
  const recipients = (read(env, 'FARMSTEAD_BACKUP_RECIPIENTS') ?? '')
    .split(/[\s,]+/)
    .filter(Boolean)
  for (const recipient of recipients.filter((one) => !isRecipient(one))) {
    problems.push(
      `FARMSTEAD_BACKUP_RECIPIENTS must hold age public keys (age1…), which "age-keygen" or "admin backup-key" prints, got "${recipient}"`,
    )
  }
  const everyHours = wholeNumber(env, { name: 'FARMSTEAD_BACKUP_EVERY_HOURS', max: 8760 }, problems)
  const keep = wholeNumber(env, { name: 'FARMSTEAD_BACKUP_KEEP', min: 1, max: 1000 }, problems)
  const dir = read(env, 'FARMSTEAD_BACKUP_DIR')
  if (recipients.length === 0) {
    if (dir || keep !== undefined || everyHours) {
      problems.push(
        'FARMSTEAD_BACKUP_RECIPIENTS must be set for backups to be made: to whom they are encrypted',
      )
    }
    return null
  }
  return {
    dir: dir ? resolve(dir) : join(dataDir, 'backups'),
    recipients,
    everyHours: everyHours ?? DEFAULT_EVERY_HOURS,
    keep: keep ?? DEFAULT_KEEP,
  }
}

const GIB = 1024 ** 3

function releases(env: Env, problems: string[]): ReleasesConfig {
  const read = (name: string, fallback: number, max: number) =>
    wholeNumber(env, { name, min: 1, max }, problems) ?? fallback
  return {
    maxFiles: read('FARMSTEAD_RELEASES_MAX_FILES', 1_000_000, 10_000_000),
    maxBytes: read('FARMSTEAD_RELEASES_MAX_GIB', 100, 100_000) * GIB,
    storeBytes: read('FARMSTEAD_RELEASES_STORE_GIB', 200, 1_000_000) * GIB,
    keepHours: read('FARMSTEAD_RELEASES_KEEP_HOURS', 24, 8760),
  }
}

const PLACEHOLDER = /\{(?:release|version|node)\}/g
/** With something in place of those. */
const HOST = /^(?=.{1,200}$)[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/

function previewHost(env: Env, problems: string[]): string | null {
  const given = read(env, 'FARMSTEAD_PREVIEW_HOST')
  if (given === undefined) return null
  const isTold = given.includes('{release}') && given.includes('{version}')
  if (!isTold || !HOST.test(given.replace(PLACEHOLDER, 'x'))) {
    problems.push(
      `FARMSTEAD_PREVIEW_HOST must be a host name with {release} and {version} in it, and {node} when it is another for each node, such as v{version}-{release}.{node}.preview.example.org, got "${given}"`,
    )
  }
  return given
}

/** Whose measurements are half a minute old counts as silent: three reports come meanwhile. */
const SLOWEST_REPORTS_SECONDS = 10
const reportEverySeconds = (env: Env, problems: string[]): number | null => {
  const name = 'FARMSTEAD_REPORT_EVERY_SECONDS'
  const bounds = { name, min: 1, max: SLOWEST_REPORTS_SECONDS }
  return wholeNumber(env, bounds, problems) ?? null
}

const SEGMENTS = /^(\/[A-Za-z0-9._~-]+)+$/
/** Below one of these a path of ours could be meant as well. */
const OUR_PATHS = /^\/(api|assets)(\/|$)/

function basePath(env: Env, problems: string[]): string {
  const given = (read(env, 'FARMSTEAD_BASE_PATH') ?? '').replace(/\/+$/, '')
  const isPath = SEGMENTS.test(given) && !/\/\.\.?(\/|$)/.test(given)
  if (given === '' || (isPath && !OUR_PATHS.test(given))) return given
  problems.push(
    `FARMSTEAD_BASE_PATH must be the path below which a proxy shows the console, such as /farm, and not /api or /assets, got "${given}"`,
  )
  return ''
}

type Bounds = { name: string; min?: number; max: number }

/** undefined: it is not set. */
function wholeNumber(
  env: Env,
  { name, min = 0, max }: Bounds,
  problems: string[],
): number | undefined {
  const text = read(env, name)
  if (text === undefined) return undefined
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value
  problems.push(`${name} must be a whole number, ${min}–${max}, got "${text}"`)
  return undefined
}

function proxies(env: Env, problems: string[]): string[] | false {
  const parts = (read(env, 'FARMSTEAD_TRUST_PROXY') ?? '').split(',').map((part) => part.trim())
  const given = parts.filter((part) => part !== '')
  for (const part of given.filter((one) => !isNetwork(one))) {
    problems.push(
      `FARMSTEAD_TRUST_PROXY must hold addresses or networks such as 10.0.0.0/8, or ${NETWORK_NAMES.join(', ')}, got "${part}"`,
    )
  }
  return given.length ? given : false
}

function networks(env: Env, name: string, problems: string[]): string[] {
  const parts = (read(env, name) ?? '').split(',').map((part) => part.trim())
  const given = parts.filter((part) => part !== '')
  for (const part of given.filter((one) => NETWORK_NAMES.includes(one) || !isNetwork(one))) {
    problems.push(`${name} must hold addresses or networks such as 10.0.0.0/8, got "${part}"`)
  }
  return given
}

/** Names that Fastify knows for the private ranges. */
const NETWORK_NAMES = ['loopback', 'linklocal', 'uniquelocal']

function isNetwork(text: string): boolean {
  if (NETWORK_NAMES.includes(text)) return true
  const [address = '', bits] = text.split('/', 2)
  const version = isIP(address)
  if (version === 0 || text.split('/').length > 2) return false
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  )
}

function isLogLevel(text: string): text is LogLevel {
  return LOG_LEVELS.some((level) => level === text)
}

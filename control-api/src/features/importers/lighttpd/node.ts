// SPDX-License-Identifier: MIT
// What holds for the whole node: addresses, limits, logs, media types, compression.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { CACHE_FOLDER, COMPRESSION, LOG_FOLDER } from '../sayings.ts'
import type { Directive } from '../tree.ts'
import { bounded, isAddress, isMediaType } from '../values.ts'
import type { Setting } from './parser.ts'
import { directivesOf, isOn, pairsOf, type Settings, textOf, textsOf } from './settings.ts'

export function nodeMembers(
  global: Settings,
  hasTypesFromShell: boolean,
  findings: Findings,
): Rule {
  const limits = limitsOf(global, findings)
  return {
    ...limits,
    ...http2(global, findings),
    ...statCache(global, findings),
    ...compression(global, findings),
    ...logs(global, findings),
    ...proxies(global, findings),
    ...types(global, hasTypesFromShell, findings),
  }
}

type Range = readonly [number, number]
const LIMITS: readonly [string, string, Range][] = [
  ['server.max-connections', 'connections', [1, 1_000_000]],
  ['server.max-keep-alive-requests', 'keepAliveRequests', [1, 1_000_000]],
  ['server.max-keep-alive-idle', 'keepAliveIdleSeconds', [1, 3600]],
  ['server.max-read-idle', 'headerSeconds', [1, 600]],
  ['server.max-write-idle', 'writeSeconds', [1, 3600]],
  ['server.max-request-field-size', 'headBytes', [1024, 262_144]],
  ['evasive.max-conns-per-ip', 'connectionsPerAddress', [0, 1_000_000]],
]

function limitsOf(global: Settings, findings: Findings): Rule {
  const limits: Rule = {}
  for (const [name, member, range] of LIMITS) {
    const setting = global.of(name)
    const value = setting && numberOf(setting, `limits.${member}`, range, findings)
    if (value !== null) limits[member] = value
  }
  const threads = global.of('server.max-worker')
  const isNone = textOf(threads) === '0'
  if (isNone) findings.taken(...directivesOf(threads))
  const workers = threads && !isNone ? numberOf(threads, 'workers', [1, 256], findings) : null
  return {
    ...(workers !== null && { workers }),
    ...(Object.keys(limits).length > 0 && { limits }),
  }
}

function numberOf(
  setting: Setting,
  member: string,
  range: Range,
  findings: Findings,
): number | null {
  const value = /^\d{1,12}$/.test(textOf(setting)) ? Number(textOf(setting)) : null
  if (value === null) {
    findings.unsupported(setting.directives, 'number', `It is no number that ${member} could have.`)
    return null
  }
  const within = bounded(value, range)
  if (within === value) findings.taken(...setting.directives)
  else {
    const text = `${member} is ${within}: from ${range[0]} to ${range[1]} is allowed.`
    findings.different(setting.directives, 'range', text)
  }
  return within
}

function http2(global: Settings, findings: Findings): Rule {
  const flags = global.of('server.feature-flags')
  if (!flags) return {}
  const text = 'HTTP/2 is a setting of the node; of the others it has none.'
  findings.different(flags.directives, 'feature-flags', text)
  const isOff = pairsOf(flags).some(([key, on]) => key === 'server.h2proto' && on === 'disable')
  return isOff ? { http2: false } : {}
}

function statCache(global: Settings, findings: Findings): Rule {
  const engine = global.of('server.stat-cache-engine')
  if (!engine) return {}
  findings.taken(...engine.directives)
  const name = textOf(engine)
  if (name === 'disable') return { statCache: { engine: 'off' } }
  return /^(inotify|fam|kqueue)$/.test(name) ? { statCache: { engine: 'inotify' } } : {}
}

function compression(global: Settings, findings: Findings): Rule {
  const named = global.of('deflate.mimetypes')
  const least = global.of('deflate.min-compress-size')
  const types = named ? textsOf(named).map((type) => type.replace(/\/$/, '/*')) : []
  const good = [...new Set(types.filter(isMediaType))].slice(0, 256)
  if (good.length === 0) {
    findings.taken(...directivesOf(named, least))
    return {}
  }
  findings.different(directivesOf(named), 'compression', COMPRESSION)
  const range = [1, 16_777_216] as const
  const minFileBytes = least ? numberOf(least, 'compression.minFileBytes', range, findings) : null
  return {
    compression: {
      ...{ cacheFolder: CACHE_FOLDER, types: good },
      ...(minFileBytes !== null && { minFileBytes }),
    },
  }
}

function logs(global: Settings, findings: Findings): Rule {
  const errors = global.of('server.errorlog')
  const path = errors && logPath(errors, findings)
  const requests = global.of('accesslog.filename')
  const accessLog = requests && logPath(requests, findings)
  return {
    ...(path && { errorLog: { path } }),
    ...(accessLog && { accessLog: { path: accessLog } }),
  }
}

export function logPath(setting: Setting, findings: Findings): string | null {
  const name = textOf(setting).split('/').at(-1) ?? ''
  if (!textOf(setting).startsWith('/') || !/^\w[\w.-]*$/.test(name)) {
    const text = 'A log is a file here, or "stdout", or syslog: no program gets its lines.'
    findings.unsupported(setting.directives, 'log-pipe', text)
    return null
  }
  findings.different(setting.directives, 'log-folder', LOG_FOLDER)
  return `/var/log/farmstead/${name}`
}

function proxies(global: Settings, findings: Findings): Rule {
  const setting = global.of('extforward.forwarder')
  if (!setting) return {}
  const addresses = pairsOf(setting).map(([address]) => address)
  const good = addresses.filter(isAddress).slice(0, 256)
  if (good.length === addresses.length) findings.taken(...setting.directives)
  else {
    const text = 'Name the proxies’ addresses: a node believes no one else.'
    findings.unsupported(setting.directives, 'address', text)
  }
  return good.length > 0 ? { trustedProxies: good } : {}
}

/** Of lighttpd's script that prints a list of types. */
export const OWN_TYPES =
  'No shell is run. The node has a list of media types of its own: add to mimeTypes what it lacks.'

function types(global: Settings, hasTypesFromShell: boolean, findings: Findings): Rule {
  const setting = global.of('mimetype.assign')
  if (!setting) return hasTypesFromShell ? {} : { charset: '' }
  const lost: string[] = []
  const mimeTypes: Record<string, string> = {}
  for (const [suffix, type] of pairsOf(setting)) {
    const key = suffix.toLowerCase()
    const isType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; charset=[\w.-]+)?$/.test(type)
    if (suffix !== '' && isType && /^\.[0-9a-z_+-]([0-9a-z_.+-]{0,28}[0-9a-z_+-])?$/.test(key))
      mimeTypes[key] = type
    else if (suffix !== '' || !isMediaType(type)) lost.push(suffix)
  }
  if (lost.length === 0) findings.taken(...setting.directives)
  else {
    const text = `Types go by suffixes with a dot; left out: ${lost.slice(0, 8).join(', ')}.`
    findings.different(setting.directives, 'type-names', text)
  }
  const usual = pairsOf(setting).find(([suffix]) => suffix === '')?.[1] ?? ''
  return {
    ...(isMediaType(usual) && { defaultType: usual }),
    charset: '',
    mimeTypes: Object.fromEntries(Object.entries(mimeTypes).slice(0, 2000)),
  }
}

export type Listen = { directives: Directive[]; rule: Rule; isTls: boolean }

/** The address of the server as a whole. */
export function mainListen(global: Settings, findings: Findings): Listen[] {
  const [bind, port, six] = ['server.bind', 'server.port', 'server.use-ipv6'].map((name) =>
    global.of(name),
  ) as [Setting | null, Setting | null, Setting | null]
  const engine = global.of('ssl.engine')
  const directives = directivesOf(bind, port, six, engine)
  const isTls = isOn(engine)
  const name = textOf(bind).replaceAll(/[[\]]/g, '')
  const number = port ? Number(textOf(port)) : isTls ? 443 : 80
  const usual = isOn(six) ? '::' : '0.0.0.0'
  return listenOf(name.startsWith('/') ? name : `${name || usual} ${number}`, {
    ...{ directives, isTls, findings },
  })
}

type About = { directives: Directive[]; isTls: boolean; findings: Findings }

/** Of `$SERVER["socket"]`: "0.0.0.0:443", "[::]:443", ":443" and paths. */
export function socketListen(text: string, about: About): Listen[] {
  const found = /^(?:\[([0-9a-f:.]+)\]|([\d.]*|\*|localhost))(?::(\d{1,5}))?$/i.exec(text)
  if (text.startsWith('/')) return listenOf(text, about)
  const address = found?.[1] ?? (found?.[2] || '0.0.0.0')
  return listenOf(`${address} ${found?.[3] ?? (about.isTls ? 443 : 80)}`, about)
}

function listenOf(where: string, { directives, isTls, findings }: About): Listen[] {
  const tls = isTls ? { tls: true } : {}
  if (where.startsWith('/') && where.length <= 107 && !where.endsWith('/')) {
    findings.taken(...directives)
    return [{ directives, rule: { socket: where, ...tls }, isTls }]
  }
  const [name = '', port = ''] = where.split(' ')
  const address = name === '*' ? '0.0.0.0' : name === 'localhost' ? '127.0.0.1' : name
  if (!isAddress(address) || address.includes('/') || !(Number(port) <= 65_535) || port === '') {
    const text = 'A node listens on numeric addresses and ports, or on a path.'
    findings.unsupported(directives, 'listen', text)
    return []
  }
  findings.taken(...directives)
  return [{ directives, rule: { address, port: Number(port), ...tls }, isTls }]
}

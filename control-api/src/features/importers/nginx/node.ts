// SPDX-License-Identifier: MIT
// What holds for the whole node: limits, logs, media types, compression. nginx says some of it for each server.
import type { Draft, Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { CACHE_FOLDER, COMPRESSION, LOG_FOLDER } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { bounded, isMediaType } from '../values.ts'
import type { Scope } from './scope.ts'
import type { Server } from './server.ts'
import { bytesOf, secondsOf } from './values.ts'

export type Whole = {
  findings: Findings
  top: Scope
  servers: readonly Server[]
  formats: ReadonlyMap<string, Directive>
  zones: ReadonlyMap<string, Directive>
  hasMissingTypes: boolean
}

/** What all say alike, or the first says. */
function forAll({ findings, top, servers }: Whole, key: string): readonly Directive[] {
  const lists = [top.of(key), ...servers.map(({ scope }) => scope.own(key))].filter(
    (list) => list.length > 0,
  )
  const [first, ...others] = lists
  const textOf = (list: readonly Directive[]) => list.map((one) => argsOf(one).join(' ')).join(';')
  for (const other of others) {
    if (first && textOf(other) === textOf(first)) findings.taken(...other)
    else
      findings.different(
        other,
        'node-wide',
        'This holds for the whole node; what is written first is taken.',
      )
  }
  return first ?? []
}

export function nodeMembers(whole: Whole): Omit<Draft, 'sites'> {
  const limits = limitsOf(whole)
  return {
    ...workers(whole),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...tls(whole),
    ...compression(whole),
    ...logs(whole),
    ...proxies(whole),
    ...types(whole),
  }
}

function workers(whole: Whole): Rule {
  const { findings, top } = whole
  const http2 = forAll(whole, 'http2')
  findings.taken(...http2)
  const isOff = http2.length > 0 && argsOf(http2[0] as Directive)[0] === 'off'
  const events = top.inner.filter(({ name }) => name === 'worker_processes')
  const [count = 'auto'] = events.flatMap(argsOf)
  findings.taken(...events)
  return {
    ...(/^\d+$/.test(count) && { workers: bounded(Number(count), [1, 256]) }),
    ...(isOff && { http2: false }),
  }
}

type Limit = {
  key: string
  member: string
  range: readonly [number, number]
  of: (words: string[]) => number | null
}
const seconds = (words: string[]) => secondsOf(words[0] ?? '')
const LIMITS: Limit[] = [
  {
    key: 'keepalive_requests',
    member: 'keepAliveRequests',
    range: [1, 1_000_000],
    of: ([n]) => Number(n),
  },
  { key: 'client_header_timeout', member: 'headerSeconds', range: [1, 600], of: seconds },
  { key: 'send_timeout', member: 'writeSeconds', range: [1, 3600], of: seconds },
  {
    key: 'large_client_header_buffers',
    member: 'headBytes',
    range: [1024, 262_144],
    of: ([count = '', size = '']) => Number(count) * (bytesOf(size) ?? Number.NaN),
  },
]

function limitsOf(whole: Whole): Rule {
  const { findings, top, zones } = whole
  const limits: Rule = {}
  const put = (
    directive: Directive,
    member: string,
    value: number | null,
    range: readonly [number, number],
  ) => {
    if (value === null || !Number.isFinite(value)) {
      findings.unsupported(
        [directive],
        'number',
        `It is no number that limits.${member} could have.`,
      )
      return
    }
    const within = bounded(Math.round(value), range)
    if (within === Math.round(value)) findings.taken(directive)
    else
      findings.different(
        [directive],
        'range',
        `limits.${member} is ${within}: from ${range[0]} to ${range[1]} is allowed.`,
      )
    limits[member] = within
  }
  for (const { key, member, range, of } of LIMITS) {
    const [directive] = forAll(whole, key)
    if (directive) put(directive, member, of(argsOf(directive)), range)
  }
  const [idle] = forAll(whole, 'keepalive_timeout')
  if (idle && secondsOf(argsOf(idle)[0] ?? '') === 0) {
    findings.taken(idle)
    limits.keepAliveRequests = 1
  } else if (idle) put(idle, 'keepAliveIdleSeconds', seconds(argsOf(idle)), [1, 3600])
  for (const events of top.inner.filter(({ name }) => name === 'worker_connections')) {
    const text = 'It is for the whole node; nginx counts each worker’s.'
    findings.different([events], 'connections', text)
    limits.connections = bounded(Number(argsOf(events)[0]) || 8192, [1, 1_000_000])
  }
  const [perAddress] = forAll(whole, 'limit_conn')
  if (perAddress) {
    const [name = '', most = ''] = argsOf(perAddress)
    const zone = zones.get(name)
    if (zone && /^\$(binary_)?remote_addr$/.test(argsOf(zone)[0] ?? '')) {
      findings.different(
        [perAddress, zone],
        'node-wide',
        'It holds for the whole node: connections of one address.',
      )
      limits.connectionsPerAddress = bounded(Number(most) || 0, [0, 1_000_000])
    } else
      findings.unsupported(
        [perAddress, ...(zone ? [zone] : [])],
        'limit',
        'Connections are counted by the client’s address alone.',
      )
  }
  return limits
}

function tls(whole: Whole): Rule {
  const [directive] = forAll(whole, 'ssl_protocols')
  if (!directive) return {}
  const words = argsOf(directive)
  const isModern = words.every((word) => word === 'TLSv1.3')
  const isUsual = words.every((word) => word === 'TLSv1.3' || word === 'TLSv1.2')
  if (isUsual) whole.findings.taken(directive)
  else
    whole.findings.different(
      [directive],
      'tls-profile',
      'A node speaks TLS 1.2 and 1.3; older versions are broken.',
    )
  return isModern ? { tls: { profile: 'modern' } } : {}
}

function compression(whole: Whole): Rule {
  const { findings, top, servers } = whole
  const scopes = [top, ...servers.map(({ scope }) => scope)]
  for (const scope of scopes)
    findings.taken(...scope.own('gzip_static'), ...scope.own('brotli_static'))
  const isOn = scopes.some((scope) => scope.isOn('gzip') || scope.isOn('brotli'))
  const switches = scopes.flatMap((scope) => [...scope.own('gzip'), ...scope.own('brotli')])
  const [named] = forAll(whole, 'gzip_types')
  const [least] = forAll(whole, 'gzip_min_length')
  const [level] = forAll(whole, 'gzip_comp_level')
  const all = [named, least, level].filter((one) => one !== undefined)
  if (!isOn) {
    findings.taken(...switches)
    return {}
  }
  findings.different(switches, 'compression', COMPRESSION)
  findings.taken(...all)
  const given = named ? argsOf(named) : []
  const types = given.includes('*')
    ? []
    : [...new Set(['text/html', ...given.filter(isMediaType)])].slice(0, 256)
  const minFileBytes = bounded((least && bytesOf(argsOf(least)[0] ?? '')) || 20, [1, 16_777_216])
  const gzip = level ? bounded(Number(argsOf(level)[0]) || 1, [1, 9]) : null
  return {
    compression: {
      cacheFolder: CACHE_FOLDER,
      ...(types.length > 0 && { types }),
      minFileBytes,
      ...(gzip !== null && { levels: { gzip } }),
    },
  }
}

const LEVELS = new Map(
  Object.entries({ debug: 'debug', info: 'info', notice: 'info', warn: 'warn' }),
)

function logs(whole: Whole): Rule {
  const { findings, top } = whole
  const rule: Rule = {}
  const [errors, ...more] = forAll(whole, 'error_log')
  findings.unsupported(
    more,
    'second-log',
    'A node has one error log. What reads the other can read that one.',
  )
  if (errors) {
    const [path = '', level = 'error'] = argsOf(errors)
    rule.errorLog = { ...pathMember(path), level: LEVELS.get(level) ?? 'error' }
    findings.different([errors], 'log-folder', LOG_FOLDER)
  }
  const own = accessLogOf(top.of('access_log'), whole)
  if (own && own.path !== 'none') rule.accessLog = own
  return rule
}

function pathMember(path: string): { path?: string } {
  const syslog = /^syslog:server=([^,]+)/.exec(path)?.[1]
  if (syslog)
    return { path: `syslog:${syslog.replace(/^unix:/, '').replace(/^([\d.]+)$/, '$1:514')}` }
  if (path === 'stderr' || path === '/dev/stderr') return { path: 'stderr' }
  if (path === '/dev/stdout') return { path: 'stdout' }
  if (path === '/dev/null') return {}
  const name = path.split('/').at(-1) ?? ''
  return /^[\w.-]+$/.test(name) ? { path: `/var/log/farmstead/${name}` } : {}
}

/** null: nothing is said. */
export function accessLogOf(
  directives: readonly Directive[],
  { findings, formats }: Whole,
): Rule | null {
  const [first, ...others] = directives
  if (!first) return null
  const [path = '', name = 'combined', ...conditions] = argsOf(first)
  findings.unsupported(
    others,
    'second-log',
    'A site has one access log. What reads the other can read that one.',
  )
  if (path === 'off') {
    findings.taken(first)
    return { path: 'none' }
  }
  findings.different([first], 'log-folder', LOG_FOLDER)
  const where = pathMember(path.replace(/\$\{?\w+\}?/g, ''))
  if (!where.path) return { path: 'none' }
  const format = formats.get(name)
  if (name === 'combined' || name.includes('=') || !format) return { ...where }
  const text = formatOf(format, findings)
  if (conditions.some((word) => word.startsWith('if='))) {
    findings.different(
      [first],
      'log-condition',
      'All requests are logged; accessLog.statuses and .exceptPaths choose.',
    )
  }
  return { ...where, ...(text && { format: text }) }
}

const FIELDS = new Map(
  Object.entries({
    remote_addr: 'client',
    remote_user: 'user',
    time_local: 'time',
    time_iso8601: 'timeIso',
    request: 'request',
    status: 'status',
    body_bytes_sent: 'bodyBytes',
    bytes_sent: 'bytes',
    http_referer: 'referer',
    host: 'host',
    http_user_agent: 'userAgent',
    request_method: 'method',
    request_uri: 'path',
    server_protocol: 'protocol',
    scheme: 'scheme',
    request_time: 'totalSeconds',
    http_host: 'host',
    server_name: 'site',
    args: 'query',
    uri: 'path',
  }),
)

function formatOf(directive: Directive, findings: Findings): string | null {
  const words = argsOf(directive)
    .slice(1)
    .filter((word) => !word.startsWith('escape='))
  const unknown = new Set<string>()
  const text = words
    .join('')
    .replaceAll(/[{}]/g, '$&$&')
    .replaceAll(/\$(?:\{\{(\w+)\}\}|(\w+))/g, (_, braced, bare) => {
      const field = FIELDS.get(braced ?? bare)
      if (!field) unknown.add(braced ?? bare)
      return field ? `{${field}}` : '-'
    })
  const isGood = text.length <= 512 && text.includes('{') && /\{time(Iso)?\}/.test(text)
  if (!isGood) {
    findings.unsupported(
      [directive],
      'log-format',
      'Write the format by the node’s fields, {time} or {timeIso} among them; combined is taken.',
    )
    return null
  }
  if (unknown.size === 0) findings.taken(directive)
  else
    findings.different(
      [directive],
      'log-format',
      `A node has no ${[...unknown].map((one) => `$${one}`).join(', ')}: "-" stands in its place.`,
    )
  return text
}

function proxies(whole: Whole): Rule {
  const { findings } = whole
  const from = forAll(whole, 'set_real_ip_from')
  const [field] = forAll(whole, 'real_ip_header')
  const addresses = from
    .map((one) => argsOf(one)[0] ?? '')
    .map((one) => (one === 'unix:' ? 'unix' : one))
  findings.taken(...from)
  if (field) {
    const name = argsOf(field)[0] ?? ''
    if (/^(x-forwarded-for|proxy_protocol)$/i.test(name)) findings.taken(field)
    else
      findings.different(
        [field],
        'proxy-field',
        'Clients are believed to be who X-Forwarded-For or Forwarded says: let the proxy write one of these.',
      )
  }
  return addresses.length > 0 ? { trustedProxies: addresses.slice(0, 256) } : {}
}

const WITH_CHARSET =
  'text/html text/xml text/plain text/vnd.wap.wml application/javascript application/rss+xml'.split(
    ' ',
  )

function types(whole: Whole): Rule {
  const { findings, top, hasMissingTypes } = whole
  const [charset] = forAll(whole, 'charset')
  const [name = 'off'] = charset ? argsOf(charset) : []
  const [kinds] = forAll(whole, 'charset_types')
  findings.taken(...[charset, kinds].filter((one) => one !== undefined))
  const isSaid = name !== 'off' && /^[\w.+-]+$/.test(name)
  const said = new Set(kinds ? ['text/html', ...argsOf(kinds)] : WITH_CHARSET)
  const [usual] = top.of('default_type')
  findings.taken(...(usual ? [usual] : []))
  const defaultType = (usual && argsOf(usual)[0]) || 'text/plain'
  const blocks = forAll(whole, 'types')
  const mimeTypes: Record<string, string> = {}
  for (const line of blocks.flatMap(({ block }) => block ?? [])) {
    const isType = isMediaType(line.name)
    if (isType) findings.taken(line)
    for (const suffix of isType ? argsOf(line) : []) {
      if (!/^[0-9a-z_+-]([0-9a-z_.+-]{0,28}[0-9a-z_+-])?$/i.test(suffix)) continue
      mimeTypes[`.${suffix.toLowerCase()}`] =
        isSaid && said.has(line.name) ? `${line.name}; charset=${name}` : line.name
    }
  }
  findings.taken(...blocks)
  // What nginx has where no list is given.
  if (blocks.length === 0 && !hasMissingTypes) {
    const html = isSaid ? `text/html; charset=${name}` : 'text/html'
    Object.assign(mimeTypes, { '.html': html, '.gif': 'image/gif', '.jpg': 'image/jpeg' })
  }
  return {
    ...(isMediaType(defaultType) && defaultType !== 'application/octet-stream' && { defaultType }),
    charset: isSaid ? name : '',
    ...(Object.keys(mimeTypes).length > 0 && { mimeTypes }),
  }
}

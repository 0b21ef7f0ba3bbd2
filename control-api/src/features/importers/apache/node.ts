// SPDX-License-Identifier: MIT
// What holds for the whole node: limits, logs, media types, compression, proxies. What hosts say otherwise is in the report.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { CACHE_FOLDER, COMPRESSION, LOG_FOLDER } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { bounded, isAddress, isMediaType } from '../values.ts'
import type { Host } from './hosts.ts'
import { argOf } from './layers.ts'
import { logMember } from './logs.ts'
import { keyOf } from './parser.ts'
import type { Body } from './sections.ts'

export type Node = { main: Body; hosts: readonly Host[]; findings: Findings }

export function nodeMembers(node: Node): Rule {
  const limits = limitsOf(node)
  return {
    ...(Object.keys(limits).length > 0 && { limits }),
    ...protocols(node),
    ...tls(node),
    ...compression(node),
    ...logs(node),
    ...proxies(node),
    ...types(node),
  }
}

/** Of the server, then of the hosts; each once. */
function saidBy({ main, hosts }: Node, key: string): Directive[] {
  const all = [...main.own, ...hosts.flatMap(({ body }) => body.own)]
  return [...new Set(all)].filter((one) => keyOf(one) === key)
}

/** What is written first outside of hosts, else in the first of them. */
function forAll(node: Node, key: string): Directive | null {
  const said = saidBy(node, key)
  const first = node.main.own.findLast((one) => keyOf(one) === key) ?? said[0] ?? null
  for (const other of said) {
    if (first && argsOf(other).join(' ') === argsOf(first).join(' ')) continue
    const text =
      'This holds for the whole node; what is written outside of hosts, or first, is taken.'
    node.findings.different([other], 'node-wide', text)
  }
  return first
}

type Range = readonly [number, number]
const LIMITS: readonly [string, string, Range][] = [
  ['keepalivetimeout', 'keepAliveIdleSeconds', [1, 3600]],
  ['timeout', 'writeSeconds', [1, 3600]],
  ['limitrequestline', 'targetBytes', [256, 65_536]],
]

function limitsOf(node: Node): Rule {
  const { findings } = node
  const limits: Rule = {}
  const put = (directive: Directive, member: string, text: string, range: Range) => {
    if (!/^\d{1,12}$/.test(text)) {
      findings.unsupported(
        [directive],
        'number',
        `It is no number that limits.${member} could have.`,
      )
      return
    }
    const within = bounded(Number(text), range)
    if (within === Number(text)) findings.taken(directive)
    else {
      const why = `limits.${member} is ${within}: from ${range[0]} to ${range[1]} is allowed.`
      findings.different([directive], 'range', why)
    }
    limits[member] = within
  }
  for (const [key, member, range] of LIMITS) {
    const directive = forAll(node, key)
    if (directive) put(directive, member, argOf(directive), range)
  }
  const most = forAll(node, 'maxkeepaliverequests')
  if (most)
    put(most, 'keepAliveRequests', argOf(most) === '0' ? '1000000' : argOf(most), [1, 1_000_000])
  const keepAlive = forAll(node, 'keepalive')
  if (keepAlive) findings.taken(keepAlive)
  if (/^off$/i.test(argOf(keepAlive))) limits.keepAliveRequests = 1
  const read = forAll(node, 'requestreadtimeout')
  const [, least, last] =
    /header=(\d{1,6})(?:-(\d{1,6}))?/i.exec(read ? argsOf(read).join(' ') : '') ?? []
  const seconds = last ?? least
  if (read && seconds && seconds !== '0') put(read, 'headerSeconds', seconds, [1, 600])
  else if (read)
    findings.different([read], 'by-itself', 'Heads of requests have limits.headerSeconds.')
  const body = saidBy(node, 'limitrequestbody')
  const text =
    'Bodies of requests are read and thrown away (limits.bodyBytes, 64 KiB); there are no uploads.'
  findings.different(body, 'no-uploads', text)
  return limits
}

function protocols(node: Node): Rule {
  const said = forAll(node, 'protocols')
  if (!said) return {}
  node.findings.taken(said)
  return argsOf(said).some((one) => /^h2c?$/i.test(one)) ? {} : { http2: false }
}

function tls(node: Node): Rule {
  const said = forAll(node, 'sslprotocol')
  if (!said) return {}
  const words = argsOf(said).map((one) => one.toLowerCase())
  const plus = words.filter((one) => !one.startsWith('-')).map((one) => one.replace(/^\+/, ''))
  const isModern = plus.every((one) => one === 'tlsv1.3')
  const isUsual = words.includes('all')
    ? ['-tlsv1', '-tlsv1.1'].every((one) => words.includes(one))
    : plus.every((one) => one === 'tlsv1.2' || one === 'tlsv1.3')
  if (isUsual) node.findings.taken(said)
  else {
    const text = 'A node speaks TLS 1.2 and 1.3; older versions are broken.'
    node.findings.different([said], 'tls-profile', text)
  }
  return isModern ? { tls: { profile: 'modern' } } : {}
}

const COMPRESSES = /^(deflate|brotli_compress|gzip)(;(deflate|brotli_compress))*$/i

function compression(node: Node): Rule {
  const { findings, hosts } = node
  const all = new Set(
    hosts.flatMap(({ layers }) => layers.all('addoutputfilterbytype').map((one) => one.directive)),
  )
  const whole = new Set(
    hosts.flatMap(({ layers }) => layers.all('setoutputfilter').map((one) => one.directive)),
  )
  const types: string[] = []
  let isOn = false
  for (const directive of all) {
    const [filter = '', ...names] = argsOf(directive)
    if (!COMPRESSES.test(filter)) {
      findings.unsupported([directive], 'changed-content', CHANGED)
      continue
    }
    isOn = true
    types.push(...names.map((one) => one.toLowerCase()).filter(isMediaType))
    findings.different([directive], 'compression', COMPRESSION)
  }
  let isForAll = false
  for (const directive of whole) {
    if (/^none$/i.test(argOf(directive))) findings.taken(directive)
    else if (COMPRESSES.test(argOf(directive))) {
      isForAll = true
      findings.different([directive], 'compression', COMPRESSION)
    } else if (/^rate_limit$/i.test(argOf(directive)))
      findings.unsupported(
        [directive],
        'rate',
        'Use sites[].bytesPerSecond or connectionBytesPerSecond.',
      )
    else findings.unsupported([directive], 'changed-content', CHANGED)
  }
  const [gzip, br] = ['deflatecompressionlevel', 'brotlicompressionquality'].map((key) =>
    forAll(node, key),
  )
  const levels: Rule = {}
  for (const [directive, name, most] of [
    [gzip, 'gzip', 9],
    [br, 'br', 11],
  ] as const) {
    if (!directive) continue
    findings.taken(directive)
    if (/^\d{1,2}$/.test(argOf(directive)))
      levels[name] = bounded(Number(argOf(directive)), [1, most])
  }
  if (!isOn && !isForAll) return {}
  const good = [...new Set(types)].slice(0, 256)
  return {
    compression: {
      cacheFolder: CACHE_FOLDER,
      ...(!isForAll && good.length > 0 && { types: good }),
      ...(Object.keys(levels).length > 0 && { levels }),
    },
  }
}

const CHANGED = 'A node sends files as they are. Make the change when the files are built.'
const LEVELS: Record<string, string> = {
  emerg: 'error',
  alert: 'error',
  crit: 'error',
  error: 'error',
  warn: 'warn',
}

function logs(node: Node): Rule {
  const { findings, main } = node
  const level = forAll(node, 'loglevel')
  const word = level
    ? (argsOf(level).find((one) => !one.includes(':')) ?? 'warn').toLowerCase()
    : ''
  if (level) findings.taken(level)
  const errors = saidBy(node, 'errorlog')
  const own = main.own.findLast((one) => keyOf(one) === 'errorlog') ?? errors[0]
  const others = errors.filter((one) => one !== own)
  findings.different(others, 'one-error-log', 'A node has one error log.')
  const path = own ? pathOf(own, findings) : null
  const errorLog: Rule = {
    ...(path && { path }),
    ...(level && {
      level: LEVELS[word] ?? (word.startsWith('trace') || word === 'debug' ? 'debug' : 'info'),
    }),
  }
  const accessLog = logMember(main.own, main.own, findings)
  return {
    ...(Object.keys(errorLog).length > 0 && { errorLog }),
    ...(accessLog && { accessLog }),
  }
}

function pathOf(directive: Directive, findings: Findings): string | null {
  const text = argOf(directive)
  if (/^syslog/i.test(text)) {
    findings.taken(directive)
    return 'syslog:/dev/log'
  }
  const name = text.split('/').at(-1) ?? ''
  if (text.startsWith('|') || !/^\w[\w.-]*$/.test(name)) {
    const why = 'A log is a file here, or "stdout", or syslog: no program gets its lines.'
    findings.unsupported([directive], 'log-pipe', why)
    return null
  }
  findings.different([directive], 'log-folder', LOG_FOLDER)
  return `/var/log/farmstead/${name}`
}

function proxies(node: Node): Rule {
  const { findings } = node
  const said = ['remoteiptrustedproxy', 'remoteipinternalproxy'].flatMap((key) => saidBy(node, key))
  const good = said.flatMap(argsOf).filter(isAddress)
  for (const one of said) {
    if (argsOf(one).every(isAddress)) findings.taken(one)
    else
      findings.unsupported(
        [one],
        'address',
        'Name the proxies’ addresses: a node believes no one else.',
      )
  }
  const field = forAll(node, 'remoteipheader')
  if (field && /^x-forwarded-for$/i.test(argOf(field))) findings.taken(field)
  else if (field) {
    const text =
      'Clients are believed to be who X-Forwarded-For or Forwarded says: let the proxy write one of these.'
    findings.different([field], 'proxy-field', text)
  }
  return good.length > 0 ? { trustedProxies: good.slice(0, 256) } : {}
}

/** Of the usual text types: what Apache names a charset with where AddCharset says so. */
const TEXTS: Record<string, string> = {
  ...{ '.html': 'text/html', '.htm': 'text/html', '.txt': 'text/plain', '.css': 'text/css' },
  ...{
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.json': 'application/json',
    '.xml': 'text/xml',
  },
  ...{ '.md': 'text/markdown', '.vtt': 'text/vtt', '.ics': 'text/calendar', '.csv': 'text/csv' },
  ...{ '.rss': 'application/rss+xml', '.atom': 'application/atom+xml', '.svg': 'image/svg+xml' },
  ...{
    '.webmanifest': 'application/manifest+json',
    '.jsonld': 'application/ld+json',
    '.map': 'application/json',
  },
  ...{
    '.geojson': 'application/geo+json',
    '.topojson': 'application/json',
    '.rdf': 'application/rdf+xml',
  },
  ...{
    '.webapp': 'application/x-web-app-manifest+json',
    '.appcache': 'text/cache-manifest',
    '.xhtml': 'application/xhtml+xml',
  },
}

function types(node: Node): Rule {
  const { findings } = node
  const of = (key: string) => [
    ...new Set(node.hosts.flatMap(({ layers }) => layers.all(key).map((one) => one.directive))),
  ]
  const mimeTypes: Record<string, string> = {}
  const suffixOf = (text: string) => `.${text.replace(/^\./, '').toLowerCase()}`
  const isSuffix = (text: string) => /^\.[0-9a-z_+-]([0-9a-z_.+-]{0,28}[0-9a-z_+-])?$/.test(text)
  for (const directive of of('addtype').filter((one) => !findings.isSaid(one))) {
    const [type = '', ...names] = argsOf(directive)
    const suffixes = names.map(suffixOf).filter(isSuffix)
    if (
      !/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(; ?charset=[\w.-]+)?$/i.test(type) ||
      suffixes.length < names.length
    ) {
      findings.unsupported(
        [directive],
        'type',
        'Types go by suffixes with a dot: write it into mimeTypes.',
      )
      continue
    }
    const lost = suffixes.filter((one) => mimeTypes[one] !== undefined && mimeTypes[one] !== type)
    for (const one of suffixes) mimeTypes[one] ??= type
    if (lost.length > 0) {
      const text = 'Types are of the whole node; what is written first is taken.'
      findings.different([directive], 'node-wide', text)
    } else findings.taken(directive)
  }
  const usual = of('adddefaultcharset').at(-1)
  const name = usual ? argOf(usual) : 'off'
  const charset = /^on$/i.test(name)
    ? 'iso-8859-1'
    : /^off$/i.test(name) || !/^[\w.+-]{1,40}$/.test(name)
      ? ''
      : name
  if (usual) findings.taken(...of('adddefaultcharset'))
  const withCharset = (suffix: string, of2: string) => {
    const type = mimeTypes[suffix] ?? TEXTS[suffix]
    if (type && !type.includes(';')) mimeTypes[suffix] = `${type}; charset=${of2}`
    return type !== undefined
  }
  for (const directive of of('addcharset')) {
    const [given = '', ...names] = argsOf(directive)
    const isKnown = names
      .map(suffixOf)
      .map((one) => isSuffix(one) && withCharset(one, given.toLowerCase()))
    if (/^[\w.+-]{1,40}$/.test(given) && isKnown.every(Boolean)) findings.taken(directive)
    else if (!isKnown.some(Boolean)) {
      const text = 'No suffix of a node is one of a charset: a file is sent by its last one.'
      findings.different([directive], 'languages', text)
    } else {
      const text = 'Write the media types of these suffixes with their charset into mimeTypes.'
      findings.unsupported([directive], 'type', text)
    }
  }
  if (charset !== '') for (const one of ['.html', '.htm', '.txt']) withCharset(one, charset)
  return {
    charset: '',
    ...(Object.keys(mimeTypes).length > 0 && {
      mimeTypes: Object.fromEntries(Object.entries(mimeTypes).slice(0, 2000)),
    }),
  }
}

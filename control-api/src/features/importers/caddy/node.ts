// SPDX-License-Identifier: MIT
// What the options in front of all sites say, and what sites say of the node: logs, TLS, compression.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { CACHE_FOLDER, COMPRESSION, LOG_FOLDER, UNKNOWN } from '../sayings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { bounded, isAbsolutePath, isAddress, isMediaType } from '../values.ts'
import type { Ports } from './addresses.ts'
import { saidOf } from './said.ts'

export type Options = { ports: Ports; toHttps: boolean; members: Rule }

const optionIn = (options: readonly Directive[], name: string): string[] => {
  const found = options.find((one) => one.name === name)
  return found ? argsOf(found) : []
}

export function optionsOf(block: readonly Directive[], findings: Findings): Options {
  const modes = optionIn(block, 'auto_https')
  const port = (name: string, usual: number) => {
    const number = Number(optionIn(block, name)[0] ?? usual)
    return number > 0 && number <= 65_535 ? number : usual
  }
  const isAutomatic = !modes.includes('off') && !modes.includes('disable_certs')
  const ports = { http: port('http_port', 80), https: port('https_port', 443), isAutomatic }
  const toHttps = !modes.includes('off') && !modes.includes('disable_redirects')
  const members: Rule = {}
  for (const directive of block) {
    if (directive.name === 'log') Object.assign(members, errorLog(directive, findings))
    else if (directive.name === 'servers') Object.assign(members, servers(directive, findings))
    else sayKnown(directive, findings)
  }
  if (block.some(({ name }) => name === 'debug')) members.errorLog = { level: 'debug' }
  return { ports, toHttps, members }
}

export function sayKnown(directive: Directive, findings: Findings): void {
  if (directive.name === 'import' || findings.isSaid(directive)) return
  const said = saidOf(directive.name)
  const all = [...everyDirective([directive])].filter(({ name }) => name !== 'import')
  if (said?.verdict === 'taken') findings.taken(...all)
  else if (said?.verdict === 'different') findings.different(all, said.code, said.text)
  else if (said) findings.unsupported(all, said.code, said.text)
  else findings.unsupported(all, 'unknown', UNKNOWN)
}

const BY_ITSELF = 'The node does this by itself and has no setting for it.'
const LEVELS: Record<string, string> = {
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
}
const LEVEL = 'Of the node’s log the level is taken; what is in it is its own.'

function errorLog(directive: Directive, findings: Findings): Rule {
  findings.different([...everyDirective([directive])], 'log-level', LEVEL)
  const [level = ''] = optionIn(directive.block ?? [], 'level')
  const known = LEVELS[Object.hasOwn(LEVELS, level.toLowerCase()) ? level.toLowerCase() : '']
  return known ? { errorLog: { level: known } } : {}
}

function servers(directive: Directive, findings: Findings): Rule {
  const limits: Rule = {}
  const rule: Rule = {}
  findings.different([directive], 'by-itself', BY_ITSELF)
  for (const one of directive.block ?? []) {
    if (one.name === 'trusted_proxies') Object.assign(rule, proxies(one, findings))
    else if (one.name === 'timeouts') Object.assign(limits, timeouts(one, findings))
    else findings.different([...everyDirective([one])], 'by-itself', BY_ITSELF)
  }
  return { ...(Object.keys(limits).length > 0 && { limits }), ...rule }
}

const PRIVATE = ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8', '127.0.0.1/8', 'fd00::/8', '::1']

function proxies(directive: Directive, findings: Findings): Rule {
  const [source, ...named] = argsOf(directive)
  const addresses = named.flatMap((one) => (one === 'private_ranges' ? PRIVATE : [one]))
  if (source === 'static' && addresses.length > 0 && addresses.every(isAddress)) {
    findings.taken(directive)
    return { trustedProxies: addresses.slice(0, 256) }
  }
  findings.unsupported(
    [directive],
    'address',
    'Name the proxies’ addresses: a node believes no one else.',
  )
  return {}
}

const SECONDS: Record<string, number> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 }
const TIMEOUTS: Record<string, [string, number]> = {
  read_header: ['headerSeconds', 600],
  idle: ['keepAliveIdleSeconds', 3600],
}

function timeouts(directive: Directive, findings: Findings): Rule {
  const limits: Rule = {}
  findings.taken(directive)
  for (const one of directive.block ?? []) {
    const found = /^(\d{1,8})(ms|s|m|h|d)$/.exec(argsOf(one)[0] ?? '')
    const [member, most] = (Object.hasOwn(TIMEOUTS, one.name) && TIMEOUTS[one.name]) || ['', 0]
    if (!found || member === '') findings.different([one], 'by-itself', BY_ITSELF)
    else {
      findings.taken(one)
      limits[member] = bounded(Math.round(Number(found[1]) * (SECONDS[found[2] ?? ''] ?? 1)), [
        1,
        most,
      ])
    }
  }
  return limits
}

/** Of `encode` of all sites that are in the draft. */
export function compressionOf(blocks: readonly Directive[], findings: Findings): Rule {
  const encoders = blocks.filter(({ name }) => name === 'encode')
  if (encoders.length === 0) return {}
  for (const one of encoders) {
    findings.different([...everyDirective([one])], 'compression', COMPRESSION)
    if ((argsOf(one)[0] ?? '').match(/^[/@]/)) {
      const text = 'All files of the site are compressed, whatever their path is.'
      findings.different([one], 'compression', text)
    }
  }
  const lines = encoders.flatMap(({ block }) => block ?? [])
  const least = Number(optionIn(lines, 'minimum_length')[0] ?? 512)
  const matched = lines.filter(({ name }) => name === 'match')
  const headers = matched.flatMap((one) => [
    ...(argsOf(one)[0] === 'header' ? [argsOf(one).slice(1)] : []),
    ...(one.block ?? []).filter(({ name }) => name === 'header').map(argsOf),
  ])
  const types = headers
    .filter(([name]) => name?.toLowerCase() === 'content-type')
    .map(([, type = '']) =>
      type.replace(/;?\*$/, (end) => (end === '*' && type.endsWith('/*') ? '*' : '')),
    )
    .filter(isMediaType)
  return {
    compression: {
      cacheFolder: CACHE_FOLDER,
      ...(types.length > 0 && { types: [...new Set(types)].slice(0, 256) }),
      minFileBytes: Number.isInteger(least) ? bounded(least, [1, 16_777_216]) : 512,
    },
  }
}

const LOG_FORMAT =
  'JSON has the node’s own fields, and a text format the fields of combined; `accessLog.format` may name others.'

/** A site's `log`. */
export function accessLogOf(block: readonly Directive[], findings: Findings): Rule {
  const [log, ...others] = block.filter(({ name }) => name === 'log')
  const text = 'A site has one access log. What reads the other can read that one.'
  findings.unsupported([...everyDirective(others)], 'second-log', text)
  const skipped = skips(block, findings)
  if (!log) return {}
  const inner = log.block ?? []
  const all = [...everyDirective([log])]
  const [kind = 'stderr', where = ''] = optionIn(inner, 'output')
  const [format = 'json'] = optionIn(inner, 'format')
  const name = where.split('/').at(-1) ?? ''
  const path =
    kind === 'stdout' || kind === 'stderr'
      ? kind
      : kind === 'discard'
        ? 'none'
        : kind === 'file' && /^[\w.-]+$/.test(name)
          ? `/var/log/farmstead/${name}`
          : null
  if (path === null) {
    findings.unsupported(all, 'log-pipe', 'A log is a file here, or "stdout", or syslog.')
    return {}
  }
  findings.different(all, 'log-format', LOG_FORMAT)
  if (kind === 'file') findings.different(all, 'log-folder', LOG_FOLDER)
  const isJson = !/^(console|single_field|formatted|transform)$/.test(format)
  const rest = skipped.length > 0 && path !== 'none' ? { exceptPaths: skipped } : {}
  return { accessLog: { path, ...(path !== 'none' && isJson && { format: 'json' }), ...rest } }
}

function skips(block: readonly Directive[], findings: Findings): string[] {
  return block
    .filter(({ name }) => name === 'skip_log' || name === 'log_skip')
    .flatMap((one) => {
      const [path = ''] = argsOf(one)
      const isGood = /^\/[^*{}\ue000]*\*?$/.test(path)
      if (isGood) findings.taken(one)
      else findings.unsupported([one], 'matcher', 'Name the paths in accessLog.exceptPaths.')
      return isGood ? [path.replace(/\*$/, '**')] : []
    })
    .slice(0, 64)
}

const TO_ORDER =
  'Caddy gets this certificate by itself. Here the control plane orders it, or you upload it, before the draft is saved: `farmctl certificates order`, see Certificates.'
const PROFILE = 'Versions, ciphers and curves go by tls.profile, after Mozilla’s guide.'

/** Certificates of a site: files, or the name of one that the control plane keeps. */
export function tlsOf(
  site: Directive,
  block: readonly Directive[],
  { name, findings }: { name: string; findings: Findings },
): Rule {
  const own = block.filter((one) => one.name === 'tls')
  const rule: Rule = {}
  const pairs = own.flatMap((one) => {
    const [chainFile = '', keyFile = ''] = argsOf(one)
    return isAbsolutePath(chainFile) && isAbsolutePath(keyFile) ? [{ chainFile, keyFile, one }] : []
  })
  for (const one of own) {
    const pair = pairs.find((found) => found.one === one)
    const isFiles = argsOf(one).length > 1
    if (pair) findings.taken(one)
    else if (isFiles)
      findings.unsupported(
        [one],
        'certificate',
        'Name the certificate and its key by absolute paths, or upload them to the control plane.',
      )
    else findings.different([one], 'certificate-to-order', TO_ORDER)
    for (const line of one.block ?? []) Object.assign(rule, tlsLine(line, findings))
  }
  if (pairs.length > 0)
    return {
      certificates: pairs.map(({ chainFile, keyFile }) => ({ chainFile, keyFile })),
      ...rule,
    }
  findings.different([site], 'certificate-to-order', TO_ORDER)
  return { certificates: [{ name }], ...rule }
}

function tlsLine(line: Directive, findings: Findings): Rule {
  const all = [...everyDirective([line])]
  if (line.name === 'client_auth') {
    const [mode = 'require_and_verify'] = optionIn(line.block ?? [], 'mode')
    const file =
      optionIn(line.block ?? [], 'trusted_ca_cert_file')[0] ??
      (line.block ?? []).map(argsOf).find(([kind]) => kind === 'file')?.[1] ??
      ''
    if (isAbsolutePath(file) && /^(require_and_verify|verify_if_given)$/.test(mode)) {
      findings.different(
        all,
        'client-certificates',
        'Who has no certificate gets 403; Caddy ends the handshake.',
      )
      const how = mode === 'require_and_verify' ? 'required' : 'optional'
      return { clientCertificates: { mode: how, caFile: file } }
    }
    const text =
      'It needs the authorities’ file by its absolute path: sites[].clientCertificates. Until then nobody is asked for one.'
    findings.unsupported(all, 'client-certificates', text)
  } else if (/^(protocols|ciphers|curves|alpn)$/.test(line.name))
    findings.different(all, 'tls-profile', PROFILE)
  else findings.different(all, 'certificate-to-order', TO_ORDER)
  return {}
}

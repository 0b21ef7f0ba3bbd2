// SPDX-License-Identifier: MIT
// A `server`: where it listens, its names, and the site that it becomes.
import type { DraftSite, Rule } from '../draft.ts'
import { leaveOutAll, sayOfEverySite } from '../every-site.ts'
import type { Findings } from '../findings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'
import { isAbsolutePath, isHost } from '../values.ts'
import { APPLICATIONS } from './directives.ts'
import type { TypeMap } from './maps.ts'
import { locationsOf, Scope } from './scope.ts'
import { siteRules } from './site.ts'
import type { Zone } from './site-context.ts'
import { stepsOf } from './steps.ts'

export type Listen = {
  /** null: nginx's usual address. */
  directive: Directive | null
  address: string
  port: number
  socket: string
  tls: boolean
  rest: Rule
}
export type Server = {
  directive: Directive
  scope: Scope
  listens: Listen[]
  /** Its names, without those that no site can have. */
  hosts: string[]
  /** For names that no server has, at some address. */
  isDefault: boolean
  /** It passes requests on, so its host stays where it is. */
  isApplication: boolean
}

export function readServer(directive: Directive, http: Scope | null, findings: Findings): Server {
  const scope = new Scope(directive.block ?? [], http, findings)
  const listening = scope.inner.filter(({ name }) => name === 'listen')
  const isTls = scope.isOn('ssl')
  const listens = listening.flatMap((one) => listenOf(one, isTls, findings))
  if (listening.length === 0)
    listens.push({
      directive: null,
      address: '0.0.0.0',
      port: 80,
      socket: '',
      tls: isTls,
      rest: {},
    })
  const isDefault = listening.some((one) =>
    argsOf(one).some((word) => /^default(_server)?$/.test(word)),
  )
  const isApplication = [...everyDirective(directive.block ?? [])].some(({ name }) =>
    APPLICATIONS.has(name),
  )
  findings.taken(directive, ...scope.own('ssl'))
  return { directive, scope, listens, hosts: hostsOf(scope, findings), isDefault, isApplication }
}

function hostsOf(scope: Scope, findings: Findings): string[] {
  return scope.own('server_name').flatMap((directive) => {
    findings.taken(directive)
    return argsOf(directive).flatMap((word) => {
      const name = word.toLowerCase()
      if (name === '_' || name === '') return []
      if (name.startsWith('.') && isHost(name.slice(1))) return [name.slice(1), `*${name}`]
      if (isHost(name)) return [name]
      const text = `A site's names are whole ones and "*.example.org": "${word}" is left out.`
      findings.different([directive], 'host-name', text)
      return []
    })
  })
}

const SAID_BY_ITSELF =
  /^(reuseport|backlog=|rcvbuf=|sndbuf=|fastopen=|ipv6only=|so_keepalive=|bind|http2|setfib=|accept_filter=)/

function listenOf(directive: Directive, isTls: boolean, findings: Findings): Listen[] {
  const [where = '', ...flags] = argsOf(directive)
  const refuse = (text: string) => {
    findings.unsupported([directive], 'listen', text)
    return []
  }
  if (flags.includes('quic')) return refuse('A node speaks HTTP/1.1 and HTTP/2.')
  const unix = /^unix:(\/.+)$/.exec(where)?.[1]
  const port = /^(?:(?<address>\[[0-9a-fA-F:.]+\]|[^:[\]]+):)?(?<port>\d{1,5})$/.exec(where)?.groups
  const only = /^(\[[0-9a-fA-F:.]+\]|\d+\.\d+\.\d+\.\d+|localhost|\*)$/.exec(where)?.[1]
  const name = (port?.address ?? only ?? '*').replace(/[[\]]/g, '')
  const address = name === '*' ? '0.0.0.0' : name === 'localhost' ? '127.0.0.1' : name
  const number = Number(port?.port ?? 80)
  if (!unix && ((!port && !only) || number > 65_535))
    return refuse('Name a numeric address and a port in `listen`.')
  if (!unix && !/^[\d.]+$|:/.test(address))
    return refuse('A node listens on numeric addresses, not on names.')
  findings.taken(directive)
  if (flags.some((flag) => SAID_BY_ITSELF.test(flag) && flag !== 'http2')) {
    findings.different([directive], 'listen-options', 'Options of the socket are the node’s own.')
  }
  const rest = {
    ...(flags.includes('deferred') && { deferAccept: 'always' }),
    ...(flags.includes('proxy_protocol') && { proxyProtocol: true }),
  }
  const tls = isTls || flags.includes('ssl')
  return [
    {
      directive,
      address: unix ? '' : address,
      port: unix ? 0 : number,
      socket: unix ?? '',
      tls,
      rest,
    },
  ]
}

export type SiteParts = {
  findings: Findings
  mapOf: (variable: string) => TypeMap | null
  zoneOf: (name: string) => Zone | null
  /** For sites that only send elsewhere: a folder has to be named. */
  anyRoot: string
}
export type Translated = { sites: DraftSite[]; redirectToHttps: boolean }

export function leaveOut({ directive }: Server, findings: Findings): void {
  leaveOutAll([directive], findings)
}

/** The site, and one more for each host that is sent elsewhere as a whole. */
export function translate(server: Server, hosts: readonly string[], parts: SiteParts): Translated {
  const { scope, directive, listens } = server
  const { findings } = parts
  const scheme = listens.some(({ tls }) => tls) ? 'https' : 'http'
  const all = locationsOf(scope, findings)
  const isAnswer = scope.steps.some(({ name }) => name === 'return')
  const locations = isAnswer ? { ...all, list: [], base: scope, root: null } : all
  const steps = stepsOf(scope, { findings, locations, hosts, scheme })
  sayOfEverySite([directive], findings)
  for (const { directive: location } of all.list) findings.taken(location)
  if (all.root) findings.taken(all.root.directive)

  const roots = locations.base.of('root')
  const named = scope.resolved(locations.base.argsOf('root')[0] ?? parts.anyRoot)
  const root = named.replaceAll(/\$\{?(host|http_host)\}?/g, '{host}')
  const isRoot = isAbsolutePath(root) && !root.includes('$')
  if (isRoot) findings.taken(...roots)
  else
    findings.unsupported(
      roots,
      'root',
      'A root is an absolute path; the only variable in it is {host}.',
    )

  const { redirectToHttps, hostRedirects } = steps
  const moved = new Set(hostRedirects.flatMap((one) => one.hosts))
  const staying = hosts.filter((host) => !moved.has(host))
  const comment = `${directive.file}:${directive.line}`
  const folder = isRoot ? root.replace(/(?<=.)\/+$/, '') : parts.anyRoot
  const shared = tlsOf(scope, findings)
  const site = {
    ...{ comment, hosts: staying, root: folder },
    ...shared,
    ...(redirectToHttps && { redirectToHttps: true }),
    ...siteRules({ ...parts, server: scope, locations, steps }),
  } as DraftSite
  const others = hostRedirects.map(({ hosts: names, to, status }) => {
    const redirects = [{ match: '^.*$', to, ...(status !== 301 && { status }) }]
    return { comment, hosts: names, root: folder, ...shared, redirects } as DraftSite
  })
  return { sites: [...(staying.length > 0 ? [site] : []), ...others], redirectToHttps }
}

function tlsOf(scope: Scope, findings: Findings): Rule {
  const chains = scope.of('ssl_certificate').map((one) => argsOf(one)[0] ?? '')
  const keys = scope.of('ssl_certificate_key').map((one) => argsOf(one)[0] ?? '')
  const pairs = chains.map((chainFile, i) => ({ chainFile, keyFile: keys[i] ?? '' }))
  const good = pairs.filter(
    ({ chainFile, keyFile }, i) =>
      [chainFile, keyFile].every((path) => isAbsolutePath(path) && !path.includes('$')) &&
      chains.indexOf(chainFile) === i,
  )
  const directives = [...scope.of('ssl_certificate'), ...scope.of('ssl_certificate_key')]
  if (good.length === pairs.length) findings.taken(...directives)
  else
    findings.unsupported(
      directives,
      'certificate',
      'Name each certificate once, with its key, by absolute paths, or upload them to the control plane.',
    )
  const rule: Rule = good.length > 0 ? { certificates: good } : {}
  const [mode = 'off'] = scope.argsOf('ssl_verify_client')
  const [caFile = ''] = scope.argsOf('ssl_client_certificate')
  const clients = [...scope.of('ssl_verify_client'), ...scope.of('ssl_client_certificate')]
  if ((mode === 'on' || mode === 'optional') && isAbsolutePath(caFile)) {
    rule.clientCertificates = { mode: mode === 'on' ? 'required' : 'optional', caFile }
    findings.different(
      clients,
      'client-certificates',
      'Who has no certificate gets 403 (nginx: 400).',
    )
  } else if (mode === 'off') findings.taken(...clients)
  else
    findings.unsupported(
      clients,
      'client-certificates',
      'It needs the authorities’ file by its absolute path, and "on" or "optional".',
    )
  return rule
}

// SPDX-License-Identifier: MIT
// What is asked of a managed certificate before any CA is. Pure.
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import type { ConfigError } from '../../api-shapes/common.ts'
import type { Wishes } from './schema.ts'

type Fault = Pick<ConfigError, 'pointer' | 'code' | 'message' | 'hint'>
const NOWHERE = { line: 0, column: 0, endLine: 0, endColumn: 0 }

/** Of a name of DNS; records with a challenge have 16 letters more. */
const HOST_MAX = 253
const RECORD_PREFIX = '_acme-challenge.'
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/

/** `webhooks` and `authorities`: those that there are. */
export type Known = { authorities: ReadonlySet<string>; webhooks: ReadonlySet<string> }

/** Of a whole one; what a change leaves as it is is looked at, too, for one part may contradict another. */
export function faultsOf(wishes: Required<Wishes>, known: Known): ConfigError[] {
  const { names, authorities, challenge } = wishes
  return [
    ...names.flatMap((host, at) => hostFaults(names, host, at, challenge.type)),
    ...authorities.flatMap(({ name }, at) => authorityFaults(authorities, name, at, known)),
    ...(challenge.type === 'dns-01' && !known.webhooks.has(challenge.webhook)
      ? [
          {
            pointer: '/challenge/webhook',
            code: 'unknown_webhook',
            message: `there is no DNS webhook "${challenge.webhook}"`,
            hint: 'make it first: POST /api/v1/dns-webhooks',
          },
        ]
      : []),
  ].map((fault) => ({ ...fault, ...NOWHERE }))
}

function hostFaults(
  names: readonly string[],
  host: string,
  at: number,
  challenge: 'http-01' | 'dns-01',
): Fault[] {
  const pointer = `/names/${at}`
  const fault = (code: string, message: string, hint: string) => [{ pointer, code, message, hint }]
  if (names.indexOf(host) !== at) {
    return fault('duplicate', `"${host}" is there twice`, 'leave one of them out')
  }
  const spelling = spellingFault(host)
  if (spelling) return fault(...spelling)
  if (host.startsWith('*.') && challenge === 'http-01') {
    return fault(
      'wildcard_needs_dns',
      `"${host}" cannot be proven by HTTP: it stands for hosts that nobody can ask`,
      'choose the challenge dns-01, or name the hosts one by one',
    )
  }
  if (challenge === 'dns-01' && RECORD_PREFIX.length + host.length > HOST_MAX) {
    return fault(
      'too_long_for_dns',
      `"${host}" is too long for a record beside it`,
      'choose the challenge http-01',
    )
  }
  const wildcard = `*.${host.slice(host.indexOf('.') + 1)}`
  if (host !== wildcard && names.includes(wildcard)) {
    return fault(
      'covered',
      `"${wildcard}" stands for "${host}", too`,
      `leave "${host}" out: CAs refuse both together`,
    )
  }
  return []
}

/** Code, message and hint. */
type Words = [string, string, string]

function spellingFault(host: string): Words | null {
  const bare = host.startsWith('*.') ? host.slice(2) : host
  const labels = bare.split('.')
  if (isIP(bare.replace(/^\[|\]$/g, '')) !== 0 || /^[0-9]+$/.test(labels.at(-1) ?? '')) {
    return ['address', `"${host}" is an IP address`, 'name the hosts that lead to it']
  }
  if (host.length > HOST_MAX)
    return ['too_long', `"${host.slice(0, 40)}…" has more than 253 letters`, 'no host is so long']
  if (labels.every((label) => LABEL.test(label))) return null
  const plain = plainSpelling(bare)
  const shown = host.startsWith('*.') ? `*.${plain}` : plain
  const hint =
    plain !== '' && plain !== bare
      ? `write it "${shown}"`
      : 'letters, digits and hyphens, with dots between'
  return ['host', `"${host}" is no host as DNS has it`, hint]
}

/** Empty: there is none. */
function plainSpelling(host: string): string {
  const address = URL.parse(host)?.hostname ?? host
  const ascii = domainToASCII(address.replace(/\.$/, '').trim())
  return ascii.split('.').every((label) => LABEL.test(label)) ? ascii : ''
}

function authorityFaults(
  authorities: readonly { name: string }[],
  name: string,
  at: number,
  known: Known,
): Fault[] {
  const pointer = `/authorities/${at}/name`
  if (authorities.findIndex((one) => one.name === name) !== at) {
    const hint = 'one that failed is asked again anyway'
    return [{ pointer, code: 'duplicate', message: `"${name}" is there twice`, hint }]
  }
  if (known.authorities.has(name)) return []
  const message = `there is no certificate authority "${name}"`
  const hint = 'make it first: POST /api/v1/certificate-authorities'
  return [{ pointer, code: 'unknown_authority', message, hint }]
}

// SPDX-License-Identifier: MIT
// What a block's conditions mean: for which hosts, paths, clients and addresses it holds, or that a node can't say so.
import type { Findings } from '../findings.ts'
import { escapeRegex, hostsOf, patternsOf } from '../regex.ts'
import { everyDirective } from '../tree.ts'
import { isAddress, isHost } from '../values.ts'
import type { Block, Condition } from './parser.ts'

export type Where = {
  block: Block
  /** One test for each condition on the host. */
  hosts: readonly HostTest[]
  /** null: all. */
  paths: readonly string[] | null
  /** Of which clients. */
  clients: { address: string; isNot: boolean } | null
  scheme: 'http' | 'https' | null
  socket: string | null
  isUnderstood: boolean
}
export type HostTest = { names: ReadonlySet<string>; isNot: boolean }

export function placesOf(blocks: readonly Block[], findings: Findings): Where[] {
  const places = new Map<Block, Where>()
  for (const block of blocks) {
    const around = block.parent ? places.get(block.parent) : undefined
    const where = around ? within(block, around) : everywhere(block)
    places.set(block, where)
    if (where.isUnderstood) sayUnderstood(where, findings)
    else if (around?.isUnderstood) {
      const [code, text] = ADVICE[block.condition?.field ?? ''] ?? OTHER_ADVICE
      findings.unsupported([...everyDirective(block.directives)], code, text)
    }
  }
  return [...places.values()]
}

function sayUnderstood({ block, hosts }: Where, findings: Findings): void {
  const { condition, directives } = block
  const isByExpression = condition?.field === 'http.host' && condition.operator.endsWith('~')
  const names = [...(hosts.at(-1)?.names ?? [])].slice(0, 8).join(', ')
  if (isByExpression)
    findings.different(directives, 'host-expression', `Read as ${names}, and no other name.`)
  else findings.taken(...directives)
}

const everywhere = (block: Block): Where => ({
  ...{ block, hosts: [], paths: null, clients: null, scheme: null, socket: null },
  isUnderstood: true,
})

function within(block: Block, around: Where): Where {
  const where = { ...around, block }
  const { condition, unless } = block
  const before = unless.filter(({ field }) => field !== 'http.scheme' || condition?.field !== field)
  const conditions = [...before.map(opposite), ...(condition ? [condition] : [])]
  for (const one of conditions) {
    const more = one ? added(one, where) : null
    if (!more) {
      // Of hosts that no name is known of none of the others is meant.
      const isOfHosts = one?.field === 'http.host'
      return {
        ...where,
        hosts: isOfHosts ? [...where.hosts, NONE] : where.hosts,
        isUnderstood: false,
      }
    }
    Object.assign(where, more)
  }
  return where
}

const NONE: HostTest = { names: new Set(), isNot: false }
const OPPOSITE: Record<string, string> = { '==': '!=', '!=': '==', '=~': '!~', '!~': '=~' }
function opposite(condition: Condition): Condition | null {
  const operator = OPPOSITE[condition.operator]
  return operator && condition.field === 'http.host' ? { ...condition, operator } : null
}

/** null: it can't be said together with what is around it. */
function added(condition: Condition, around: Where): Partial<Where> | null {
  const { field, operator, text } = condition
  switch (field) {
    case 'http.host': {
      const names = namesOf(condition)
      const test = names && { names: new Set(names), isNot: operator.startsWith('!') }
      return test && { hosts: [...around.hosts, test] }
    }
    case 'http.url': {
      const paths = around.paths === null && !around.clients ? pathsOf(condition) : null
      return paths && { paths }
    }
    case 'http.remoteip':
    case 'http.remote-ip':
      return around.clients === null && isAddress(text) && /^[!=]=$/.test(operator)
        ? { clients: { address: text, isNot: operator === '!=' } }
        : null
    case 'http.scheme':
      return around.scheme === null && operator === '==' && /^https?$/.test(text)
        ? { scheme: text as 'http' | 'https' }
        : null
    case 'server.socket':
      return around.block.parent?.parent === null && operator === '==' ? { socket: text } : null
    default:
      return null
  }
}

function namesOf({ operator, text }: Condition): string[] | null {
  const name = text.toLowerCase().replace(/:\d+$/, '')
  if (operator === '==' || operator === '!=') return isHost(name) ? [name] : null
  if (operator === '=$') return name.startsWith('.') && isHost(`*${name}`) ? [`*${name}`] : null
  if (/^\^?\(?\.[*+]\)?\$?$/.test(text)) return ['*']
  return operator === '=^' ? null : hostsOf(text)
}

function pathsOf({ operator, text }: Condition): string[] | null {
  switch (operator) {
    case '=~':
      return patternsOf(text, false)
    case '==':
      return patternsOf(`^${escapeRegex(text)}$`, false)
    case '=^':
      return patternsOf(`^${escapeRegex(text)}`, false)
    case '=$':
      return patternsOf(`${escapeRegex(text)}$`, false)
    default:
      return null
  }
}

const covers = (names: ReadonlySet<string>, name: string): boolean => {
  if (names.has(name) || names.has('*')) return true
  for (let dot = name.indexOf('.', 1); dot > 0; dot = name.indexOf('.', dot + 1))
    if (names.has(`*${name.slice(dot)}`)) return true
  return false
}

/** Whether a block holds for a host, or for those of "*.example.org" and "*" that no other name stands for. */
export const holdsFor = ({ hosts }: Where, name: string): boolean =>
  hosts.every(({ names, isNot }) => covers(names, name) !== isNot)

const OTHER_ADVICE = [
  'condition',
  'A node has no such condition, or not within this one: sites are by host, rules by patterns of paths. Write what is meant into the rules by hand.',
] as const
const ADVICE: Record<string, readonly [string, string]> = {
  'http.referer': [
    'referrer',
    'Use sites[].hotlink: which other sites may show these files. By other conditions on referrers a node does not choose.',
  ],
  'http.host': [
    'host-name',
    'A site’s names are whole ones and "*.example.org": write these in place of the expression.',
  ],
  'http.url': [
    'location',
    'The expression says more than patterns of paths can, or stands within another. Write the paths into the rules by hand.',
  ],
  'http.request-method': [
    'methods',
    'A node answers GET, HEAD and OPTIONS; all other methods get 405 or 501.',
  ],
  'http.scheme': [
    'scheme',
    'A site answers alike with TLS and without; redirectToHttps sends visitors to https.',
  ],
  'server.socket': ['other-port', 'A site answers alike at all addresses.'],
}

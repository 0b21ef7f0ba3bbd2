// SPDX-License-Identifier: MIT
// Requests as nodes answer them: searched for a while, line by line, or what comes most often among them.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { type Api, bodyOf } from '../api.ts'
import type { RequestSearch, StartSearch } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { sizeText, tableLines } from '../table.ts'
import { examples } from './examples.ts'

const ASK_EVERY_MS = 1_000
/** What one answer has at most. */
const MOST_SHOWN = 2_000

type Options = {
  of?: string
  config?: string
  site?: string
  host?: string
  pathPrefix?: string
  path?: string
  method?: string
  status?: Pick<StartSearch, 'statusFrom' | 'statusTo'>
  client?: string
  slowerThanMs?: number
  bytesFrom?: number
  clients?: boolean
  seconds?: number
  top?: boolean
}

export function registerRequests(program: Command, act: Act): void {
  const requests = program
    .command('requests')
    .summary('requests as nodes answer them, searched for a while')
    .description(
      'Requests that end from now on, of up to 50 connected nodes, as they come. All that is said must hold. Busy nodes send some of them, chosen by chance; how many there were is said at the end. Paths come without their query, and masked as the node’s config says.',
    )
    .option('--of <nodes>', 'whose: farm, group:NAME, nodes:SELECTOR, node:ID, version:CONFIG/N')
    .option('--config <name>', 'of nodes that run a version of it')
    .option('--site <host>', 'answered by the site of this host')
    .option('--host <text>', 'a part of the host asked for')
    .option('--path-prefix <path>', 'the path begins so')
    .option('--path <text>', 'a part of the path')
    .option('--method <method>', 'as GET')
    .option('--status <status>', 'as 404, 5xx or 400-403', parseStatus)
    .option('--client <address>', 'of this address or block; needs requests:clients')
    .option('--slower-than-ms <n>', 'took so long or longer', parseNumber)
    .option('--bytes-from <n>', 'so many bytes sent, or more', parseNumber)
    .option('--clients', 'show who asked; needs requests:clients')
    .option('--seconds <n>', 'search for so long; else 60', parseNumber)
    .option('--top', 'instead of each, what comes most often, and how long they took')
  examples(requests, [
    'farmctl requests --status 5xx',
    'farmctl requests --site shop.example --path-prefix /cart --slower-than-ms 200',
    'farmctl requests --of nodes:zone=eu --top --clients --seconds 30',
  ])
  act<Options>(requests, searchRequests)
}

async function searchRequests(tool: Tool, options: Options): Promise<void> {
  const api = tool.api()
  const started = await bodyOf(api.POST('/api/v1/request-searches', { body: askedBy(options) }))
  tool.terminal.note(beginWords(started))
  const isShown = !tool.json && !options.top
  const ended = await followed(tool, api, started, (found) => {
    if (isShown) for (const one of found.requests) tool.terminal.print(requestLine(one))
    if (isShown && found.skipped > 0) tool.terminal.note(`${found.skipped} more are left out here.`)
  })
  const whole = tool.json ? await ask(api, ended.id, 0) : ended
  if (tool.json || options.top) tool.show(whole, () => topLines(whole))
  tool.terminal.note(endWords(ended))
}

export function askedBy(options: Options): StartSearch {
  const { status, path, clients, top: _top, ...rest } = options
  const known = ['of', 'config', 'site', 'host', 'pathPrefix', 'method', 'client'] as const
  const numbers = ['slowerThanMs', 'bytesFrom', 'seconds'] as const
  const said = Object.fromEntries(
    [...known, ...numbers].flatMap((name) =>
      rest[name] === undefined ? [] : [[name, rest[name]]],
    ),
  )
  return {
    ...said,
    ...status,
    ...(path !== undefined && { pathPart: path }),
    ...(clients && { tellsClients: true }),
  }
}

const ask = (api: Api, id: string, after: number) => {
  const params = { path: { id }, query: { after, limit: MOST_SHOWN } }
  return bodyOf(api.GET('/api/v1/request-searches/{id}', { params }))
}

/** Until it has ended, and all that was found was shown. */
async function followed(
  { stop }: Tool,
  api: Api,
  started: RequestSearch,
  onFound: (found: RequestSearch) => void,
): Promise<RequestSearch> {
  let now = started
  while (now.state === 'searching' && !stop.aborted) {
    await sleep(ASK_EVERY_MS, undefined, { signal: stop }).catch(() => {})
    now = await ask(api, started.id, now.next)
    onFound(now)
  }
  return now
}

type Found = RequestSearch['requests'][number]

/** Time, node, what was answered how fast, and to whom. */
export function requestLine(found: Found): string {
  const { startedAt, nodeName, client, method, host, path, status, reason, bytes } = found
  const took = `${((found.stageSeconds.total ?? 0) * 1000).toFixed(1)}ms`
  const words = [
    ...[startedAt.slice(11, 23), nodeName, ...(client === null ? [] : [client])],
    ...[String(status ?? '-'), took, sizeText(bytes).replace(' ', ''), method || '-'],
    `${host}${path === '' ? ' (not decodable)' : path}`,
    ...(reason === null ? [] : [`ended early: ${reason}`]),
  ]
  return words.join(' ')
}

export function topLines({ topPaths, topClients, times }: RequestSearch): string[] {
  const rows = (items: readonly { requests: number; overcountAtMost: number }[], of: string[]) =>
    items.map(({ requests, overcountAtMost }, at) => [
      ...[String(Math.round(requests)), String(Math.ceil(overcountAtMost)), of[at] ?? ''],
    ])
  const paths = topPaths.map(({ path }) => path || '(not decodable)')
  const clients = topClients?.map(({ client }) => client) ?? []
  return [
    ...tableLines(['REQUESTS', 'TOO MANY BY', 'PATH'], rows(topPaths, paths)),
    ...(topClients
      ? ['', ...tableLines(['REQUESTS', 'TOO MANY BY', 'CLIENT'], rows(topClients, clients))]
      : []),
    '',
    `took, by ${times.sampled} samples: p50 ${ms(times.p50Seconds)}, p90 ${ms(times.p90Seconds)}, p99 ${ms(times.p99Seconds)}`,
  ]
}

const ms = (seconds: number | null) =>
  seconds === null ? 'too few to say' : `${(seconds * 1000).toFixed(1)} ms`

function beginWords({ nodes, leftSeconds }: RequestSearch): string {
  const { selected, connected, searched, tooOld, busy } = nodes
  const left = [
    ...(searched + tooOld + busy < connected ? ['chosen by chance'] : []),
    ...(connected < selected ? [`${selected - connected} are not connected`] : []),
    ...(tooOld > 0 ? [`${tooOld} can’t, by their version`] : []),
    ...(busy > 0 ? [`${busy} are searched for others`] : []),
  ]
  const why = left.length > 0 ? ` (${left.join(', ')})` : ''
  return `Searching ${searched} of ${selected} nodes${why} for ${Math.ceil(leftSeconds)} s.`
}

const endWords = ({ seen, matched, received }: RequestSearch) =>
  `${matched} of ${seen} requests are like that; ${received} of those were sent.`

function parseNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Say a whole number.')
  return Number(text)
}

export function parseStatus(text: string): Pick<StartSearch, 'statusFrom' | 'statusTo'> {
  const [, one] = /^([1-5])xx$/i.exec(text) ?? []
  if (one !== undefined) return { statusFrom: Number(one) * 100, statusTo: Number(one) * 100 + 99 }
  const [, from, to = from] = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/.exec(text) ?? []
  if (from === undefined) throw new InvalidArgumentError('Say 404, 5xx or 400-403.')
  return { statusFrom: Number(from), statusTo: Number(to) }
}

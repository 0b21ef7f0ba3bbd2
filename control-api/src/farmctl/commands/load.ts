// SPDX-License-Identifier: MIT
// Loads a server and says what its clients saw; of the control plane it wants nothing.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { crawl } from '../load/crawl.ts'
import { runHeart } from '../load/heart.ts'
import { readWishes, secondsOf, type Wishes } from '../load/objectives.ts'
import { collect, number, wholeNumber } from '../load/option-values.ts'
import { type Due, type LoadPlan, type LoadUrl, planText } from '../load/plan.ts'
import { replayOf } from '../load/replay.ts'
import { doubtsOf, type LoadReport } from '../load/report.ts'
import { reportPage } from '../load/report-html.ts'
import { reportLines } from '../load/report-text.ts'
import { readUrl, Targets } from '../load/targets.ts'
import { type ListedUrl, readUrlList, urlListText } from '../load/url-list.ts'
import { examples } from './examples.ts'

type LoadOptions = Wishes & {
  urls?: string
  crawl?: boolean
  crawlPages: number
  saveUrls?: string
  log?: string
  speed: number
  clients?: number
  rate?: number
  seconds?: number
  requests: number
  timeout: string
  keepAlive: boolean
  http2?: boolean
  streams: number
  header: string[]
  caFile?: string
  insecure?: boolean
  slowClients: number
  slowRate: number
  abortingClients: number
  yesIMayLoad: string[]
  seed: number
  samples: number
  memory: number
  html?: string
}

const CLOSED_CLIENTS = 10
const OPEN_CLIENTS = 200
const SECONDS = 10
const SECONDS_MAX = 86_400

export function registerLoad(parent: Command, act: Act): void {
  const command = parent
    .command('load')
    .summary('load a server, and count and time what its clients see')
    .description(
      'Asks a server for URLs, as many clients or at a rate, and says how it went: latencies from when requests were due, time-outs as time-outs, every byte checked. A server that is not this machine must be named twice (--yes-i-may-load). Ends with 1 when an objective is missed.',
    )
    .argument('[url...]', 'what to ask for; with --crawl where to begin, with --log whom to ask')
    .option('--urls <file>', 'a list of URLs, one a line; "weight=", "bytes=", "sha256=" behind it')
    .option('--crawl', 'ask for what the pages from the URL on name; content is then checked, too')
    .option('--crawl-pages <n>', 'the most URLs that are looked for', wholeNumber, 500)
    .option('--save-urls <file>', 'write down what is asked for, as a list for --urls')
    .option('--log <file>', 'replay an access log (common, combined, JSON) with its own timing')
    .option('--speed <n>', 'replay it so many times as fast', number, 1)
    .option(
      '-c, --clients <n>',
      `clients at once (${CLOSED_CLIENTS}; with --rate ${OPEN_CLIENTS})`,
      wholeNumber,
    )
    .option('-r, --rate <n>', 'requests a second, whether or not answers come (open loop)', number)
    .option('-d, --seconds <n>', `for how long (${SECONDS}; a log’s own time)`, wholeNumber)
    .option('-n, --requests <n>', 'at most so many; 0: no bound but the time', wholeNumber, 0)
    .option('--timeout <time>', 'after which a request has failed, from when it was due', '10s')
    .option('--no-keep-alive', 'a connection for each request')
    .option('--http2', 'HTTP/2: clients are streams of shared connections')
    .option('--streams <n>', 'clients that share a connection of HTTP/2', wholeNumber, 32)
    .option('-H, --header <field>', 'a field of each request, as "Name: value"', collect, [])
    .option('--ca-file <file>', 'PEM of the CA to believe instead of the system’s')
    .option('--insecure', 'believe any certificate')
    .option('--slow-clients <n>', 'so many more that read slowly; not timed', wholeNumber, 0)
    .option('--slow-rate <n>', 'bytes a second of a slow client', wholeNumber, 1000)
    .option('--aborting-clients <n>', 'so many more that go away within answers', wholeNumber, 0)
    .option('--yes-i-may-load <name>', 'this host is not mine alone, and I may', collect, [])
    .option('--seed <n>', 'the same seed asks for the same URLs in the same order', wholeNumber, 1)
    .option('--samples <n>', 'single requests to keep, for the pictures', wholeNumber, 5000)
    .option('--memory <mb>', 'refuse a run that could take more', wholeNumber, 1024)
    .option('--html <file>', 'write a page with pictures there')
    .option('--p50 <time>', 'objective: half of the latencies are at most this')
    .option('--p90 <time>', 'objective: 90 % of them')
    .option('--p95 <time>', 'objective: 95 % of them')
    .option('--p99 <time>', 'objective: 99 % of them')
    .option('--p999 <time>', 'objective: 99.9 % of them')
    .option('--max <time>', 'objective: all of them')
    .option('--availability <percent>', 'objective: connections that worked, as siege counts')
    .option('--good <percent>', 'objective: answers with a status below 400 and the right bytes')
  examples(command, [
    'farmctl load http://localhost:8080/ --clients 50 --seconds 30',
    'farmctl load http://localhost:8080/ --rate 1000 --p99 20ms --availability 99.99',
    'farmctl load http://localhost:8080/ --crawl --rate 200 --html load.html',
    'farmctl load http://localhost:8080/ --log access.log --speed 10',
    'farmctl load https://www.example.org/ --rate 20 --yes-i-may-load www.example.org',
  ])
  act<LoadOptions>(command, async (tool, options, words) => {
    await load(tool, options, words as unknown as readonly string[])
  })
}

async function load(tool: Tool, options: LoadOptions, words: readonly string[]): Promise<void> {
  const judges = readWishes(options)
  const { plan, due } = await planOf(tool, options, words)
  tool.terminal.note(
    `${plan.urls.length} URLs of ${plan.targets.map(({ name, port }) => `${name}:${port}`).join(', ')}, for at most ${plan.seconds} s …`,
  )
  const startedAt = new Date().toISOString()
  const counted = await runHeart(tool.process, planText(plan, due), tool.stop)
  const objectives = judges.map((judge) => judge(counted))
  // What was typed after --header may be a secret, and reports are passed on.
  const { fields: _fields, ...shown } = plan
  const doubts = doubtsOf(counted)
  const report: LoadReport = { startedAt, plan: shown, counted, objectives, doubts }
  if (options.html) writeFileSync(options.html, reportPage(report))
  tool.show(report, () => reportLines(report))
  const missed = objectives.filter(({ met }) => !met)
  if (missed.length === 0) return
  const said = missed.map(({ name, wanted, got }) => `${name} is ${got}, not ${wanted}`)
  throw new Failure(`Objectives were missed: ${said.join('; ')}.`)
}

type Asked = { mode: LoadPlan['mode']; urls: LoadUrl[]; due: Due[]; seconds: number }

async function planOf(tool: Tool, options: LoadOptions, words: readonly string[]) {
  if (options.http2 && !options.keepAlive) {
    throw new Failure('Connections of HTTP/2 are kept: leave out --no-keep-alive, or --http2.')
  }
  const targets = new Targets(options.yesIMayLoad)
  const asked = options.log
    ? await askedOfLog(tool, options, { targets, words, file: options.log })
    : await askedOfUrls(tool, options, { targets, words })
  const header = options.header.map(fieldOf)
  const fields = header.filter((field) => !isHost(field)).map((field) => `${field.join(': ')}\r\n`)
  const [, host] = header.find(isHost) ?? []
  const { due, ...rest } = asked
  const plan: LoadPlan = {
    ...rest,
    ...(host ? { urls: asked.urls.map((url) => ({ ...url, host })) } : {}),
    ...(options.rate === undefined ? {} : { ratePerSecond: options.rate }),
    clients: options.clients ?? (asked.mode === 'closed' ? CLOSED_CLIENTS : OPEN_CLIENTS),
    requests: options.requests,
    timeoutMs: Math.max(1, Math.round(1000 * secondsOf('--timeout', options.timeout))),
    seed: options.seed,
    samples: options.samples,
    memoryMb: options.memory,
    keepAlive: options.keepAlive,
    insecure: options.insecure ?? false,
    ...(options.caFile ? { caFile: options.caFile } : {}),
    ...(fields.length > 0 ? { fields: fields.join('') } : {}),
    streams: options.http2 ? Math.max(1, options.streams) : 0,
    slowClients: options.slowClients,
    slowBytesPerSecond: options.slowRate,
    abortingClients: options.abortingClients,
    targets: targets.list,
  }
  return { plan, due }
}

type Sources = { targets: Targets; words: readonly string[] }

async function askedOfLog(
  { terminal }: Tool,
  { speed, rate, seconds, urls, crawl: doesCrawl }: LoadOptions,
  { targets, words, file }: Sources & { file: string },
): Promise<Asked> {
  const [base, ...more] = words
  if (base === undefined || more.length > 0) {
    throw new Failure('With --log name the one server that is asked: farmctl load URL --log FILE.')
  }
  if (rate !== undefined || urls !== undefined || doesCrawl) {
    throw new Failure(
      'A log says what is asked for and when: leave out --rate, --urls and --crawl.',
    )
  }
  if (!(speed > 0)) throw new Failure('--speed must be above 0.')
  const replay = await replayOf(file, readUrl(base), { targets, speed })
  if (replay.leftOut > 0) {
    terminal.note(`${replay.leftOut} lines are left out: no GET or HEAD, or in another form.`)
  }
  const last = replay.due.at(-1)?.[0] ?? 0
  const whole = Math.min(SECONDS_MAX, Math.floor(last / 1e6) + 1)
  const lasts = seconds ?? whole
  const due = replay.due.filter(([dueUs]) => dueUs < lasts * 1e6)
  const tooLate = replay.due.length - due.length
  if (tooLate > 0) {
    terminal.note(
      `${tooLate} requests are left out: they are due after the ${lasts} s of this run.`,
    )
  }
  return { mode: 'replay', urls: replay.urls, due, seconds: lasts }
}

async function askedOfUrls(
  tool: Tool,
  options: LoadOptions,
  { targets, words }: Sources,
): Promise<Asked> {
  const listed = [
    ...words.map((word): ListedUrl => ({ url: readUrl(word), more: {} })),
    ...(options.urls ? readUrlList(readFileSync(options.urls, 'utf8'), options.urls) : []),
  ]
  if (listed.length === 0) throw new Failure('What is to be asked for? Name a URL, or --urls FILE.')
  const found = options.crawl ? await crawled(tool, options, { targets, listed }) : listed
  if (options.saveUrls) writeFileSync(options.saveUrls, urlListText(found))
  const urls: LoadUrl[] = []
  for (const { url, more } of found) urls.push(await targets.urlOf(url, more))
  const mode = options.rate === undefined ? 'closed' : 'open'
  return { mode, urls, due: [], seconds: options.seconds ?? SECONDS }
}

async function crawled(
  { stop, terminal }: Tool,
  { crawlPages: most, header, caFile, insecure = false }: LoadOptions,
  { targets, listed }: { targets: Targets; listed: readonly ListedUrl[] },
): Promise<ListedUrl[]> {
  const headers = Object.fromEntries(header.map(fieldOf))
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8')
  const found: ListedUrl[] = []
  for (const { url } of listed) {
    // Refused before the first request, as the load itself is.
    const address = await targets.addressOf(url)
    found.push(...(await crawl(url, { address, most, stop, headers, ca, insecure })))
  }
  terminal.note(`The crawl found ${found.length} URLs.`)
  return found
}

function fieldOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([^\r\n]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw new Failure(`--header is a field as in "Accept-Encoding: gzip", not "${text}".`)
}

/** There may be one only, and each request has it already. */
const isHost = ([name]: readonly [string, string]) => name.toLowerCase() === 'host'

// SPDX-License-Identifier: MIT
// `npm run bench -- requests`: for how long one request holds up all others, on a farm of 10,000 nodes: every GET of the
// API, the usual changes, and the long polls of all nodes when they are woken at once.
//   npm run bench -- requests [--nodes N] [--texts one|racks|each] [--only WORD]
// The service is the real one with its files; who asks is in the same process, so that the loop that is watched is the
// service's. Each request is made three times; what it costs from the second time on is what counts, for the first
// compiles it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { LightMyRequestResponse } from 'fastify'
import { buildService, type Service } from '../../src/app.ts'
import { plainConfig } from '../plain-config.ts'
import { costOf, HEAD, line, NEVER_OVERLOADED, ORIGIN, type Row, signIn } from './asking.ts'
import { CONFIG, makeLargeDatabase, nodeIdOf } from './large-database.ts'
import { measurePolls } from './polls.ts'

const VERSIONS = 50
const AUDIT_ROWS = 20_000
/** Answers that never end, and files. */
const NOT_ASKED = new Set(['/api/v1/events', '/api/v1/farm/telemetry'])

/** How many distinct texts a version makes: one, a hundred, or as many as there are nodes. */
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: variables of the config's text
const VALUES = { one: 'all', racks: '${node.label.rack}', each: '${node.name}' }
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: variables of the config's text
type Texts = keyof typeof VALUES

type Options = { nodes: number; texts: Texts; only: string; say: (line: string) => void }
type Call = {
  what: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  url: string
  payload?: object | (() => object)
  /** Where the ETag is that it is for. */
  ifMatch?: string
  headers?: Record<string, string>
}

export async function measure({ nodes, texts, only, say }: Options): Promise<Row[]> {
  const rows: Row[] = []
  const note = (row: Row) => {
    rows.push(row)
    say(line(row))
  }
  if (only !== 'polls')
    await withService(nodes, async (service, paths) => {
      const farm = await Farm.open(service, nodes, texts)
      for (const call of [...farm.changes(), ...farm.lists(paths)]) {
        if (call.what.includes(only)) note(await farm.measure(call))
      }
    })
  if ('polls'.includes(only)) {
    await withService(nodes, async (service) => await measurePolls(service, nodes, note))
  }
  return rows
}

/** `paths`: of what it answers to GET. */
async function withService(
  nodes: number,
  work: (service: Service, paths: readonly string[]) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'farmstead-bench-requests-'))
  const paths: string[] = []
  try {
    await makeLargeDatabase(dataDir, { versions: VERSIONS, nodes, auditRows: AUDIT_ROWS })
    const service = await buildService(plainConfig(dataDir), {
      pressure: NEVER_OVERLOADED,
      onRoute: ({ method, url, schema }) => {
        if ([method].flat().includes('GET') && schema?.hide !== true) paths.push(url)
      },
    })
    try {
      await work(service, paths)
    } finally {
      await service.close()
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

class Farm {
  readonly #service: Service
  readonly #cookie: string
  readonly #nodes: number
  readonly #texts: Texts
  #rollout = ''
  #version = 0

  private constructor(service: Service, cookie: string, size: { nodes: number; texts: Texts }) {
    this.#service = service
    this.#cookie = cookie
    this.#nodes = size.nodes
    this.#texts = size.texts
  }

  /** All nodes are here, and a rollout to all of them is under way. */
  static async open(service: Service, nodes: number, texts: Texts): Promise<Farm> {
    const cookie = await signIn(service)
    const farm = new Farm(service, cookie, { nodes, texts })
    for (let i = 0; i < nodes; i++) {
      service.fleet.seen(nodeIdOf(i))
      if (i % 100 === 99) await setImmediate()
    }
    await farm.#begin()
    return farm
  }

  async #begin(): Promise<void> {
    await this.must({ ...this.#newVersion(), what: 'the first version' })
    const { id } = (await this.must(this.#order('order'))).json<{ id: string }>()
    this.#rollout = id
  }

  /** One for all, one for each rack, or one for each node. */
  #text(): string {
    const headers = [{ action: 'set', name: 'X-Of', value: VALUES[this.#texts] }]
    const sites = [{ hosts: ['*'], root: '/', headers }]
    const comment = `// ${this.#version} ${'a comment of some length '.repeat(150)}`
    return `${JSON.stringify({ workers: 1, sites }, null, 2)} ${comment}`
  }

  #newVersion(): Call {
    return {
      what: 'POST a version of the config',
      method: 'POST',
      url: `/api/v1/configs/${CONFIG}/versions`,
      payload: () => {
        const parent = VERSIONS + this.#version
        this.#version += 1
        return { text: this.#text(), message: 'of the bench', parent }
      },
    }
  }

  #order(what: 'order' | 'dry run' | 'preflight'): Call {
    const ending = { order: '', 'dry run': '?dryRun=1', preflight: '/preflight' }[what]
    return {
      what: `POST /rollouts, ${what}`,
      method: 'POST',
      url: `/api/v1/rollouts${ending}`,
      payload: () => ({
        config: CONFIG,
        version: VERSIONS + this.#version,
        ...(what !== 'preflight' && { strategy: { waves: [{ percent: 25 }, { percent: 100 }] } }),
      }),
    }
  }

  changes(): Call[] {
    const node = `/api/v1/nodes/${nodeIdOf(7)}`
    const group = '/api/v1/groups/edge'
    const labels = (i: number) => ({ labels: { zone: `z${i}`, rack: '7' } })
    const dry = (call: Call): Call => ({
      ...call,
      what: `${call.what}, dry run`,
      url: `${call.url}?dryRun=1`,
    })
    let n = 0
    let groups = 0
    const patchNode: Call = {
      what: 'PATCH /nodes/{id} labels',
      method: 'PATCH',
      url: node,
      payload: () => labels(n++),
      ifMatch: node,
    }
    const override: Call = {
      what: 'PUT /nodes/{id}/override',
      method: 'PUT',
      url: `${node}/override`,
      payload: () => ({ mergePatch: { workers: 1 + (n++ % 8) } }),
      ifMatch: node,
    }
    const newGroup: Call = {
      what: 'POST /groups',
      method: 'POST',
      url: '/api/v1/groups',
      payload: () => ({
        name: `edge${groups++ || ''}`,
        selector: 'rack=7',
        mergePatch: { workers: 2 },
      }),
    }
    const patchGroup: Call = {
      what: 'PATCH /groups/{name}',
      method: 'PATCH',
      url: group,
      payload: () => ({ mergePatch: { workers: 1 + (n++ % 8) } }),
      ifMatch: group,
    }
    const all = '/api/v1/groups/default'
    const patchAll: Call = {
      ...patchGroup,
      what: 'PATCH /groups/default',
      url: all,
      ifMatch: all,
    }
    return [
      this.#order('dry run'),
      this.#order('preflight'),
      this.#newVersion(),
      dry(patchNode),
      patchNode,
      dry(override),
      override,
      newGroup,
      dry(newGroup),
      dry(patchGroup),
      patchGroup,
      dry(patchAll),
      patchAll,
      { ...this.#order('order') },
    ]
  }

  lists(paths: readonly string[]): Call[] {
    return [...new Set(paths)]
      .filter((path) => path.startsWith('/api/v1') && !NOT_ASKED.has(path))
      .map((path) => ({ what: `GET ${path.slice(7)}`, method: 'GET', url: this.#filled(path) }))
  }

  #filled(path: string): string {
    const of: Record<string, string> = {
      '/nodes/:id': nodeIdOf(Math.floor(this.#nodes / 2)),
      '/rollouts/:id': this.#rollout,
      '/configs/:name': CONFIG,
      '/groups/:name': 'edge',
    }
    const [prefix, value] = Object.entries(of).find(([known]) => path.includes(known)) ?? ['', '']
    const name = prefix.split('/').at(-1) ?? ''
    const filled = prefix === '' ? path : path.replace(prefix, prefix.replace(name, value))
    return filled.replace(':number', String(VERSIONS)).replace(/:\w+/g, 'unknown')
  }

  async measure(call: Call): Promise<Row> {
    return await costOf(call.what, async () => {
      const ready = await this.#prepared(call)
      return () => this.#ask(ready)
    })
  }

  async #prepared({ ifMatch, payload, ...call }: Call): Promise<Call> {
    const tag = ifMatch && (await this.#ask({ what: '', method: 'GET', url: ifMatch })).headers.etag
    return {
      ...call,
      ...(payload && { payload: typeof payload === 'function' ? payload() : payload }),
      ...(tag && { headers: { 'if-match': String(tag) } }),
    }
  }

  async must(call: Call): Promise<LightMyRequestResponse> {
    const answer = await this.#ask(await this.#prepared(call))
    if (answer.statusCode >= 400) throw new Error(`${call.what}: ${answer.body}`)
    return answer
  }

  #ask({ method, url, payload, headers }: Call): Promise<LightMyRequestResponse> {
    const all = { origin: ORIGIN, cookie: this.#cookie, ...headers }
    return this.#service.app.inject({ method, url, headers: all, ...(payload && { payload }) })
  }
}

function textsOf(word: string): Texts {
  if (word === 'one' || word === 'racks' || word === 'each') return word
  throw new Error(`--texts is one, racks or each, not ${word}`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      nodes: { type: 'string', default: '10000' },
      texts: { type: 'string', default: 'racks' },
      only: { type: 'string', default: '' },
    },
  })
  const say = (text: string) => process.stdout.write(`${text}\n`)
  say(HEAD)
  await measure({
    nodes: Number(values.nodes),
    texts: textsOf(values.texts),
    only: values.only,
    say,
  })
}

if (import.meta.main) await main()

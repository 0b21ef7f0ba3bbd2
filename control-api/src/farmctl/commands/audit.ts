// SPDX-License-Identifier: MIT
// Who did what: search it, bring it out, have it verified.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { type Api, bodyOf, collect, pages } from '../api.ts'
import type { AuditFilter, AuditVerification } from '../api-types.ts'
import type { Act, Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { outline, tableLines } from '../table.ts'
import { examples } from './examples.ts'

type SearchOptions = AuditFilter & { limit: string }
type ExportOptions = AuditFilter & { format: 'ndjson' | 'csv'; output?: string }

const VERIFY_POLL_MS = 300

export function registerAudit(program: Command, act: Act): void {
  const audit = program.command('audit').description('who did what, when, from where')
  const search = filtered(audit.command('search'))
    .description('what happened, newest first')
    .option('--limit <n>', 'at most so many', '50')
  examples(search, [
    'farmctl audit search --actor alice --from 2026-11-01T00:00:00Z',
    'farmctl audit search --kind rollout --by people --json',
  ])
  act<SearchOptions>(search, searchAudit)

  const show = audit
    .command('show')
    .description('one entry whole, with what was before and after')
    .argument('<id>', 'its number')
  examples(show, ['farmctl audit show 1042'])
  act(show, async (tool, _options, id = '') => {
    const params = { path: { id: Number(id) } }
    const entry = await bodyOf(tool.api().GET('/api/v1/audit/{id}', { params }))
    tool.show(entry, () => outline(entry))
  })

  const exporting = filtered(audit.command('export'))
    .description('write everything that fits the filters, with the chain’s hashes')
    .addOption(new Option('--format <format>', 'how').choices(['ndjson', 'csv']).default('ndjson'))
    .option('-o, --output <file>', 'where to; else standard output')
  examples(exporting, [
    'farmctl audit export -o audit.ndjson',
    'farmctl audit export --format csv --from 2026-11-01T00:00:00Z > november.csv',
  ])
  act<ExportOptions>(exporting, exportAudit)

  const verify = audit
    .command('verify')
    .description('have the chain of hashes verified; note the head elsewhere to find a cut tail')
  examples(verify, ['farmctl audit verify', 'farmctl audit verify --json | jq -r .head'])
  act(verify, verifyAudit)
}

const filtered = (command: Command) =>
  command
    .addOption(new Option('--by <side>', 'whose doing').choices(['people', 'nodes', 'service']))
    .option('--actor <name>', 'user name or node id')
    .option('--kind <kind>', 'node, config, rollout, user, token, …')
    .option('--action <action>', 'created, label-changed, …')
    .option('--object <id>', 'id or name of the thing that changed')
    .option('--from <time>', 'from this moment on, as in 2026-11-22T00:00:00Z')
    .option('--to <time>', 'before this moment')
    .option('--q <text>', 'text in the details')

const FILTERS = ['by', 'actor', 'kind', 'action', 'object', 'from', 'to', 'q'] as const

function filterOf(options: AuditFilter): AuditFilter {
  const given = FILTERS.filter((name) => options[name] !== undefined)
  return Object.fromEntries(given.map((name) => [name, options[name]]))
}

async function searchAudit(tool: Tool, options: SearchOptions): Promise<void> {
  const api = tool.api()
  const filter = filterOf(options)
  const items = await collect(
    pages(
      (query) => bodyOf(api.GET('/api/v1/audit', { params: { query: { ...filter, ...query } } })),
      Number(options.limit),
    ),
  )
  const rows = () =>
    items.map(({ id, at, actor, kind, action, object, address }) => {
      return [String(id), at, actor ?? 'service', `${kind} ${action}`, object, address ?? '']
    })
  tool.show({ items }, () => tableLines(['ID', 'AT', 'WHO', 'WHAT', 'OBJECT', 'FROM'], rows()))
}

/** As a stream: an audit may be larger than memory. */
async function exportAudit(tool: Tool, options: ExportOptions): Promise<void> {
  const api = tool.api()
  const query = new URLSearchParams({ ...filterOf(options), format: options.format })
  const { body } = await api.send(new Request(`${api.url}/api/v1/audit/export?${query}`))
  if (!body) throw new Failure('The control plane answered without a body.')
  await writeStream(tool, body, options.output)
}

export async function writeStream(
  { terminal }: Tool,
  body: ReadableStream<Uint8Array>,
  output: string | undefined,
): Promise<void> {
  if (output !== undefined) await pipeline(Readable.from(body), createWriteStream(output))
  else for await (const chunk of body) await terminal.write(chunk)
}

async function verifyAudit(tool: Tool): Promise<void> {
  const api = tool.api()
  const started = await bodyOf(api.POST('/api/v1/audit/verification'))
  const found = await verified(api, started, tool)
  tool.show(found, () => [
    `${found.rows} rows are as their hashes say, up to ${found.headId}. Head: ${found.head}`,
  ])
  if (found.state !== 'broken') return
  throw new Failure(`The audit breaks at row ${found.brokenAt}: ${found.reason}`)
}

async function verified(api: Api, state: AuditVerification, { stop, terminal }: Tool) {
  let now = state
  while (now.state === 'running' && !stop.aborted) {
    terminal.progress(`${now.rows} rows verified`)
    await sleep(VERIFY_POLL_MS, undefined, { signal: stop }).catch(() => {})
    now = await bodyOf(api.GET('/api/v1/audit/verification'))
  }
  return now
}

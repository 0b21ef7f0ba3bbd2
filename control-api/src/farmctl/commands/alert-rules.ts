// SPDX-License-Identifier: MIT
// Rules of alerts, as files: what `get` prints is what `apply` takes.
import type { Command } from 'commander'
import { type Api, bodyOf, collect, taggedBodyOf } from '../api.ts'
import type { AlertPreview, AlertRule, NewAlertRule } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { type JsonObject, mustBeObject, mustBeString, readDocument } from '../documents.ts'
import { Failure } from '../failures.ts'
import { readTextFile } from '../read-text.ts'
import { alertRules, tableOf } from '../resources.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type Sure = { yes?: boolean }
type FileOptions = { file: string }

const NAME = 'its name, as in: farmctl alerts rules list'
const BASE = '/api/v1/alert-rules'

export function registerAlertRules(alerts: Command, act: Act): void {
  const rules = alerts.command('rules').description('what alerts are made of')
  const list = rules.command('list').description('rules, by name')
  examples(list, ['farmctl alerts rules list'])
  act(list, async (tool) => {
    const items = await allRules(tool.api())
    tool.show({ items }, () => tableOf(alertRules, items))
  })

  const get = rules
    .command('get')
    .description('print one as the file that apply takes')
    .argument('<rule>', NAME)
  examples(get, ['farmctl alerts rules get "Disk filling" > disk.jsonc'])
  act(get, async (tool, _options, name = '') => {
    tool.terminal.printJson(settingsOf(await findRule(tool.api(), name)))
  })

  const apply = rules
    .command('apply')
    .description('make the rule of that name what the file says, or make one')
    .requiredOption('-f, --file <file>', 'as get prints it; "-" is standard input')
  examples(apply, ['farmctl alerts rules apply -f disk.jsonc'])
  act<FileOptions>(apply, applyRule)

  const preview = rules
    .command('preview')
    .description('what a rule over measurements would have said; nothing is made')
    .requiredOption('-f, --file <file>', 'as get prints it; "-" is standard input')
    .option('--days <n>', 'how far back, 1 to 7', '7')
  examples(preview, ['farmctl alerts rules preview -f disk.jsonc --days 3'])
  act<FileOptions & { days: string }>(preview, previewRule)

  const test = rules
    .command('test')
    .description('have webhooks that are told of alerts told a test')
    .argument('<rule>', NAME)
  examples(test, ['farmctl alerts rules test "Node silent"'])
  act(test, async (tool, _options, name = '') => {
    const api = tool.api()
    const params = { path: { id: (await findRule(api, name)).id } }
    const sent = await bodyOf(api.POST(`${BASE}/{id}/actions/test`, { params }))
    tool.show(sent, () => [`A test is on its way, as event ${sent.eventId} of the audit.`])
  })

  const remove = rules
    .command('remove')
    .description('remove a rule: what fires by it is resolved')
    .argument('<rule>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl alerts rules remove "Slow nights" --yes'])
  act<Sure>(remove, async (tool, { yes }, name = '') => {
    const api = tool.api()
    const params = await tagged(api, (await findRule(api, name)).id)
    await agree(tool, yes, `Remove the rule ${name}?`)
    await api.DELETE(`${BASE}/{id}`, { params })
    tool.show({ removed: name }, () => [`${name} is removed.`])
  })
}

export const allRules = (api: Api) =>
  collect(alertRules.list(api, { selector: '', of: undefined, limit: undefined }))

export async function findRule(api: Api, name: string): Promise<AlertRule> {
  const found = (await allRules(api)).find((rule) => rule.name === name || rule.id === name)
  if (found) return found
  throw new Failure(`There is no rule "${name}". See: farmctl alerts rules list`)
}

async function tagged(api: Api, id: string) {
  const path = { id }
  const { etag } = await taggedBodyOf(api.GET(`${BASE}/{id}`, { params: { path } }))
  return { path, header: { 'if-match': etag } }
}

const settingsOf = (rule: AlertRule): NewAlertRule => {
  const { name, description, enabled, severity, appliesTo, condition } = rule
  const { forSeconds, keepFiringSeconds } = rule
  return {
    ...{ name, description, enabled, severity, appliesTo, condition },
    ...{ forSeconds, keepFiringSeconds },
  }
}

/** What is in a member the control plane knows best; that it is one is told with its place. */
const MEMBERS = {
  name: mustBeString,
  description: mustBeString,
  enabled: () => null,
  severity: mustBeString,
  appliesTo: mustBeString,
  condition: mustBeObject,
  forSeconds: () => null,
  keepFiringSeconds: () => null,
}

async function readRule(tool: Tool, file: string): Promise<NewAlertRule> {
  const text = file === '-' ? await tool.terminal.readAll() : readTextFile(file)
  const rule: JsonObject = readDocument(file, text, MEMBERS)
  for (const member of ['name', 'condition']) {
    if (!(member in rule)) throw new Failure(`${file}: "${member}" is missing.`)
  }
  return rule as NewAlertRule
}

async function applyRule(tool: Tool, { file }: FileOptions): Promise<void> {
  const wished = await readRule(tool, file)
  const { name } = wished
  const api = tool.api()
  const before = (await allRules(api)).find((rule) => rule.name === name)
  if (!before) {
    const made = await bodyOf(api.POST(BASE, { body: wished }))
    tool.show(made, () => [`${name} is made.`])
    return
  }
  // What is left out is as it is in a rule that is made.
  const body = { ...DEFAULTS, ...wished }
  if (isSame(settingsOf(before), body)) {
    tool.show(before, () => [`${name}: no change.`])
    return
  }
  const params = await tagged(api, before.id)
  const changed = await bodyOf(api.PATCH(`${BASE}/{id}`, { params, body }))
  tool.show(changed, () => [`${name} is changed.`])
}

const DEFAULTS = {
  ...{ description: '', enabled: true, severity: 'warning' as const, appliesTo: 'farm' },
  ...{ forSeconds: 300, keepFiringSeconds: 0 },
}

/** Whatever the order of their members. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a, byName) === JSON.stringify(b, byName)
const byName = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

async function previewRule(
  tool: Tool,
  { file, days }: FileOptions & { days: string },
): Promise<void> {
  const { name, condition, appliesTo, forSeconds, keepFiringSeconds } = await readRule(tool, file)
  if (condition.kind !== 'measurement' && condition.kind !== 'burn-rate') {
    throw new Failure(
      `${file}: what "${condition.kind}" looks at is not kept. Measurements and burn rates can be looked back at.`,
    )
  }
  const body = {
    ...{ condition, days: Number(days) },
    ...(appliesTo !== undefined && { appliesTo }),
    ...(forSeconds !== undefined && { forSeconds }),
    ...(keepFiringSeconds !== undefined && { keepFiringSeconds }),
  }
  const said = await bodyOf(tool.api().POST(`${BASE}/preview`, { body }))
  tool.show(said, () => previewLines(name, said))
}

function previewLines(name: string, said: AlertPreview): string[] {
  const { fired, pendingOnly, from, to, lookedAt, subjects, alerts } = said
  const rows = alerts.map((one) => [
    ...[one.subject.name, one.pendingSince, one.firingSince ?? '', one.overAt ?? 'still is'],
    String(one.worst ?? ''),
  ])
  return [
    `${name} would have fired ${fired} times from ${from} to ${to}, and was pending only ${pendingOnly} times.`,
    ...(lookedAt === subjects ? [] : [`${lookedAt} of ${subjects} nodes were looked at.`]),
    ...(rows.length === 0
      ? []
      : tableLines(['OF', 'BAD FROM', 'FIRES AT', 'OVER AT', 'WORST'], rows)),
  ]
}

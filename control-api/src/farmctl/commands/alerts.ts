// SPDX-License-Identifier: MIT
// Alerts: what fires, who has taken it on, and what nobody is told of for a while.
import { type Command, Option } from 'commander'
import { bodyOf, collect, pages } from '../api.ts'
import type { Alert } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { findNode, readSelector } from '../nodes.ts'
import { alerts, tableOf } from '../resources.ts'
import { tableLines } from '../table.ts'
import { allRules, findRule, registerAlertRules } from './alert-rules.ts'
import { examples } from './examples.ts'
import { parseLimit } from './get.ts'
import { secondsOf } from './times.ts'

type ListOptions = { state?: Alert['state']; node?: string; limit?: number }
type SilenceOptions = { rule?: string; selector?: string; reason: string; for: string }
type Sure = { yes?: boolean }

const ID = 'its id, as in: farmctl alerts list'
const BASE = '/api/v1/alerts'
const SILENCES = '/api/v1/alert-silences'

export function registerAlerts(program: Command, act: Act): void {
  const group = program.command('alerts').description('what fires, and what somebody is told of')
  const list = group
    .command('list')
    .description('alerts, newest first')
    .addOption(
      new Option('--state <state>', 'only these').choices(['firing', 'pending', 'resolved']),
    )
    .option('--node <node>', 'only of this node')
    .option('--limit <n>', 'at most so many; else 50', parseLimit)
  examples(list, [
    'farmctl alerts list --state firing',
    'farmctl alerts list --node node-1 --json | jq -r ".items[].message"',
  ])
  act<ListOptions>(list, listAlerts)

  const show = group
    .command('show')
    .description('everything there is to know of one')
    .argument('<id>', ID)
  examples(show, ['farmctl alerts show alert_01jd4q6v2m8w3x5y7z9abcdefg'])
  act(show, async (tool, _options, id = '') => {
    const params = { path: { id } }
    told(tool, await bodyOf(tool.api().GET(`${BASE}/{id}`, { params })))
  })

  const acknowledge = group
    .command('acknowledge')
    .description('say that you have taken it on')
    .argument('<id>', ID)
    .option('-m, --message <text>', 'a word for the others')
  examples(acknowledge, [
    'farmctl alerts acknowledge alert_01jd4q6v2m8w3x5y7z9abcdefg -m "A new disk is ordered"',
  ])
  act<{ message?: string }>(acknowledge, async (tool, { message }, id = '') => {
    const body = message === undefined ? {} : { comment: message }
    const params = { path: { id } }
    const url = `${BASE}/{id}/actions/acknowledge` as const
    told(tool, await bodyOf(tool.api().POST(url, { params, body })))
  })
  registerSilences(group, act)
  registerAlertRules(group, act)
}

function registerSilences(group: Command, act: Act): void {
  const silence = group
    .command('silence')
    .description('have nobody told of a rule, of some nodes, or of both, for a while')
    .option('--rule <rule>', 'the rule’s name; else of every rule')
    .option('-l, --selector <selector>', 'only of nodes with these labels')
    .requiredOption('--reason <text>', 'why, for who wonders')
    .requiredOption('--for <time>', 'for how long: 30m, 8h, 7d')
  examples(silence, [
    'farmctl alerts silence --rule "Node silent" -l zone=eu --reason "New disks" --for 8h',
  ])
  act<SilenceOptions>(silence, createSilence)

  const silences = group.command('silences').description('what nobody is told of now')
  examples(silences, ['farmctl alerts silences'])
  act(silences, listSilences)

  const unsilence = group
    .command('unsilence')
    .description('end a silence now: what still fires is told')
    .argument('<id>', 'its id, as in: farmctl alerts silences')
    .option('-y, --yes', 'do not ask')
  examples(unsilence, ['farmctl alerts unsilence silence_01jd4q6v2m8w3x5y7z9abcdefg'])
  act<Sure>(unsilence, async (tool, { yes }, id = '') => {
    await agree(tool, yes, `End ${id}?`)
    await tool.api().DELETE(`${SILENCES}/{id}`, { params: { path: { id } } })
    tool.show({ ended: id }, () => [`${id} is ended.`])
  })
}

async function listSilences(tool: Tool): Promise<void> {
  const api = tool.api()
  const items = await collect(pages((query) => bodyOf(api.GET(SILENCES, { params: { query } }))))
  const names = new Map((await allRules(api)).map(({ id, name }) => [id, name]))
  const rows = items.map(({ id, until, ruleId, selector, createdBy, reason }) => [
    ...[id, until, ruleId === null ? 'every rule' : (names.get(ruleId) ?? 'a rule that is gone')],
    ...[selector ?? 'every node', createdBy, reason],
  ])
  if (items.length === 0) tool.terminal.note('Nothing is silenced.')
  tool.show({ items }, () => tableLines(['ID', 'UNTIL', 'RULE', 'NODES', 'BY', 'REASON'], rows))
}

async function listAlerts(tool: Tool, options: ListOptions): Promise<void> {
  const { state, node, limit = alerts.shown } = options
  const api = tool.api()
  const narrowed = {
    ...(state && { state }),
    ...(node !== undefined && { node: (await findNode(api, node)).id }),
  }
  const items = await collect(
    pages((page) => bodyOf(api.GET(BASE, { params: { query: { ...page, ...narrowed } } })), limit),
  )
  if (items.length === 0) tool.terminal.note('There are no such alerts.')
  tool.show({ items }, () => tableOf(alerts, items))
}

function told(tool: Tool, alert: Alert): void {
  const { state, severity, ruleName, subject, message, acknowledgedBy, comment } = alert
  tool.show(alert, () => [
    `${ruleName}: ${subject.name} (${severity}, ${state})`,
    message,
    `Pending since ${alert.pendingSince}${alert.firingSince ? `, firing since ${alert.firingSince}` : ''}`,
    ...(alert.isWithoutData ? ['Nothing that came since says whether it still is so.'] : []),
    ...(alert.silencedUntil ? [`Silenced until ${alert.silencedUntil}`] : []),
    ...(acknowledgedBy === null
      ? []
      : [`Taken on by ${acknowledgedBy}${comment === '' ? '' : `: ${comment}`}`]),
    ...(alert.resolvedAt ? [`Over at ${alert.resolvedAt} ${alert.resolvedBecause ?? ''}`] : []),
  ])
}

async function createSilence(tool: Tool, options: SilenceOptions): Promise<void> {
  const { rule, selector, reason } = options
  if (rule === undefined && selector === undefined) {
    throw new Failure('Of what? Name a rule (--rule), nodes (--selector) or both.')
  }
  if (selector !== undefined) readSelector(selector)
  const seconds = secondsOf('--for', options.for)
  const api = tool.api()
  const body = {
    ...(rule !== undefined && { ruleId: (await findRule(api, rule)).id }),
    ...(selector !== undefined && { selector }),
    ...{ reason, until: new Date(Date.now() + seconds * 1000).toISOString() },
  }
  const made = await bodyOf(api.POST(SILENCES, { body }))
  tool.show(made, () => [`${made.id} lasts until ${made.until}.`])
}

// SPDX-License-Identifier: MIT
// Secrets that are made here and shown once: API tokens for programs, enrolment tokens for machines.
import type { Command } from 'commander'
import { bodyOf } from '../api.ts'
import type { NewToken } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { findNode } from '../nodes.ts'
import { examples } from './examples.ts'
import { hoursOf, secondsOf } from './times.ts'

type CreateOptions = { permission?: string[]; expiresInDays: string }
type EnrolOptions = {
  label?: Record<string, string>
  maxUses: string
  expires: string
  forgetAfter?: string
  node?: string
}

export function registerTokens(program: Command, act: Act): void {
  const tokens = program.command('tokens').description('API tokens for programs')
  const create = tokens
    .command('create')
    .description('make a token; its secret is shown this once')
    .argument('<name>', 'what uses it')
    .option('--permission <name>', 'only this one; repeat for more; else all of yours', gather)
    .option('--expires-in-days <n>', 'how long it is good, 1 to 365', '30')
  examples(create, [
    'farmctl tokens create "nightly export" --permission configs:read --expires-in-days 90',
    'farmctl tokens create ci --json | jq -r .secret',
  ])
  act<CreateOptions>(create, createToken)

  const revoke = tokens
    .command('revoke')
    .description('revoke a token at once, and those made with it')
    .argument('<id>', 'as in: farmctl get tokens')
    .option('-y, --yes', 'do not ask')
  examples(revoke, ['farmctl tokens revoke token_01jd4q6v2m8w3x5y7z9abcdefg'])
  act<{ yes?: boolean }>(revoke, async (tool, { yes }, id = '') => {
    await agree(tool, yes, `Revoke ${id}?`)
    await tool.api().DELETE('/api/v1/tokens/{id}', { params: { path: { id } } })
    tool.show({ id, revoked: true }, () => [`${id} is revoked.`])
  })

  const enrol = program
    .command('enrol')
    .summary('make a token with which machines become nodes')
    .description('Make a token with which machines become nodes, and print what to run on them.')
    .option('--label <key=value>', 'label of the nodes; repeat for more', addLabel)
    .option('--max-uses <n>', 'how many nodes may use it', '1')
    .option('--expires <time>', 'how long it is good: 90s, 30m, 1h, 7d', '1h')
    .option('--forget-after <hours>', 'nodes that were away for so long are decommissioned')
    .option('--node <name>', 'give this node a new identity, instead of making new nodes')
  examples(enrol, [
    'farmctl enrol --label zone=eu --max-uses 3 --expires 2h',
    'ssh root@web-4 "$(farmctl enrol --json | jq -r .command)"',
    'farmctl enrol --label pool=spot --max-uses 500 --expires 30d --forget-after 6',
    'farmctl enrol --node node-2',
  ])
  act<EnrolOptions>(enrol, createEnrolmentToken)
}

const gather = (name: string, names: string[] = []) => [...names, name]

async function createToken(tool: Tool, options: CreateOptions, name = ''): Promise<void> {
  const { permission = [], expiresInDays } = options
  // The API says which there are, and which are not yours to give.
  const permissions = permission as NonNullable<NewToken['permissions']>
  const body = {
    name,
    permissions: permissions.length > 0 ? permissions : null,
    expiresInDays: Number(expiresInDays),
  }
  const made = await bodyOf(tool.api().POST('/api/v1/tokens', { body }))
  tool.terminal.note(`Good until ${made.expiresAt}. It is not shown again:`)
  tool.show(made, () => [made.secret])
}

async function createEnrolmentToken(tool: Tool, options: EnrolOptions): Promise<void> {
  const api = tool.api()
  const { label = {}, maxUses, expires, forgetAfter, node } = options
  const nodeId = node === undefined ? undefined : (await findNode(api, node)).id
  const body = {
    expiresInSeconds: secondsOf('--expires', expires),
    ...(forgetAfter !== undefined && { forgetAfterHours: hoursOf(forgetAfter) }),
    ...(nodeId === undefined ? { labels: label, maxUses: Number(maxUses) } : { nodeId }),
  }
  const made = await bodyOf(api.POST('/api/v1/enrolment-tokens', { body }))
  tool.terminal.note(`Good until ${made.expiresAt}, for ${made.maxUses} node(s). Run there:`)
  tool.show(made, () => [made.command])
}

function addLabel(text: string, labels: Record<string, string> = {}): Record<string, string> {
  const [, key = '', value = ''] = /^([^=]+)=(.*)$/.exec(text) ?? []
  if (!key) throw new Failure(`--label is key=value, as in zone=north, not "${text}".`)
  return { ...labels, [key]: value }
}

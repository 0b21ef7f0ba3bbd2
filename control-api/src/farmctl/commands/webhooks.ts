// SPDX-License-Identifier: MIT
// Webhooks: other systems that are told what happens. Their secrets are shown once.
import type { Command } from 'commander'
import { bodyOf, taggedBodyOf } from '../api.ts'
import type { WebhookDelivery, WebhookPatch } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'

type CreateOptions = { event?: string[]; description?: string }
type ChangeOptions = CreateOptions & { url?: string; disable?: boolean; enable?: boolean }
type RotateOptions = { overlapSeconds?: string; yes?: boolean }
type Sure = { yes?: boolean }

const WHICH = 'id, as in: farmctl get webhooks'

export function registerWebhooks(program: Command, act: Act): void {
  const webhooks = program.command('webhooks').description('who else is told what happens')
  const create = webhooks
    .command('create')
    .description('make a webhook; its secret is shown this once')
    .argument('<url>', 'where to')
    .option('--event <event>', 'rollout, node.disconnected, …; repeat for more; else all', gather)
    .option('--description <text>', 'what it is for')
  examples(create, [
    'farmctl webhooks create https://hooks.example.org/farm --event rollout --event node.disconnected',
    'farmctl webhooks create https://hooks.example.org/farm --json | jq -r .secret',
  ])
  act<CreateOptions>(create, createWebhook)

  const change = webhooks
    .command('change')
    .description('change where to or about what, or whether it is told at all')
    .argument('<id>', WHICH)
    .option('--url <url>', 'where to')
    .option('--event <event>', 'these instead; repeat for more', gather)
    .option('--description <text>', 'what it is for')
    .option('--disable', 'tell it nothing')
    .option('--enable', 'tell it what happens from now on')
  examples(change, ['farmctl webhooks change webhook_01jd4q6v2m8w3x5y7z9abcdefg --disable'])
  act<ChangeOptions>(change, changeWebhook)

  const test = webhooks
    .command('test')
    .description('send it a test now, and show what it answered; 1 when it was not taken')
    .argument('<id>', WHICH)
  examples(test, ['farmctl webhooks test webhook_01jd4q6v2m8w3x5y7z9abcdefg'])
  act(test, async (tool, _options, id = '') => {
    const params = { path: { id } }
    told(tool, await bodyOf(tool.api().POST('/api/v1/webhooks/{id}/actions/test', { params })))
  })

  const redeliver = webhooks
    .command('redeliver')
    .description('send it one event again')
    .argument('<id>', WHICH)
    .argument('<event>', 'its number in the audit')
  examples(redeliver, ['farmctl webhooks redeliver webhook_01jd4q6v2m8w3x5y7z9abcdefg 4711'])
  act(redeliver, async (tool, _options, id = '', event = '') => {
    const body = { eventId: Number(event) }
    const url = '/api/v1/webhooks/{id}/actions/redeliver'
    told(tool, await bodyOf(tool.api().POST(url, { params: { path: { id } }, body })))
  })

  const deliveries = webhooks
    .command('deliveries')
    .description('what it was told lately, and what it answered')
    .argument('<id>', WHICH)
  examples(deliveries, ['farmctl webhooks deliveries webhook_01jd4q6v2m8w3x5y7z9abcdefg'])
  act(deliveries, listDeliveries)

  const rotate = webhooks
    .command('rotate-secret')
    .description('give it a new secret, shown this once; the old one signs too for a while')
    .argument('<id>', WHICH)
    .option('--overlap-seconds <n>', 'how long; else a day')
    .option('-y, --yes', 'do not ask')
  examples(rotate, ['farmctl webhooks rotate-secret webhook_01jd4q6v2m8w3x5y7z9abcdefg'])
  act<RotateOptions>(rotate, rotateSecret)

  const remove = webhooks
    .command('remove')
    .description('remove a webhook')
    .argument('<id>', WHICH)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl webhooks remove webhook_01jd4q6v2m8w3x5y7z9abcdefg'])
  act<Sure>(remove, async (tool, { yes }, id = '') => {
    const params = await tagged(tool, id)
    await agree(tool, yes, `Remove ${id}?`)
    await tool.api().DELETE('/api/v1/webhooks/{id}', { params })
    tool.show({ removed: id }, () => [`${id} is removed.`])
  })
}

const gather = (event: string, events: string[] = []) => [...events, event]

async function createWebhook(tool: Tool, options: CreateOptions, url = ''): Promise<void> {
  const { event: events, description } = options
  const body = { url, ...(events && { events }), ...(description !== undefined && { description }) }
  const made = await bodyOf(tool.api().POST('/api/v1/webhooks', { body }))
  tool.terminal.note(`${made.id} is told from now on. Its secret is not shown again:`)
  tool.show(made, () => [made.secret])
}

async function tagged(tool: Tool, id: string) {
  const path = { id }
  const { etag } = await taggedBodyOf(tool.api().GET('/api/v1/webhooks/{id}', { params: { path } }))
  return { path, header: { 'if-match': etag } }
}

async function changeWebhook(tool: Tool, options: ChangeOptions, id = ''): Promise<void> {
  const body = patchOf(options)
  const params = await tagged(tool, id)
  const changed = await bodyOf(tool.api().PATCH('/api/v1/webhooks/{id}', { params, body }))
  const { url, events, disabledAt } = changed
  tool.show(changed, () => [`${url}: ${events.join(', ')}${disabledAt ? ', disabled' : ''}`])
}

function patchOf({ url, event, description, disable, enable }: ChangeOptions): WebhookPatch {
  if (disable && enable) throw new Failure('--disable and --enable exclude each other.')
  return {
    ...(url !== undefined && { url }),
    ...(event && { events: event }),
    ...(description !== undefined && { description }),
    ...((disable || enable) && { disabled: disable === true }),
  }
}

function told(tool: Tool, delivery: WebhookDelivery): void {
  const { delivered, status, durationMs, error, response } = delivery
  const answer = status === null ? (error ?? 'no answer') : `status ${status}`
  tool.show(delivery, () => [`${answer} after ${durationMs} ms`, ...(response ? [response] : [])])
  if (!delivered) throw new Failure('It was not taken.')
}

async function listDeliveries(tool: Tool, _options: unknown, id = ''): Promise<void> {
  const url = '/api/v1/webhooks/{id}/deliveries'
  const { items } = await bodyOf(tool.api().GET(url, { params: { path: { id } } }))
  const rows = () =>
    items.map(({ at, type, eventId, attempt, status, error }) => {
      return [at, type, String(eventId ?? ''), String(attempt), String(status ?? error ?? '')]
    })
  tool.show({ items }, () => tableLines(['AT', 'TYPE', 'EVENT', 'ATTEMPT', 'ANSWER'], rows()))
}

async function rotateSecret(tool: Tool, options: RotateOptions, id = ''): Promise<void> {
  const { overlapSeconds, yes } = options
  await agree(tool, yes, `Give ${id} a new secret?`)
  const body = overlapSeconds === undefined ? {} : { overlapSeconds: Number(overlapSeconds) }
  const url = '/api/v1/webhooks/{id}/actions/rotate-secret'
  const made = await bodyOf(tool.api().POST(url, { params: { path: { id } }, body }))
  tool.terminal.note(`The old one signs too until ${made.oldSecretUntil ?? 'now'}. The new one:`)
  tool.show(made, () => [made.secret])
}

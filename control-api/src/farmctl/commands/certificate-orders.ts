// SPDX-License-Identifier: MIT
// Certificates that are ordered and renewed by themselves: which, from whom, and how their orders stand.
import { type Command, Option } from 'commander'
import { type Api, bodyOf, collect, pages, taggedBodyOf } from '../api.ts'
import type { ManagedCertificate, ManagedCertificatePatch } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure, isApiError } from '../failures.ts'
import { tableLines } from '../table.ts'
import { examples } from './examples.ts'
import { waitForOrder } from './order-wait.ts'

type OrderOptions = {
  names?: string
  authority?: string[]
  dnsWebhook?: string
  http01?: boolean
  keyType?: 'ecdsa-p256' | 'rsa-2048'
  preferredChain?: string
  rollOut?: boolean
  now?: boolean
} & Wait
type Wait = { wait?: boolean; timeout: number }
type Sure = { yes?: boolean }

const NAME = 'the certificate’s name, as configs say it'
const BASE = '/api/v1/managed-certificates'

export function registerCertificateOrders(certificates: Command, act: Act): void {
  const order = waiting(certificates.command('order'))
    .description('have a certificate ordered, and renewed from then on; or change how it is')
    .argument('<name>', NAME)
    .option('--names <hosts>', 'the hosts it is for, with commas between')
    .option(
      '--authority <authority[:profile]>',
      'whom from; repeat for who is asked instead when that one cannot be',
      gather,
    )
    .option('--dns-webhook <webhook>', 'prove the hosts by DNS-01, with records that it sets')
    .option('--http-01', 'prove them by HTTP-01 again, which is the default')
    .addOption(new Option('--key-type <type>', 'of its key').choices(['ecdsa-p256', 'rsa-2048']))
    .option('--preferred-chain <root>', 'the root’s common name, of a CA with several; "" for none')
    .option('--roll-out', 'roll out what was renewed by itself; the default')
    .option('--no-roll-out', 'leave it to you')
    .option('--now', 'at once, also when one that is good is there')
  examples(order, [
    'farmctl certificates order shop --names shop.example,www.shop.example --authority letsencrypt --wait',
    "farmctl certificates order wild --names '*.shop.example' --authority letsencrypt:shortlived --dns-webhook dns",
    'farmctl certificates order shop --authority letsencrypt --authority zerossl --now',
  ])
  act<OrderOptions>(order, orderCertificate)

  const orders = certificates
    .command('orders')
    .description('its orders, newest first: the one that is open, and those that ended')
    .argument('<name>', NAME)
  examples(orders, ['farmctl certificates orders shop'])
  act(orders, listOrders)

  const now = waiting(certificates.command('order-now'))
    .description('order it now, whatever its time')
    .argument('<name>', NAME)
  examples(now, ['farmctl certificates order-now shop --wait'])
  act<Wait>(now, async (tool, options, name = '') => {
    const before = await newestOrder(tool.api(), name)
    await run(tool, 'order-now', name)
    await tell(tool, name, before, options)
  })

  const wait = certificates
    .command('wait')
    .description('watch its open order to its end')
    .argument('<name>', NAME)
    .option(...TIMEOUT)
  examples(wait, ['farmctl certificates wait shop --timeout 30'])
  act<Wait>(wait, async (tool, { timeout }, name = '') => {
    const { order: open } = await managed(tool.api(), name)
    const newest = await newestOrder(tool.api(), name)
    // The open one counts; of those that ended it waits for the next.
    const before = open ? null : newest
    await waitForOrder(tool, name, { before, minutes: timeout })
  })

  for (const { word, description } of STEPS) {
    const step = certificates.command(word).description(description).argument('<name>', NAME)
    examples(step, [`farmctl certificates ${word} shop`])
    act(step, async (tool, _options, name = '') => {
      const changed = await run(tool, word, name)
      tool.show(changed, () => stateLines(changed))
    })
  }

  const unmanage = certificates
    .command('unmanage')
    .description('do not renew it any more; the certificate stays')
    .argument('<name>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(unmanage, ['farmctl certificates unmanage shop'])
  act<Sure>(unmanage, async (tool, { yes }, name = '') => {
    const { etag } = await tagged(tool.api(), name)
    await agree(tool, yes, `Do not renew ${name} any more?`)
    const params = { path: { name }, header: { 'if-match': etag } }
    await tool.api().DELETE(`${BASE}/{name}`, { params })
    tool.show({ unmanaged: name }, () => [`${name} is not renewed any more.`])
  })
}

const STEPS = [
  { word: 'pause', description: 'begin no order for it until it is resumed' },
  { word: 'resume', description: 'go on with its renewals' },
  { word: 'cancel', description: 'give up the order that is open' },
] as const
type Step = (typeof STEPS)[number]['word'] | 'order-now'

const TIMEOUT = ['--timeout <minutes>', 'wait at most so long', minutesOf, 10] as const
const waiting = (command: Command) =>
  command.option('--wait', 'watch the order to its end; 1: it failed').option(...TIMEOUT)
const gather = (one: string, all: string[] = []) => [...all, one]

function minutesOf(text: string): number {
  const minutes = Number(text)
  if (minutes > 0 && minutes <= 10_080) return minutes
  throw new Failure(`--timeout ${text}: a number of minutes, at most a week`)
}

const managed = (api: Api, name: string): Promise<ManagedCertificate> =>
  bodyOf(api.GET(`${BASE}/{name}`, { params: { path: { name } } }))
const tagged = (api: Api, name: string) =>
  taggedBodyOf(api.GET(`${BASE}/{name}`, { params: { path: { name } } }))

function run(tool: Tool, step: Step, name: string): Promise<ManagedCertificate> {
  const params = { path: { name } }
  return bodyOf(tool.api().POST(`${BASE}/{name}/actions/${step}`, { params }))
}

/** null: there is none. */
async function newestOrder(api: Api, name: string): Promise<string | null> {
  const params = { path: { name }, query: { limit: 1 } }
  const { items } = await bodyOf(api.GET(`${BASE}/{name}/orders`, { params }))
  return items[0]?.id ?? null
}

async function orderCertificate(tool: Tool, options: OrderOptions, name = ''): Promise<void> {
  const api = tool.api()
  const known = await tagged(api, name).catch((error: unknown) => {
    if (isApiError(error, 'managed_certificate_not_found')) return null
    throw error
  })
  const patch = patchOf(options)
  const before = known && (await newestOrder(api, name))
  if (!known) {
    const { names, authorities, ...more } = patch
    if (!names || !authorities) {
      throw new Failure(
        `"${name}" is not ordered yet: say --names and --authority, as in: farmctl certificates order ${name} --names ${name}.example --authority letsencrypt`,
      )
    }
    const orderNow = options.now === true
    await bodyOf(api.POST(BASE, { body: { name, names, authorities, ...more, orderNow } }))
  } else {
    if (Object.keys(patch).length > 0) {
      const params = { path: { name }, header: { 'if-match': known.etag } }
      await bodyOf(api.PATCH(`${BASE}/{name}`, { params, body: patch }))
    } else if (!options.now) {
      throw new Failure('Nothing to change. To order it now: add --now')
    }
    if (options.now) await run(tool, 'order-now', name)
  }
  await tell(tool, name, before, options)
}

function patchOf(options: OrderOptions): ManagedCertificatePatch {
  const { names, authority, dnsWebhook, http01, keyType, preferredChain, rollOut } = options
  if (dnsWebhook !== undefined && http01) {
    throw new Failure('--dns-webhook and --http-01 exclude each other.')
  }
  return {
    ...(names !== undefined && { names: names.split(',').map((one) => one.trim()) }),
    ...(authority && { authorities: authority.map(authorityOf) }),
    ...(http01 && { challenge: { type: 'http-01' as const } }),
    ...(dnsWebhook !== undefined && {
      challenge: { type: 'dns-01' as const, webhook: dnsWebhook },
    }),
    ...(keyType && { keyType }),
    ...(preferredChain !== undefined && { preferredChain: preferredChain || null }),
    ...(rollOut !== undefined && { rollOut }),
  }
}

function authorityOf(text: string): { name: string; profile: string | null } {
  const [name = '', ...profile] = text.split(':')
  return { name, profile: profile.length > 0 ? profile.join(':') : null }
}

async function tell(
  tool: Tool,
  name: string,
  before: string | null,
  { wait, timeout }: Wait,
): Promise<void> {
  if (wait) return await waitForOrder(tool, name, { before, minutes: timeout })
  const now = await managed(tool.api(), name)
  tool.show(now, () => stateLines(now))
}

/** What it is, and what comes next. */
function stateLines({ name, state, certificate, next }: ManagedCertificate): string[] {
  const has = certificate
    ? `version ${certificate.version} until ${certificate.notAfter}`
    : 'no certificate yet'
  const then = next.action === 'none' ? '' : `${next.action}${next.at ? ` at ${next.at}` : ''}: `
  return [`${name} is ${state}, with ${has}.`, `Next: ${then}${next.because}`]
}

async function listOrders(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const items = await collect(
    pages((query) =>
      bodyOf(tool.api().GET(`${BASE}/{name}/orders`, { params: { path: { name }, query } })),
    ),
  )
  const rows = () =>
    items.map(({ id, state, authority, profile, startedAt, startedBy, ...one }) => {
      const from = profile === null ? authority : `${authority}:${profile}`
      const said = one.lastError ?? one.waitingFor?.reason ?? ''
      const end = one.endedAt ?? ''
      return [startedAt, end, state, from, startedBy, String(one.version ?? ''), said, id]
    })
  const titles = ['STARTED', 'ENDED', 'STATE', 'FROM', 'BY', 'VERSION', 'SAID', 'ID']
  tool.show({ items }, () => tableLines(titles, rows()))
}

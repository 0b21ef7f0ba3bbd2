// SPDX-License-Identifier: MIT
// Programs that set DNS records for DNS-01. Their secrets are shown once.
import type { Command } from 'commander'
import { bodyOf, taggedBodyOf } from '../api.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { examples } from './examples.ts'

type Sure = { yes?: boolean }

const NAME = 'its name, as in: farmctl get dns-webhooks'
const BASE = '/api/v1/dns-webhooks'

export function registerDnsWebhooks(program: Command, act: Act): void {
  const webhooks = program
    .command('dns-webhooks')
    .description('programs that set the DNS records by which hosts are proven')
  const create = webhooks
    .command('create')
    .description('name one; its secret is shown this once')
    .argument('<name>', 'what to call it')
    .argument('<url>', 'where it listens')
  examples(create, [
    'farmctl dns-webhooks create dns https://dns.example.org/challenges',
    'farmctl dns-webhooks create dns https://dns.example.org/challenges --json | jq -r .secret > secret.txt',
  ])
  act(create, async (tool, _options, name = '', url = '') => {
    const made = await bodyOf(tool.api().POST(BASE, { body: { name, url } }))
    tool.terminal.note(`${name} is there. Its secret is not shown again:`)
    tool.show(made, () => [made.secret])
  })

  const change = webhooks
    .command('change')
    .description('change where it listens')
    .argument('<name>', NAME)
    .argument('<url>', 'where it listens now')
  examples(change, ['farmctl dns-webhooks change dns https://dns2.example.org/challenges'])
  act(change, async (tool, _options, name = '', url = '') => {
    const params = await tagged(tool, name)
    const changed = await bodyOf(tool.api().PATCH(`${BASE}/{name}`, { params, body: { url } }))
    tool.show(changed, () => [`${name} listens at ${changed.url}.`])
  })

  const rotate = webhooks
    .command('rotate-secret')
    .description('give it a new secret, shown this once; the old one signs no more')
    .argument('<name>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(rotate, ['farmctl dns-webhooks rotate-secret dns'])
  act<Sure>(rotate, async (tool, { yes }, name = '') => {
    await agree(tool, yes, `Give ${name} a new secret?`)
    const params = { path: { name } }
    const made = await bodyOf(tool.api().POST(`${BASE}/{name}/actions/rotate-secret`, { params }))
    tool.terminal.note('The new one, which is not shown again:')
    tool.show(made, () => [made.secret])
  })

  const remove = webhooks
    .command('remove')
    .description('forget it')
    .argument('<name>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl dns-webhooks remove dns'])
  act<Sure>(remove, async (tool, { yes }, name = '') => {
    const params = await tagged(tool, name)
    await agree(tool, yes, `Remove ${name}?`)
    await tool.api().DELETE(`${BASE}/{name}`, { params })
    tool.show({ removed: name }, () => [`${name} is removed.`])
  })
}

async function tagged(tool: Tool, name: string) {
  const path = { name }
  const { etag } = await taggedBodyOf(tool.api().GET(`${BASE}/{name}`, { params: { path } }))
  return { path, header: { 'if-match': etag } }
}

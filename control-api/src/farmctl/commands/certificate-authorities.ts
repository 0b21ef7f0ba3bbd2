// SPDX-License-Identifier: MIT
// Whom certificates are ordered from. The key that binds an account is read from a file or standard input.
import type { Command } from 'commander'
import { bodyOf, taggedBodyOf } from '../api.ts'
import type { CertificateAuthority, CertificateAuthorityPatch } from '../api-types.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure } from '../failures.ts'
import { readTextFile } from '../read-text.ts'
import { examples } from './examples.ts'

type AccountOptions = {
  contact?: string[]
  trustedRoots?: string
  eabKeyId?: string
  eabHmacKeyFile?: string
}
type CreateOptions = AccountOptions & { directory?: string; agreeTerms?: boolean }
type Sure = { yes?: boolean }

const NAME = 'its name, as in: farmctl get certificate-authorities'
const BASE = '/api/v1/certificate-authorities'
/** So that nobody has to look them up. */
const KNOWN: Readonly<Record<string, string>> = {
  letsencrypt: 'https://acme-v02.api.letsencrypt.org/directory',
  'letsencrypt-staging': 'https://acme-staging-v02.api.letsencrypt.org/directory',
  zerossl: 'https://acme.zerossl.com/v2/DV90',
  google: 'https://dv.acme-v02.api.pki.goog/directory',
}

export function registerCertificateAuthorities(program: Command, act: Act): void {
  const authorities = program
    .command('certificate-authorities')
    .description('whom certificates are ordered from, by ACME')
  const create = account(authorities.command('create'))
    .description('name one; its account is made with the first order')
    .argument('<name>', `what to call it; these are known: ${Object.keys(KNOWN).join(', ')}`)
    .option('--directory <url>', 'of its ACME directory; of those that are known not needed')
    .option('--agree-terms', 'you have read the CA’s terms of service and agree')
  examples(create, [
    'farmctl certificate-authorities create letsencrypt --agree-terms',
    'farmctl certificate-authorities create zerossl --agree-terms --eab-key-id kid-1 --eab-hmac-key-file hmac.txt',
    'farmctl certificate-authorities create own --directory https://ca.example.org/acme/directory --trusted-roots root.pem --agree-terms',
  ])
  act<CreateOptions>(create, createAuthority)

  const change = account(authorities.command('change'))
    .description('change its account or its roots; with another binding there is another account')
    .argument('<name>', NAME)
  examples(change, ['farmctl certificate-authorities change own --trusted-roots root.pem'])
  act<AccountOptions>(change, changeAuthority)

  const test = authorities
    .command('test')
    .description('ask it now: whether it answers, and which profiles it has; 1 when it does not')
    .argument('<name>', NAME)
  examples(test, ['farmctl certificate-authorities test letsencrypt'])
  act(test, testAuthority)

  const remove = authorities
    .command('remove')
    .description('forget it and the key of its account')
    .argument('<name>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl certificate-authorities remove letsencrypt-staging'])
  act<Sure>(remove, async (tool, { yes }, name = '') => {
    const params = await tagged(tool, name)
    await agree(tool, yes, `Forget ${name}, with the key of its account?`)
    await tool.api().DELETE(`${BASE}/{name}`, { params })
    tool.show({ removed: name }, () => [`${name} is removed.`])
  })
}

const account = (command: Command) =>
  command
    .option('--contact <mail>', 'whom the CA may write to; repeat for more', gather)
    .option(
      '--trusted-roots <file>',
      'PEM: who signed the HTTPS of a CA of your own; "-" for standard input',
    )
    .option('--eab-key-id <id>', 'binds the account to yours at the CA')
    .option('--eab-hmac-key-file <file>', 'with the key that belongs to it; "-" for standard input')

const gather = (one: string, all: string[] = []) => [...all, one]

async function tagged(tool: Tool, name: string) {
  const path = { name }
  const { etag } = await taggedBodyOf(tool.api().GET(`${BASE}/{name}`, { params: { path } }))
  return { path, header: { 'if-match': etag } }
}

const read = (tool: Tool, file: string): Promise<string> | string =>
  file === '-' ? tool.terminal.readAll() : readTextFile(file)

type Account = Pick<CertificateAuthorityPatch, 'contact'> & {
  trustedRoots?: string
  externalAccount?: { keyId: string; hmacKey: string }
}

async function accountOf(tool: Tool, options: AccountOptions): Promise<Account> {
  const { contact, trustedRoots, eabKeyId: keyId, eabHmacKeyFile } = options
  if ((keyId === undefined) !== (eabHmacKeyFile === undefined)) {
    throw new Failure('--eab-key-id and --eab-hmac-key-file belong together.')
  }
  if (trustedRoots === '-' && eabHmacKeyFile === '-') {
    throw new Failure('One of the two can come from standard input, the other from a file.')
  }
  return {
    ...(contact && { contact }),
    ...(trustedRoots !== undefined && { trustedRoots: await read(tool, trustedRoots) }),
    ...(keyId !== undefined &&
      eabHmacKeyFile !== undefined && {
        externalAccount: { keyId, hmacKey: (await read(tool, eabHmacKeyFile)).trim() },
      }),
  }
}

async function createAuthority(tool: Tool, options: CreateOptions, name = ''): Promise<void> {
  const directoryUrl = options.directory ?? KNOWN[name]
  if (directoryUrl === undefined) {
    const known = Object.keys(KNOWN).join(', ')
    throw new Failure(`Where is "${name}"? Say --directory URL; of these it is known: ${known}.`)
  }
  if (!options.agreeTerms) {
    throw new Failure(
      `An account is made in agreement with the CA's terms of service. Read them, then add --agree-terms. They are named in ${directoryUrl} as "termsOfService".`,
    )
  }
  const asked = await accountOf(tool, options)
  const body = { name, directoryUrl, ...asked, termsOfServiceAgreed: true as const }
  const made = await bodyOf(tool.api().POST(BASE, { body }))
  tool.show(made, () => [lineOf(made)])
}

async function changeAuthority(tool: Tool, options: AccountOptions, name = ''): Promise<void> {
  const body = await accountOf(tool, options)
  const params = await tagged(tool, name)
  const changed = await bodyOf(tool.api().PATCH(`${BASE}/{name}`, { params, body }))
  tool.show(changed, () => [lineOf(changed)])
}

const lineOf = ({ name, directoryUrl, state }: CertificateAuthority) =>
  `${name} is ${state}: ${directoryUrl}`

async function testAuthority(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const params = { path: { name } }
  const found = await bodyOf(tool.api().POST(`${BASE}/{name}/actions/test`, { params }))
  const { profiles, termsOfService, externalAccountRequired, reachable, error } = found
  tool.show(found, () =>
    reachable
      ? [
          `${name} answers.`,
          ...(termsOfService ? [`Terms of service: ${termsOfService}`] : []),
          ...(externalAccountRequired ? ['It wants --eab-key-id and --eab-hmac-key-file.'] : []),
          ...profiles.map((one) => `Profile ${one.name}: ${one.description}`),
        ]
      : [`${name} does not answer: ${error}`],
  )
  if (!reachable) throw new Failure('It was not reached.')
}

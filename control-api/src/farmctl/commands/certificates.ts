// SPDX-License-Identifier: MIT
// Certificates of sites. A key is read from a file, sent, and printed nowhere.
import type { Command } from 'commander'
import { bodyOf, collect, pages, taggedBodyOf } from '../api.ts'
import { type Act, agree, type Tool } from '../command.ts'
import { Failure, isApiError, locate } from '../failures.ts'
import { readTextFile } from '../read-text.ts'
import { tableLines } from '../table.ts'
import { registerCertificateOrders } from './certificate-orders.ts'
import { examples } from './examples.ts'

type UploadOptions = { chain: string; key: string; dryRun?: boolean }
type Sure = { yes?: boolean }

const NAME = 'its name, as configs say it'

export function registerCertificates(program: Command, act: Act): void {
  const certificates = program
    .command('certificates')
    .description('what sites are served with over TLS; see them with: farmctl get certificates')
  const upload = certificates
    .command('upload')
    .description('keep a certificate with its key; of a name there is, as its next version')
    .argument('<name>', NAME)
    .requiredOption('--chain <file>', 'PEM: the server’s certificate, then those that issued it')
    .requiredOption('--key <file>', 'PEM of its key, without a passphrase')
    .option('--dry-run', 'only look whether it can be served')
  examples(upload, [
    'farmctl certificates upload shop --chain fullchain.pem --key privkey.pem',
    'farmctl certificates upload shop --chain fullchain.pem --key privkey.pem --dry-run',
  ])
  act<UploadOptions>(upload, uploadCertificate)

  const rollOut = certificates
    .command('roll-out')
    .description('bring its newest version, by waves, to the nodes that have an older one')
    .argument('<name>', NAME)
  examples(rollOut, ['farmctl certificates roll-out shop'])
  act(rollOut, rollOutCertificate)

  registerCertificateOrders(certificates, act)

  const versions = certificates
    .command('versions')
    .description('the versions of a certificate, newest first')
    .argument('<name>', NAME)
  examples(versions, ['farmctl certificates versions shop'])
  act(versions, listVersions)

  const served = certificates
    .command('served')
    .description('which nodes serve it, as they say themselves, and which version')
    .argument('<name>', NAME)
  examples(served, ['farmctl certificates served shop'])
  act(served, listServed)

  const remove = certificates
    .command('remove')
    .description('remove a certificate with all its versions and their keys')
    .argument('<name>', NAME)
    .option('-y, --yes', 'do not ask')
  examples(remove, ['farmctl certificates remove shop'])
  act<Sure>(remove, async (tool, { yes }, name = '') => {
    const { etag } = await tagged(tool, name)
    await agree(tool, yes, `Remove ${name} with all its versions?`)
    const params = { path: { name }, header: { 'if-match': etag } }
    await tool.api().DELETE('/api/v1/certificates/{name}', { params })
    tool.show({ removed: name }, () => [`${name} is removed.`])
  })
}

const tagged = (tool: Tool, name: string) =>
  taggedBodyOf(tool.api().GET('/api/v1/certificates/{name}', { params: { path: { name } } }))

async function uploadCertificate(
  tool: Tool,
  { chain, key, dryRun }: UploadOptions,
  name = '',
): Promise<void> {
  const body = { chain: readTextFile(chain), key: readTextFile(key) }
  const known = await tagged(tool, name).catch((error: unknown) => {
    if (isApiError(error, 'certificate_not_found')) return null
    throw error
  })
  const query = dryRun ? { dryRun: '1' as const } : {}
  const sent = known
    ? tool.api().POST('/api/v1/certificates/{name}/versions', {
        params: { path: { name }, header: { 'if-match': known.etag }, query },
        body,
      })
    : tool.api().POST('/api/v1/certificates', { params: { query }, body: { name, ...body } })
  const kept = await locate({ '/chain': chain, '/key': key }, bodyOf(sent))
  const { names, warnings, notAfter } = 'dryRun' in kept ? kept : kept.latestVersion
  for (const { message, hint, line } of warnings) {
    tool.terminal.note(`${chain}:${line}: ${message} (${hint})`)
  }
  const about = `${names.join(', ')}; until ${notAfter}`
  tool.show(kept, () => [
    'dryRun' in kept
      ? `${name} could be kept: ${about}`
      : `${name} has version ${kept.latestVersion.number}: ${about}`,
  ])
}

async function rollOutCertificate(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const url = '/api/v1/certificates/{name}/actions/roll-out'
  const { items } = await bodyOf(tool.api().POST(url, { params: { path: { name } } }))
  const lines = items.map(
    ({ config, version, rolloutId, refused }) =>
      `${config} version ${version}: ${rolloutId ?? refused}`,
  )
  tool.show({ items }, () => (lines.length > 0 ? lines : ['All nodes have its newest version.']))
  const refused = items.filter(({ rolloutId }) => rolloutId === null).length
  if (refused > 0) throw new Failure(`${refused} of ${items.length} rollouts were not started.`)
}

async function listVersions(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const url = '/api/v1/certificates/{name}/versions'
  const items = await collect(
    pages((query) => bodyOf(tool.api().GET(url, { params: { path: { name }, query } }))),
  )
  const rows = () =>
    items.map(({ number, names, notAfter, source, createdBy, fingerprint }) => {
      return [String(number), notAfter, source, createdBy, names.join(','), fingerprint]
    })
  const titles = ['VERSION', 'UNTIL', 'BY', 'WHO', 'HOSTS', 'FINGERPRINT']
  tool.show({ items }, () => tableLines(titles, rows()))
}

async function listServed(tool: Tool, _options: unknown, name = ''): Promise<void> {
  const url = '/api/v1/certificates/{name}/served'
  const items = await collect(
    pages((query) => bodyOf(tool.api().GET(url, { params: { path: { name }, query } }))),
  )
  const rows = () =>
    items.map(({ node, host, version, notAfter, since }) => {
      return [node.name, host, String(version), notAfter, since]
    })
  const titles = ['NODE', 'HOST', 'VERSION', 'UNTIL', 'SINCE']
  tool.show({ items }, () => tableLines(titles, rows()))
}

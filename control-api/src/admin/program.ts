// SPDX-License-Identifier: MIT
// The operator's commands, run on the control plane's machine as the user that owns the data folder.
// They work while the service runs: both write the same database, each waiting for the other.
import { readFile } from 'node:fs/promises'
import { buffer as readStream } from 'node:stream/consumers'
import { Command, CommanderError, InvalidArgumentError } from 'commander'
import { AppError, NotUtf8 } from '../api-shapes/errors.ts'
import { visible } from '../base/terminal-text.ts'
import { decodeUtf8 } from '../base/utf8.ts'
import { bundleOf, type Ca, ensureCa, readNextCa, requireCa } from '../ca/authority.ts'
import { beginRotation, finishRotation, recreateCa } from '../ca/rotation.ts'
import { raiseEpoch } from '../control-plane/epoch.ts'
import { openStore } from '../db/open.ts'
import { readStoreConfig, readUnknownNames, type StoreConfig } from '../environment/config.ts'
import { certificateNames } from '../features/configs/check/certificate-names.ts'
import { releaseNames } from '../features/configs/check/release-check.ts'
import { createValidateAuthors } from '../features/configs/check/validate-authors.ts'
import { createValidate } from '../features/configs/check/validation.ts'
import { startTextWork } from '../features/configs/text-work.ts'
import { importConfig } from '../features/configs/versions.ts'
import { createToken, DEFAULT_LIFE_SECONDS } from '../features/enrolment-tokens/tokens.ts'
import { letAdminIn } from '../features/session/break-glass.ts'
import { newSetupToken } from '../features/session/setup.ts'
import { createNodeCheck } from '../node-check/node-check.ts'
import { hasIssued, laggards } from '../node-identity/store/certificates.ts'
import { explainFailure } from '../process/failures.ts'
import { openServices, type Services, version } from '../process/services.ts'
import { takeSharedKeys } from '../replicas/shared-keys.ts'
import { addBackupCommands } from './backup.ts'
import { addMoveCommand } from './move.ts'
import { describeVerified, type Verified, verifyDatabase, verifyFile } from './verify-audit.ts'

const OPERATOR = 'operator'
const FAILED = 1
const BAD_USAGE = 2

const program = new Command('admin')
  .description(
    'Commands for the operator of a Farmstead control plane (FARMSTEAD_DATA_DIR names its data)',
  )
  .version(version)
  .exitOverride()

program
  .command('init')
  .description('make the databases, and a new set-up token as long as there is no user')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: boolean }) => {
    await withServices(async (services) => {
      const setupToken = await newSetupToken(services.write)
      if (json) print({ setupToken })
      else if (setupToken)
        say(`Open /setup#${setupToken} of the console: it makes the first administrator.`)
      else say('Nothing to do: there are users. `reset-admin-password` lets an administrator in.')
    })
  })

program
  .command('reset-admin-password')
  .description('let an administrator in again: a one-time password, no second factor, enabled')
  .option('--user <name>', 'whom; made when nobody has the name', parseUsername, 'admin')
  .option('--json', 'print JSON')
  .action(async ({ user, json }: { user: string; json?: boolean }) => {
    await withServices(async (services) => {
      const login = await letAdminIn(services, user)
      if (json) print(login)
      else say(`Sign in as ${login.username} with ${login.password} (once; then choose your own).`)
    })
  })

program
  .command('raise-epoch')
  .description(
    'after the database was put back from a backup: make nodes obey this control plane again',
  )
  .requiredOption('--yes', 'really: no other control plane of these nodes is running')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: boolean }) => {
    await withServices(async ({ write }) => {
      const raised = await raiseEpoch(write, OPERATOR)
      if (json) print(raised)
      else if (raised.epoch === null && raised.wasInRecovery)
        say('Confirmed: this control plane goes on. Restart the service.')
      else if (raised.epoch === null)
        say('Nothing to do: no node is known to have obeyed a newer control plane.')
      else
        say(
          `The next start is above epoch ${raised.epoch}, which ${raised.nodes.join(', ')} obeyed. Restart the service.`,
        )
    })
  })

type TokenOptions = {
  label: Record<string, string>
  maxUses: number
  expires: number
  mergePatch?: Record<string, unknown>
  forgetAfter?: number
  node?: string
  json?: boolean
}

program
  .command('enrolment-token')
  .description('make a token with which machines become nodes')
  .option('--label <key=value>', 'label of the nodes; repeat for more', addLabel, {})
  .option('--max-uses <n>', 'how many nodes may use it', parseUses, 1)
  .option(
    '--expires <time>',
    'how long it is good: 90s, 30m, 1h, 7d',
    parseDuration,
    DEFAULT_LIFE_SECONDS,
  )
  .option(
    '--merge-patch <json>',
    'what differs on these nodes, over each version (RFC 7396)',
    parseObject,
  )
  .option(
    '--forget-after <hours>',
    'nodes that were away for so long are decommissioned',
    parseHours,
  )
  .option('--node <id>', 'give this node a new identity, instead of making new nodes')
  .option('--json', 'print JSON')
  .action(
    async ({ label, maxUses, expires, mergePatch, forgetAfter, node, json }: TokenOptions) => {
      await withServices(async ({ db, write, now }, { agentUrl, agentTransport, dataDir }) => {
        const fingerprint =
          agentTransport === 'mtls'
            ? (await ensureCa({ dataDir, now, hasIssued: () => hasIssued(db) })).fingerprint
            : null
        const token = await createToken(write, {
          labels: label,
          maxUses,
          expiresInSeconds: expires,
          ...(mergePatch && { mergePatch }),
          ...(forgetAfter !== undefined && { forgetAfterHours: forgetAfter }),
          ...(node && { nodeId: node }),
          scope: null,
          createdBy: null,
          nowMs: now(),
          agentUrl,
          fingerprint,
        })
        if (json) print(token)
        else
          say(
            `Good until ${token.expiresAt} for ${maxUses} node(s). On the node, run:\n  ${token.command}`,
          )
      })
    },
  )

type ImportOptions = {
  name: string
  file: string
  message: string
  release?: boolean
  json?: boolean
}

program
  .command('import-config')
  .description('save a file as a new version; the same text again makes none')
  .requiredOption('--name <config>', 'name of the config', parseName)
  .requiredOption('--file <path>', 'file to read; - is standard input')
  .requiredOption('--message <text>', 'why, for the history')
  .option('--release', 'new nodes get it from now on')
  .option('--json', 'print JSON')
  .action(async ({ name, file, message, release = false, json }: ImportOptions) => {
    const isStdin = file === '-'
    const origin = isStdin ? 'stdin' : file
    const text = readText(isStdin ? await readStream(process.stdin) : await readFile(file), origin)
    await withServices(async ({ db, write, now }, { nodeBinary }) => {
      const nodeCheck = createNodeCheck({ binary: nodeBinary })
      const work = startTextWork()
      const validate = createValidateAuthors(
        createValidate({
          examine: work.examine,
          nodeCheck,
          certificates: certificateNames(db),
          releases: releaseNames(db),
        }),
        work,
      )
      const number = await importConfig(
        { write, validate, sitesIn: work.sitesIn, now },
        { config: name, text, author: OPERATOR, message, release },
      )
        .catch((error: unknown) => {
          throw withPositions(error, origin)
        })
        .finally(work.close)
      if (json) print({ config: name, version: number, released: release })
      else
        say(`${origin} is version ${number} of "${name}"${release ? ', which new nodes get' : ''}.`)
    })
  })

type VerifyOptions = { head?: string; file?: string; json?: boolean }

program
  .command('verify-audit')
  .description('is the audit as it was written? Exit code 1: it is not (docs/audit.md)')
  .option('--head <hash>', 'a head that was noted elsewhere: it must be in the chain', parseHash)
  .option('--file <path>', 'an export as NDJSON, without filters, instead of the database')
  .option('--json', 'print JSON')
  .action(async ({ head, file, json }: VerifyOptions) => {
    const show = (verified: Verified) => {
      if (json) print(verified)
      else for (const line of describeVerified(verified)) say(line)
      if (!verified.ok) process.exitCode = FAILED
    }
    if (file !== undefined) return show(await verifyFile(file, head))
    await withServices(async (services) => show(await verifyDatabase(services, head)))
  })

const ca = program
  .command('ca')
  .description('the CA that makes the nodes’ certificates (docs/nodes-and-identities.md)')

ca.command('status')
  .description('which CA there is, and during a rotation who does not have the new one yet')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: boolean }) => {
    await withServices(async (services, { dataDir }) => {
      const status = await caStatus(services, dataDir)
      if (json) print(status)
      else for (const line of describeCa(status)) say(line)
    })
  })

ca.command('rotate')
  .description('begin to bring in a new CA; the old one stays good until finish-rotation')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: boolean }) => {
    await withServices(async (services, { dataDir }) => {
      const fingerprint = await beginRotation({ dataDir, now: services.now })
      await recordCa(services, 'ca-rotation-begun', { next: fingerprint })
      if (json) print({ fingerprint })
      else
        say(
          `The new CA is ${fingerprint}. A running service takes it up within ten seconds; nodes that are connected have it a minute later. "admin ca status" shows who is missing.`,
        )
    })
  })

ca.command('finish-rotation')
  .description('let the old CA go, once every node has the new one')
  .option('--force', 'also when nodes are missing: they must join again')
  .option('--json', 'print JSON')
  .action(async ({ force = false, json }: { force?: boolean; json?: boolean }) => {
    await withServices(async (services, { dataDir }) => {
      const { untold, outgoing } = await caStatus(services, dataDir)
      const before = requireCa(dataDir).fingerprint
      const fingerprint = finishRotation(dataDir, { untold, outgoing }, force)
      await recordCa(services, 'ca-rotation-finished', { before, after: fingerprint, force })
      if (json) print({ fingerprint })
      else say(`The CA is ${fingerprint} now. Tokens that were made before this are worth nothing.`)
    })
  })

ca.command('recreate')
  .description('make a new CA in place of one that is lost: every node must join again')
  .requiredOption('--yes', 'really')
  .option('--json', 'print JSON')
  .action(async ({ json }: { json?: boolean }) => {
    await withServices(async (services, { dataDir }) => {
      const fingerprint = await recreateCa({ dataDir, now: services.now })
      await recordCa(services, 'ca-recreated', { after: fingerprint })
      if (json) print({ fingerprint })
      else say(`The CA is ${fingerprint} now. Every node needs a new token: --node <id>.`)
    })
  })

addBackupCommands(program, { print, say, withServices })
addMoveCommand(program, { print, say })
/** After the files changed: those can't be part of a transaction. */
function recordCa(
  { write, controlPlaneId }: Services,
  action: string,
  data: Record<string, unknown>,
) {
  return write(({ emit }) =>
    emit({ kind: 'system', id: controlPlaneId, action, actor: OPERATOR, data }),
  )
}

type CaStatus = {
  fingerprint: string
  notAfter: string
  next: { fingerprint: string; notAfter: string } | null
  untold: string[]
  outgoing: string[]
}

async function caStatus({ db, now }: Services, dataDir: string): Promise<CaStatus> {
  const current = requireCa(dataDir)
  const next = readNextCa(dataDir)
  const missing = next
    ? await laggards(db, {
        caSha256: current.sha256,
        bundle: bundleOf([next, current]).digest,
        nowMs: now(),
      })
    : { untold: [], outgoing: [] }
  const view = ({ fingerprint, notAfterMs }: Ca) => ({
    fingerprint,
    notAfter: new Date(notAfterMs).toISOString(),
  })
  return { ...view(current), next: next && view(next), ...missing }
}

function describeCa({ fingerprint, notAfter, next, untold, outgoing }: CaStatus): string[] {
  const names = (list: string[]) => (list.length === 0 ? 'nobody' : list.join(', '))
  return [
    `CA      ${fingerprint}  good until ${notAfter}`,
    ...(next
      ? [
          `next    ${next.fingerprint}  good until ${next.notAfter}`,
          `not told of it yet:           ${names(untold)}`,
          `certificates of the old one:  ${names(outgoing)}`,
        ]
      : []),
  ]
}

async function run(): Promise<void> {
  for (const sentence of readUnknownNames()) process.stderr.write(`admin: ${sentence}\n`)
  try {
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed what is wrong.
      process.exitCode = error.exitCode === 0 ? 0 : BAD_USAGE
      return
    }
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    const explained =
      code === 'ENOENT' && error instanceof Error ? error.message : explainFailure(error, undefined)
    process.stderr.write(
      `admin: ${explained ?? (error instanceof Error ? error.stack : String(error))}\n`,
    )
    process.exitCode = FAILED
  }
}

async function withServices(
  work: (services: Services, config: StoreConfig) => Promise<void>,
): Promise<void> {
  const config = readStoreConfig()
  const store = config.databaseUrl === null ? undefined : await openStore(config)
  try {
    // Before anything is made of the folder's; what a command makes of the CA is all replicas'.
    const keys = store && (await takeSharedKeys({ ...config, db: store.db }))
    const services = await openServices({ ...config, store })
    try {
      await work(services, config)
      await keys?.look()
    } finally {
      await services.close()
    }
  } finally {
    await store?.db.destroy()
  }
}

/** As compilers say it, so that editors can jump there. */
/** What is not UTF-8 would be kept as another text. */
function readText(bytes: Uint8Array, file: string): string {
  const decoded = decodeUtf8(bytes)
  if (decoded.ok) return decoded.text
  const { line, column, what } = decoded.fault
  throw new NotUtf8(`${file}:${line}:${column}: ${what}`)
}

function withPositions(error: unknown, file: string): unknown {
  if (!(error instanceof AppError) || !error.errors?.length) return error
  const lines = error.errors.map(
    ({ line, column, message, hint }) =>
      `${file}:${line}:${column}: ${message}${hint ? ` (${hint})` : ''}`,
  )
  return new AppError(
    error.statusCode,
    error.code,
    error.title,
    [error.message, ...lines].join('\n'),
  )
}

function addLabel(text: string, labels: Record<string, string>): Record<string, string> {
  const [, key, value] = /^([a-z][a-z0-9_.-]{0,62})=(.{0,128})$/.exec(text) ?? []
  if (!key || value === undefined) {
    throw new InvalidArgumentError('write it as key=value; keys are lower case, as in zone=north')
  }
  return { ...labels, [key]: value }
}

function parseUses(text: string): number {
  const uses = Number(text)
  if (Number.isInteger(uses) && uses >= 1 && uses <= 1000) return uses
  throw new InvalidArgumentError('must be 1–1000')
}

function parseHours(text: string): number {
  const hours = Number(text)
  if (Number.isInteger(hours) && hours >= 1 && hours <= 8760) return hours
  throw new InvalidArgumentError('must be 1–8760')
}

function parseUsername(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(text)) return text
  throw new InvalidArgumentError('names are letters, digits, ".", "_", "@" and "-"')
}

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

function parseDuration(text: string): number {
  const [, amount, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const seconds = Number(amount) * (SECONDS[unit] ?? Number.NaN)
  if (seconds >= 60 && seconds <= 30 * 86_400) return seconds
  throw new InvalidArgumentError('write it as 90s, 30m, 1h or 7d, from 60 s to 30 d')
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>
    }
  } catch {
    // Said below, as for JSON that is no object.
  }
  throw new InvalidArgumentError('must be a JSON object, as in {"limits":{"connections":1000}}')
}

function parseHash(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text
  throw new InvalidArgumentError(
    'must be 64 hexadecimal digits, as the log and this command print it',
  )
}

function parseName(text: string): string {
  if (/^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$/.test(text)) return text
  throw new InvalidArgumentError('names are lower-case letters, digits, dots and dashes')
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

function say(line: string): void {
  process.stdout.write(`${visible(line)}\n`)
}

await run()

// SPDX-License-Identifier: MIT
// The operator's commands about backups. The only ones that ever see an identity, and they run where
// somebody put it: the service knows recipients alone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { createBackup } from '../backup/create.ts'
import { NoRecipients } from '../backup/errors.ts'
import type { Manifest } from '../backup/manifest.ts'
import { restoreBackup } from '../backup/restore.ts'
import { isRecipient, newIdentity, readIdentities } from '../backup/seal.ts'
import { unpackBackup } from '../backup/unpack.ts'
import { beginRecovery } from '../control-plane/recovery.ts'
import { migrations } from '../db/migrate.ts'
import { readStoreConfig, type StoreConfig } from '../environment/config.ts'
import { openServices, type Services, version } from '../process/services.ts'

type Io = {
  print: (value: unknown) => void
  say: (line: string) => void
  withServices: (work: (services: Services, config: StoreConfig) => Promise<void>) => Promise<void>
}

const knownSteps = Object.keys(migrations).sort()

export function addBackupCommands(program: Command, io: Io): void {
  addKey(program, io)
  addBackup(program, io)
  addVerify(program, io)
  addRestore(program, io)
}

function addKey(program: Command, { print, say }: Io): void {
  program
    .command('backup-key')
    .description('make the key that opens backups; keep its file away from this machine')
    .requiredOption('--to <file>', 'file to write; it must not be there yet')
    .option('--json', 'print JSON')
    .action(async ({ to, json }: { to: string; json?: boolean }) => {
      const { identity, recipient } = await newIdentity()
      const text = `# public key: ${recipient}\n${identity}\n`
      writeFileSync(to, text, { flag: 'wx', mode: 0o600, flush: true })
      if (json) print({ recipient })
      else
        say(
          `${to} opens backups that are encrypted to\n  ${recipient}\nSet FARMSTEAD_BACKUP_RECIPIENTS to that, and keep ${to} elsewhere: without it backups are worth nothing, with it they are open.`,
        )
    })
}

type BackupOptions = { to: string; recipient: string[]; json?: boolean }

function addBackup(program: Command, { print, say, withServices }: Io): void {
  program
    .command('backup')
    .description('write an encrypted backup; the service may run')
    .requiredOption('--to <file>', 'file to write; what is there is replaced')
    .option(
      '--recipient <age1…>',
      'who can open it; repeat for more. Left out: FARMSTEAD_BACKUP_RECIPIENTS',
      addRecipient,
      [],
    )
    .option('--json', 'print JSON')
    .action(async ({ to, recipient, json }: BackupOptions) => {
      await withServices(async ({ now }, { dataDir, databaseUrl, backups }) => {
        const recipients = recipient.length > 0 ? recipient : (backups?.recipients ?? [])
        if (recipients.length === 0) throw new NoRecipients()
        const order = {
          dataDir,
          databaseUrl,
          to: resolve(to),
          recipients,
          version,
          createdAtMs: now(),
        }
        const facts = await createBackup(order)
        if (json) print({ file: order.to, ...facts })
        else say(`${order.to}: ${facts.sizeBytes} bytes, sha256 ${facts.sha256}`)
      })
    })
}

const SHA256_HELP = 'refuse any other file: as the list of backups and the audit have it'

function sha256Of(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text
  throw new InvalidArgumentError('a SHA-256 is 64 hexadecimal digits.')
}

type VerifyOptions = { identity: string; sha256?: string; json?: boolean }

function addVerify(program: Command, { print, say }: Io): void {
  program
    .command('verify-backup')
    .description('open a backup and check everything in it; changes nothing, needs no data folder')
    .argument('<file>', 'the backup')
    .requiredOption('--identity <file>', 'the key that opens it (AGE-SECRET-KEY-1…)')
    .option('--sha256 <hex>', SHA256_HELP, sha256Of)
    .option('--json', 'print JSON')
    .action(async (file: string, { identity, sha256, json }: VerifyOptions) => {
      const home = mkdtempSync(join(tmpdir(), 'farmstead-verify-'))
      try {
        const source = { file, identities: readIdentities(identity), knownSteps, sha256 }
        const manifest = await unpackBackup(source, join(home, 'content'))
        if (json) print(manifest)
        else say(`${file} is whole. ${tell(manifest)}`)
      } finally {
        rmSync(home, { recursive: true, force: true })
      }
    })
}

type RestoreOptions = { identity: string; sha256?: string; replace?: boolean; json?: boolean }

function addRestore(program: Command, { print, say }: Io): void {
  program
    .command('restore')
    .description('put a backup into the data folder; the service must be stopped')
    .argument('<file>', 'the backup')
    .requiredOption('--identity <file>', 'the key that opens it (AGE-SECRET-KEY-1…)')
    .requiredOption('--yes', 'really: no other control plane of these nodes is running')
    .option('--sha256 <hex>', SHA256_HELP, sha256Of)
    .option('--replace', 'put aside what the data folder holds')
    .option('--json', 'print JSON')
    .action(async (file: string, { identity, sha256, replace = false, json }: RestoreOptions) => {
      const { dataDir, databaseUrl } = readStoreConfig()
      const nowMs = Date.now()
      const restored = await restoreBackup({
        dataDir,
        file,
        identities: readIdentities(identity),
        knownSteps,
        sha256,
        replace,
        nowMs,
        prepare: (dir, manifest) => prepareForStart(dir, manifest, nowMs),
      })
      if (json) print(restored)
      else {
        say(`${dataDir} holds the backup now. ${tell(restored.manifest)}`)
        if (restored.putAside) say(`What was there is in ${restored.putAside}.`)
        say(
          databaseUrl === null
            ? 'Start the service. Nodes serve on and get nothing until you confirm in the console.'
            : 'Now run "admin migrate-to-postgres": DATABASE_URL must name an empty database. Then start the service; nodes serve on and get nothing until you confirm in the console.',
        )
      }
    })
}

/** Brings it to this version's schema, and has the service wait for the operator's word. */
async function prepareForStart(dir: string, manifest: Manifest, nowMs: number): Promise<void> {
  const services = await openServices({ dataDir: dir })
  try {
    const recovery = { restoredAtMs: nowMs, backupCreatedAtMs: Date.parse(manifest.createdAt) }
    await services.write((unit) => beginRecovery(unit, recovery))
  } finally {
    await services.close()
  }
}

function tell({ controlPlaneId, createdAt, epoch, schema, files }: Manifest): string {
  return `It is of ${createdAt}, of control plane ${controlPlaneId} in epoch ${epoch}, schema ${schema}, with ${files.map(({ name }) => name).join(', ')}.`
}

function addRecipient(text: string, recipients: string[]): string[] {
  if (isRecipient(text)) return [...recipients, text]
  throw new InvalidArgumentError('must be an age public key, as in age1…')
}

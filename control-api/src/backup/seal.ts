// SPDX-License-Identifier: MIT
// Encryption to recipients (age, C2SP.org/age): who makes backups cannot read them. Streams, so that the
// memory it takes does not grow with the database.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { NoIdentity } from './errors.ts'

const require = createRequire(import.meta.url)
/** Sixty files that most starts do not need: not before a recipient is named or a backup made. Node.js keeps it. */
const age = () => require('age-encryption') as typeof import('age-encryption')

export function isRecipient(text: string): boolean {
  try {
    const { Encrypter } = age()
    new Encrypter().addRecipient(text)
    return true
  } catch {
    return false
  }
}

export async function encrypt(plain: Readable, recipients: readonly string[]): Promise<Readable> {
  const { Encrypter } = age()
  const encrypter = new Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return Readable.from(await encrypter.encrypt(webStream(plain)))
}

export async function decrypt(sealed: Readable, identities: readonly string[]): Promise<Readable> {
  const { Decrypter } = age()
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return Readable.from(await decrypter.decrypt(webStream(sealed)))
}

const webStream = (from: Readable) => ReadableStream.from<Uint8Array>(from)

/** As age-keygen writes it: comments, and a line for each identity. */
export function readIdentities(file: string): string[] {
  const lines = readFileSync(file, 'utf8').split(/\s+/)
  const identities = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'))
  if (identities.length === 0) throw new NoIdentity(file)
  return identities
}

export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
  const { generateX25519Identity, identityToRecipient } = age()
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

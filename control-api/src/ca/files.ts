// SPDX-License-Identifier: MIT
// Keys on disk: one file holds a private key and its certificate, so that neither is ever there without
// the other. Written beside and renamed; readable by their owner alone, or refused.
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { modeForOthers } from '../base/private-file.ts'
import { syncFolder } from '../base/sync-folder.ts'
import { CaRefused } from './errors.ts'
import type { KeyAndCertificate } from './x509.ts'

const BLOCK = (what: string) =>
  new RegExp(`-----BEGIN ${what}-----[^-]+-----END ${what}-----\n?`, 'g')

/** null: there is none. */
export function readKeyFile(path: string): KeyAndCertificate | null {
  const text = readPrivate(path)
  if (text === null) return null
  const [keyPem, ...moreKeys] = text.match(BLOCK('PRIVATE KEY')) ?? []
  const [certificatePem, ...moreCertificates] = text.match(BLOCK('CERTIFICATE')) ?? []
  if (!keyPem || !certificatePem || moreKeys.length > 0 || moreCertificates.length > 0) {
    throw damaged(path, 'it does not hold one key and one certificate')
  }
  try {
    const key = createPrivateKey(keyPem)
    if (new X509Certificate(certificatePem).checkPrivateKey(key)) return { keyPem, certificatePem }
  } catch {
    throw damaged(path, 'its key or its certificate cannot be read')
  }
  throw damaged(path, 'its key and its certificate do not belong together')
}

/** Tells one state of a file from another, cheaply. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats ? `${stats.ino}.${stats.mtimeMs}.${stats.size}` : 'none'
}

function readPrivate(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return null
  const mode = modeForOthers(stats.mode)
  if (mode !== null) {
    throw new CaRefused(
      `${path} can be read by others (mode ${mode}). If nobody else had access to it, "chmod 600 ${path}"; else also bring in a new CA (docs/nodes-and-identities.md).`,
    )
  }
  return readFileSync(path, 'utf8')
}

const damaged = (path: string, why: string) =>
  new CaRefused(
    `${path} is damaged: ${why}. Restore it from a backup; the nodes go on serving meanwhile.`,
  )

/** Replaces what is there, whole or not at all. */
export function replaceKeyFile(path: string, content: KeyAndCertificate): void {
  const beside = writeBeside(path, content)
  renameSync(beside, path)
  syncFolder(dirname(path))
}

/** False: another process was faster, and its file stands. */
export function createKeyFile(path: string, content: KeyAndCertificate): boolean {
  const beside = writeBeside(path, content)
  try {
    linkSync(beside, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    unlinkSync(beside)
  }
  syncFolder(dirname(path))
  return true
}

/** `from` takes the place of `to`. */
export function moveKeyFile(from: string, to: string): void {
  renameSync(from, to)
  syncFolder(dirname(to))
}

function writeBeside(path: string, { keyPem, certificatePem }: KeyAndCertificate): string {
  const beside = `${path}.${randomBytes(6).toString('hex')}.new`
  const file = openSync(beside, 'wx', 0o600)
  try {
    writeSync(file, keyPem + certificatePem)
    fsyncSync(file)
    return beside
  } catch (error) {
    unlinkSync(beside)
    throw error
  } finally {
    closeSync(file)
  }
}

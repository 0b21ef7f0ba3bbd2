// SPDX-License-Identifier: MIT
// A certificate and its key in two PEM files, as ACME clients and administrators leave them: held against all that is
// asked of an uploaded one, and refused in words that name the variable and the file.
import { readFileSync, statSync } from 'node:fs'
import { readMaterial } from '../certificates/read.ts'
import { ConfigRefused } from '../environment/config.ts'
import type { CertificateFiles } from '../environment/tls.ts'
import type { Served, Source } from './source.ts'

const CHAIN = 'FARMSTEAD_TLS_CERTIFICATE_FILE'
const KEY = 'FARMSTEAD_TLS_KEY_FILE'

/** What is said of an upload would mislead who looks at a file. */
const OF_FILES: Record<string, string> = {
  key_encrypted:
    'this key is encrypted with a passphrase, and nobody is there to type it at the start; write it without one, readable for this user alone: "openssl pkey -in FILE -out PLAIN"',
  key_in_chain: `here is a private key, which belongs into the file of ${KEY}; clients are shown all of this one`,
}

export function certificateFiles(
  { chainFile, keyFile }: CertificateFiles,
  now: () => number,
): Source {
  return {
    stamp: async () => `${stampOf(chainFile)} ${stampOf(keyFile)}`,
    read: async () => readFiles({ chainFile, keyFile }, now()),
    place: chainFile,
  }
}

/** Links are followed: a renewal may only turn one. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path)
    return [ino, size, mtimeMs, ctimeMs].join(':')
  } catch {
    return 'none'
  }
}

function readFiles(files: { chainFile: string; keyFile: string }, nowMs: number): Served {
  const problems: string[] = []
  const chain = textOf(CHAIN, files.chainFile, problems)
  const key = textOf(KEY, files.keyFile, problems)
  if (chain === null || key === null) throw new ConfigRefused(problems)
  const found = readMaterial({ chain, key }, nowMs)
  if (!found.ok) {
    throw new ConfigRefused(
      found.errors.map(({ pointer, line, code, message, hint }) => {
        const [variable, path] =
          pointer === '/key' ? [KEY, files.keyFile] : [CHAIN, files.chainFile]
        return `${variable}, ${path}:${line}: ${OF_FILES[code] ?? `${message}; ${hint}`}`
      }),
    )
  }
  const { chainPem, keyPem, fingerprint, names, notAfterMs, warnings } = found.material
  return {
    ...{ chain: chainPem, key: keyPem, fingerprint, names, notAfterMs },
    warnings: warnings.map(({ message }) => message),
  }
}

function textOf(variable: string, path: string, problems: string[]): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    problems.push(
      `${variable} names ${path}, which cannot be read (${code}): ${
        code === 'ENOENT'
          ? 'put the PEM file there, or name the one there is'
          : 'let the user of the control plane read the file and search its folders'
      }`,
    )
    return null
  }
}

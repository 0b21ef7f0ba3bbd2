// SPDX-License-Identifier: MIT
// Files of this computer, as far as they may be a config's: keys, passwords and what is no text stay here.
import { t } from '../../../languages/t.ts'
import type { KnownImports } from '../../../lib/api-types.ts'
import { formatBytes, formatCount } from '../../../lib/format.ts'
import { type GivenFile, type LeftOut, placedNames } from './input.ts'

/** `name`: from the folder that was chosen, which is its first part. */
export type FoundFile = { name: string; file: Pick<File, 'size' | 'arrayBuffer'> }
type Read = { files: GivenFile[]; leftOut: LeftOut[] }

/** Of a folder, with those below: whoever takes hold of all of a disk waits for nothing. */
export const MOST_LOOKED_AT = 5000
/** A character has at most this many in the texts that people write. */
const BYTES_OF_CHARACTER = 4
/** Text that is kept to look through: far above what an import may have, and what a tab can hold. */
const MOST_BYTES = 32 * 1024 * 1024

const NARROWER = t('Choose the folder of the config alone, such as /etc/nginx.')
export const TOO_MANY = t('There are more than {mostLookedAt} files and folders. {narrower}', {
  mostLookedAt: formatCount(MOST_LOOKED_AT),
  narrower: NARROWER,
})

export async function readFiles(found: readonly FoundFile[], known: KnownImports): Promise<Read> {
  if (found.length === 0) throw new Error('There is no file in it.')
  if (found.length > MOST_LOOKED_AT) throw new Error(TOO_MANY)
  const mostBytes = known.mostCharacters * BYTES_OF_CHARACTER
  const sizes = found.map(({ file }) => (file.size > mostBytes ? 0 : file.size))
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes > MOST_BYTES) {
    throw new Error(`These files have ${formatBytes(bytes)} together. ${NARROWER}`)
  }
  const names = placedNames(
    found.map(({ name }) => name),
    known,
  )
  const read: Read = { files: [], leftOut: [] }
  for (const [i, { file }] of found.entries()) {
    const name = names[i] ?? ''
    const one = file.size > mostBytes ? TOO_LARGE : await textOf(file)
    const why = typeof one === 'string' ? whyLeftOut(name, one) : one.why
    if (typeof one === 'string' && why === null) read.files.push({ name, text: one })
    else read.leftOut.push({ name, why: why ?? '' })
  }
  return read
}

const TOO_LARGE = { why: t('too large for a config') }

async function textOf(file: FoundFile['file']): Promise<string | { why: string }> {
  try {
    return decoded(await file.arrayBuffer())
  } catch {
    return { why: t('could not be read') }
  }
}

/** Old configs have comments from before UTF-8. */
function decoded(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const PASSWORD =
  /^[^:\s]+:(\$[0-9a-z]+\$|\{(SHA|SSHA|PLAIN)\}|[./0-9A-Za-z]{13}(:|$)|[0-9a-f]{32}$|[^:]+:[0-9a-f]{32}$)/

/** Why a file is no part of a config, or is nobody's to send; null: it may be one. */
export function whyLeftOut(name: string, text: string): string | null {
  if (text.includes('\0')) return t('not a text')
  if (/^-----BEGIN [A-Z0-9 ]+-----/m.test(text)) return t('a key or a certificate')
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  const isPasswords = lines.length > 0 && lines.every((line) => PASSWORD.test(line))
  return isPasswords || /htpasswd|htdigest/i.test(name) ? t('passwords') : null
}

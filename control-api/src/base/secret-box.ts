// SPDX-License-Identifier: MIT
// Secrets the service must be able to read again (a second factor's, a webhook's), sealed at rest with a
// key that lies beside the database: a copy of the database alone opens none of them.
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { KeyFileRefused, keptKey } from './key-file.ts'

export type SecretBox = {
  /** `purpose` names whose secret it is: one sealed for another row or use does not open. */
  seal(secret: string, purpose: string): string
  /** Throws SecretNotReadable. */
  open(sealed: string, purpose: string): string
  /** A digest that nobody can try guesses at who has only the database. */
  digest(text: string, purpose: string): string
}

export class SecretNotReadable extends Error {
  constructor() {
    super(
      'A stored secret cannot be opened: secrets.key in the data folder is not the one it was sealed with, or the row was changed.',
    )
  }
}

const FORMAT = 'box1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function openSecretBox(dataDir: string): SecretBox {
  const key = loadKey(join(dataDir, 'secrets.key'))
  return {
    seal(secret, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose))
      const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${FORMAT}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`
    },
    open(sealed, purpose) {
      const [format, text = ''] = sealed.split('.', 2)
      const bytes = Buffer.from(text, 'base64url')
      if (format !== FORMAT || bytes.length < NONCE_BYTES + TAG_BYTES) throw new SecretNotReadable()
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        const opened = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([opened, decipher.final()]).toString('utf8')
      } catch {
        throw new SecretNotReadable()
      }
    },
    digest: (text, purpose) =>
      createHmac('sha256', key).update(`${purpose}\n${text}`).digest('hex'),
  }
}

function loadKey(path: string): Buffer {
  const key = Buffer.from(keptKey(path, KEY_BYTES), 'base64url')
  if (key.length === KEY_BYTES) return key
  throw new KeyFileRefused(
    `${path} does not hold a key of ${KEY_BYTES} bytes: restore it from a backup.`,
  )
}

// SPDX-License-Identifier: MIT
// With a pass a node takes the contents of one manifest from others (server-c/agent-protocol/README.md, "Neighbours"): givers
// ask nobody, they look at the signature. It is for one key, so that who copies it has nothing.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** It is asked for anew long before: with each question. */
export const PASS_MS = 3600_000
const PREFIX = 'farmstead neighbour pass '
/** Of an Ed25519 key, the last bytes of its DER are the key itself. */
const KEY_BYTES = 32

/** Both as text: the public key in hex, as nodes get it. */
export type PassKey = { publicKey: string; privateKey: string }

export function makePassKey(): PassKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ format: 'der', type: 'spki' })
  return {
    publicKey: der.subarray(-KEY_BYTES).toString('hex'),
    privateKey: privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64'),
  }
}

export const readPassKey = (privateKey: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })

export type PassFor = { manifestSha256: string; takerKeySha256: string; notAfterMs: number }

export function passOf(
  key: KeyObject,
  { manifestSha256, takerKeySha256, notAfterMs }: PassFor,
): string {
  const text = `1.${manifestSha256}.${takerKeySha256}.${Math.floor(notAfterMs / 1000)}`
  return `${text}.${sign(null, Buffer.from(PREFIX + text), key).toString('hex')}`
}

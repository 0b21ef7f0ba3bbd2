// SPDX-License-Identifier: MIT
// What servers show to clients of TLS: a certificate and the intermediate one that signed it, as
// public authorities have them. Made anew for each run.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { Authority } from '../test/support/pki.mjs'
import { giveAway } from './processes.mjs'

/** @typedef {{ chainFile: string, keyFile: string }} Certificate */

/**
 * @param {string} dir
 * @param {'ec' | 'rsa'} kind of key: ECDSA on P-256, or RSA of 2048 bits
 * @returns {Certificate}
 */
export function makeCertificate(dir, kind) {
  const folder = join(dir, `certificates-${kind}`)
  mkdirSync(folder, { recursive: true })
  const intermediate = new Authority(folder, 'intermediate', new Authority(folder, 'root'))
  const files = intermediate.issue(['localhost', '127.0.0.1'], { kind })
  // Servers without the rights of root read their keys as the user they are.
  giveAway(files.chainFile)
  giveAway(files.keyFile)
  return files
}

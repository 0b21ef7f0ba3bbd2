// SPDX-License-Identifier: MIT
// A CA of the tests' own, by OpenSSL: a root that clients trust, an intermediate, and certificates of servers.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
const CA = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']

export type Issued = {
  /** Without who issued it, clients that know the root alone refuse it. */
  leaf: string
  intermediate: string
  key: string
}

export class Authority {
  /** What clients are told to trust. */
  readonly rootFile: string
  readonly #dir: string
  #issued = 0

  constructor(dir: string) {
    this.#dir = dir
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    this.rootFile = this.#file('root.pem')
    this.#make('root', CA)
    this.#make('intermediate', CA, 'root')
  }

  issue(host: string): Issued {
    const name = `leaf-${++this.#issued}`
    const extensions = [`subjectAltName=DNS:${host}`, 'basicConstraints=critical,CA:FALSE']
    this.#make(name, extensions, 'intermediate')
    const [leaf, intermediate, key] = [`${name}.pem`, 'intermediate.pem', `${name}.key`].map(
      (file) => readFileSync(this.#file(file), 'utf8'),
    )
    return { leaf: leaf ?? '', intermediate: intermediate ?? '', key: key ?? '' }
  }

  #file(name: string): string {
    return join(this.#dir, name)
  }

  /** By `issuer`, or by itself. */
  #make(name: string, extensions: readonly string[], issuer?: string): void {
    const by = issuer
      ? ['-CA', this.#file(`${issuer}.pem`), '-CAkey', this.#file(`${issuer}.key`)]
      : []
    const files = ['-keyout', this.#file(`${name}.key`), '-out', this.#file(`${name}.pem`)]
    const words = extensions.flatMap((extension) => ['-addext', extension])
    const subject = ['-days', '30', '-subj', `/CN=${name}`]
    execFileSync('openssl', ['req', '-x509', ...EC, ...subject, ...words, ...by, ...files], {
      stdio: 'ignore',
    })
  }
}

// SPDX-License-Identifier: MIT
// Builds faults_preload.c, and drives it: a process's wall clock, and the call it dies at.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/setup/paths.mjs'

const source = join(root, 'server-c/test/support/faults_preload.c')

export function buildPreload(dir: string): string {
  const library = join(dir, 'preload.so')
  const warnings = ['-Wall', '-Wextra', '-Werror']
  execFileSync(process.env.CC ?? 'cc', [
    ...['-std=c11', '-D_GNU_SOURCE', '-O1', ...warnings, '-shared', '-fPIC'],
    ...['-o', library, source],
  ])
  return library
}

/** At the `call`-th from now on that touches its state folder or its control plane. */
export type Death = { call: number; when: 'before' | 'after'; where: 'disk' | 'net' }

export class Preload {
  readonly #library: string
  readonly #clockFile: string
  readonly #deathFile: string

  /** `place`: what its files' names begin with. */
  constructor(library: string, place: string) {
    this.#library = library
    this.#clockFile = `${place}.clock`
    this.#deathFile = `${place}.death`
    this.setClock(0)
  }

  env(stateDir: string): NodeJS.ProcessEnv {
    return {
      LD_PRELOAD: this.#library,
      FAULTS_CLOCK: this.#clockFile,
      FAULTS_DEATH: this.#deathFile,
      FAULTS_STATE: stateDir,
      // AddressSanitizer wants to be the first library. It need not: its calls come after ours.
      ASAN_OPTIONS: [process.env.ASAN_OPTIONS, 'verify_asan_link_order=0']
        .filter(Boolean)
        .join(':'),
    }
  }

  /** Also of a process that runs. */
  setClock(offSeconds: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigInt64LE(BigInt(offSeconds))
    // In place: who runs has mapped this very file.
    writeFileSync(this.#clockFile, bytes, { flag: existsSync(this.#clockFile) ? 'r+' : 'w' })
  }

  dieAt({ call, when, where }: Death): void {
    rmSync(`${this.#deathFile}.was`, { force: true })
    writeFileSync(this.#deathFile, `${call} ${when} ${where}\n`)
  }

  /** The call it died at, "fsync staged.json.new"; null: it lives. */
  diedAt(): string | null {
    const path = `${this.#deathFile}.was`
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }

  spare(): void {
    rmSync(this.#deathFile, { force: true })
  }
}

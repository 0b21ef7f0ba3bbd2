// SPDX-License-Identifier: MIT
// Which control planes there are, and the token for each: one file that only its owner can read.
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { modeForOthers } from '../base/private-file.ts'
import { isObject } from './documents.ts'
import { EXIT } from './exit-codes.ts'
import { Failure } from './failures.ts'

export type Context = {
  url: string
  /** null: signed out. */
  token: { id: string | null; secret: string } | null
  caFile: string | null
}
type Stored = { current: string | null; contexts: Record<string, Context> }
export type Environment = Readonly<Record<string, string | undefined>>

export class Contexts {
  readonly path: string
  readonly #env: Environment

  constructor(env: Environment) {
    this.#env = env
    const config = env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config')
    this.path = join(config, 'farmstead', 'farmctl.json')
  }

  read(): Stored {
    const text = readOwn(this.path)
    if (text === null) return { current: null, contexts: {} }
    const stored = parsed(text)
    if (stored !== null) return stored
    throw new Failure(`${this.path} is damaged. Remove it, then sign in again: farmctl login`)
  }

  change(edit: (stored: Stored) => void): void {
    const stored = this.read()
    edit(stored)
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    // Beside it, then in its place: whenever this ends, one whole file is there. A link stays a link: who keeps
    // such files elsewhere would have two from now on.
    const path = statSync(this.path, { throwIfNoEntry: false })
      ? realpathSync(this.path)
      : this.path
    const fresh = `${path}.${process.pid}`
    writeFileSync(fresh, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 })
    chmodSync(fresh, 0o600)
    renameSync(fresh, path)
  }

  /** What --context, the environment and the file say, in this order. */
  choose(name: string | undefined): { name: string; context: Context } {
    const { FARMSTEAD_URL: url, FARMSTEAD_TOKEN: secret, FARMSTEAD_CA_FILE: caFile } = this.#env
    const found = this.#stored(name, url)
    const context = {
      ...found.context,
      ...(secret && { token: { id: null, secret: secret.trim() } }),
      ...(caFile && { caFile }),
    }
    return { name: found.name, context }
  }

  #stored(wanted: string | undefined, url: string | undefined) {
    if (wanted === undefined && url) {
      const context = { url: normalUrl(url), token: null, caFile: null }
      return { name: 'FARMSTEAD_URL', context }
    }
    const { current, contexts } = this.read()
    const name = wanted ?? current
    if (name === null)
      throw new Failure(
        'No control plane is known. Sign in to one: farmctl login https://farm.example.org',
      )
    const context = contexts[name]
    if (!context) throw new Failure(`There is no context "${name}". See: farmctl context list`)
    return { name, context }
  }
}

/** What headers take of a token. HTTP libraries quote what they refuse, so it is looked at before. */
export function bearer(secret: string): { authorization: string } {
  if (/^[\x21-\x7e]+$/.test(secret)) return { authorization: `Bearer ${secret}` }
  throw new Failure(
    'The token holds a line break, a space or another character that no token has. It is not shown here; look at what FARMSTEAD_TOKEN, standard input or the file gave.',
    EXIT.denied,
  )
}

function readOwn(path: string): string | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (!stats) return null
  if (modeForOthers(stats.mode) !== null) {
    throw new Failure(
      `${path} can be read by others, and it holds a token. Run: chmod 600 ${path} — and if others had access, farmctl logout.`,
    )
  }
  return readFileSync(path, 'utf8')
}

/** null: nothing that was written here. */
function parsed(text: string): Stored | null {
  let stored: unknown
  try {
    stored = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(stored) || !isObject(stored.contexts)) return null
  const { current, contexts } = stored
  const isKnown =
    current === null || (typeof current === 'string' && Object.hasOwn(contexts, current))
  return isKnown && Object.values(contexts).every(isContext)
    ? { current, contexts: contexts as Stored['contexts'] }
    : null
}

const isContext = (value: unknown): value is Context =>
  isObject(value) &&
  typeof value.url === 'string' &&
  (value.token === null || (isObject(value.token) && typeof value.token.secret === 'string'))

export function normalUrl(given: string): string {
  const text = given.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
  if (!url || !/^https?:$/.test(url.protocol)) {
    const shown = text.replace(/\/\/.*@/, '//…@')
    throw new Failure(`"${shown}" is no address. Write it as https://farm.example.org`)
  }
  if (url.username || url.password) {
    throw new Failure(
      `The address of ${url.host} has a name or a password in it, and nothing would be done with them. Leave them out: farmctl login asks.`,
    )
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

// SPDX-License-Identifier: MIT
// The versions of one release that were pushed, with every file of each: what nodes are held against.
import { createHash } from 'node:crypto'
import type { Api } from '../client/api.ts'
import { bodyOf } from '../client/api.ts'
import { manifestOf, pushRelease, sendContents } from '../fixtures/releases.ts'
import type { Random } from '../real-farm/random.ts'

/** What a node keeps a part of, over a restart of its own too, has more than 1 MiB. */
const LARGE_CHARACTERS = 1_200_000
const MOST_CHARACTERS = 20_000
const SMALL_FILES = 12
/** The paths of so many versions are asked for: what is of another one must not be there. */
const REMEMBERED = 6

export type Files = Readonly<Record<string, string>>
type Version = { files: Files; manifest: string }
/** Of a push: its number, or why it was refused and how it is pushed all the same, as if it had never been tried. */
export type Attempt =
  | { refused: null; number: number }
  | { refused: Error; again: () => Promise<number> }

export class Versions {
  readonly name: string
  readonly #api: Api
  /** By number, from 1 on. */
  readonly #all: Version[] = []

  constructor(name: string, api: Api) {
    this.name = name
    this.#api = api
  }

  get newest(): number {
    return this.#all.length
  }

  of(number: number | undefined): Files | undefined {
    return this.#all[(number ?? 0) - 1]?.files
  }

  /** null: no version has this manifest. */
  byManifest(digest: string): Files | null {
    return this.#all.find(({ manifest }) => manifest === digest)?.files ?? null
  }

  /** Of this version, and of the newest ones. */
  pathsAround(files: Files): string[] {
    const around = [files, ...this.#all.slice(-REMEMBERED).map((one) => one.files)]
    return [...new Set(around.flatMap((one) => Object.keys(one)))]
  }

  /** Digests that this version has and none before: large and small contents, and the manifest. */
  newDigestsOf(number: number): { large: string; small: string; manifest: string } {
    const files = this.of(number) ?? {}
    const small = sha256(files[onlyOf(number)] ?? '')
    return { large: sha256(files[LARGE] ?? ''), small, manifest: sha256(manifestOf(files)) }
  }

  /** A new version, of which nodes lack about half; its number. */
  async push(random: Random): Promise<number> {
    return this.#took(this.#draw(random), (files) => this.#send(files))
  }

  /**
   * The same while `breakOff` does something to the control plane, which answers again after that. Then there is the
   * version or there is none, and it can be pushed again.
   */
  async pushThrough(random: Random, breakOff: () => Promise<void>): Promise<number> {
    return this.#took(this.#draw(random), async (files) => {
      const first = this.#send(files).catch(() => {})
      await breakOff()
      await first
      if ((await this.#listed()) === this.newest) await this.#send(files)
      const listed = await this.#listed()
      if (listed !== this.newest + 1)
        throw new Error(
          `${this.newest + 1} was pushed, and ${listed} is the newest of ${this.name}`,
        )
    })
  }

  /** A new version where there may be no room for it. */
  async pushWithoutRoom(random: Random): Promise<Attempt> {
    const files = this.#draw(random)
    const refused = await this.#send(files).then(
      () => null,
      (error: Error) => error,
    )
    const again = () => this.#took(files, (same) => this.#send(same))
    if (refused === null) return { refused, number: await this.#took(files, async () => {}) }
    return { refused, again }
  }

  /** All of its contents and its manifest once more: what the control plane has of them is compared. */
  async sendAgain(number: number): Promise<void> {
    await sendContents(this.#api, this.of(number) ?? {})
  }

  async #took(files: Files, send: (files: Files) => Promise<unknown>): Promise<number> {
    await send(files)
    return this.#all.push({ files, manifest: sha256(manifestOf(files)) })
  }

  #send(files: Files): Promise<string> {
    return pushRelease(this.#api, this.name, files, this.newest === 0 ? null : this.newest)
  }

  async #listed(): Promise<number> {
    const params = { path: { name: this.name }, query: { limit: 1 } }
    const list = await bodyOf(this.#api.call.GET('/api/v1/releases/{name}/versions', { params }))
    return list.items[0]?.number ?? 0
  }

  #draw(random: Random): Files {
    const number = this.newest + 1
    const before = this.of(this.newest) ?? {}
    const files: Record<string, string> = {
      'index.html': `<h1>version ${number} of ${this.name}</h1>\n`,
      [LARGE]: textOf(random, LARGE_CHARACTERS),
      [onlyOf(number)]: `of version ${number} of ${this.name}\n`,
    }
    for (let i = 0; i < SMALL_FILES; i++) {
      const path = `files/${i}.txt`
      const old = before[path]
      const isKept = old !== undefined && random.chance(0.5)
      files[path] = isKept ? old : textOf(random, random.magnitude(MOST_CHARACTERS))
    }
    return files
  }
}

const LARGE = 'large.txt'
const onlyOf = (number: number) => `only/${number}.txt`

export const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')

const textOf = (random: Random, characters: number): string =>
  `${random.below(2 ** 31)}`
    .padStart(10, '0')
    .repeat(Math.ceil(characters / 10))
    .slice(0, characters)

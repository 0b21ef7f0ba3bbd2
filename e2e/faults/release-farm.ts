// SPDX-License-Identifier: MIT
// Nodes that serve versions of a release: each order is a config with a label of its own and the version that goes with
// it, and whoever answers with the label must answer with that version's files, all of them, and with no other's.
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pushRelease } from '../fixtures/releases.ts'
import { ask, type Broken, type Whole } from '../real-farm/ask.ts'
import { labelIn, type RealNode } from '../real-farm/node.ts'
import type { Random } from '../real-farm/random.ts'
import type { FaultFarm } from './farm.ts'

const RELEASE = 'www'
/** So that there is time to do something to a node that fetches one. */
const FETCHED_BYTES_PER_SECOND = 1024 * 1024
const LARGE_CHARACTERS = 500_000
const SMALL_FILES = 12
/** The paths of so many versions are asked for: what is of another one must not be there. */
const REMEMBERED = 6
/** From one version to the next while all files of one are asked for. */
const MOST_SWITCHES = 5
const ASK_EVERY_MS = 25
const POLL_MS = 3

type Files = Readonly<Record<string, string>>

export class ReleaseFarm {
  readonly farm: FaultFarm
  /** By number, from 1 on. */
  readonly #versions: Files[] = []
  readonly #ordered = new Map<string, number>()
  #visits: Promise<void>[] = []
  #isOver = false
  #answers = 0

  private constructor(farm: FaultFarm) {
    this.farm = farm
  }

  /** All nodes serve the first version, and are visited from then on. */
  static async start(farm: FaultFarm, random: Random): Promise<ReleaseFarm> {
    const released = new ReleaseFarm(farm)
    await released.mustTake(await released.push(random))
    released.#visits = farm.nodes.map((node) => released.#visit(node))
    return released
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#visits)
    this.farm.note(`${this.#answers} answers were compared with the version they said`)
  }

  /** A new version, of which nodes lack about half; its number. */
  async push(random: Random): Promise<number> {
    const number = this.#versions.length + 1
    const before = this.#versions.at(-1) ?? {}
    const files: Record<string, string> = {
      'index.html': `<h1>version ${number}</h1>\n`,
      'large.txt': textOf(random, LARGE_CHARACTERS),
      [`only/${number}.txt`]: `of version ${number}\n`,
    }
    for (let i = 0; i < SMALL_FILES; i++) {
      const path = `files/${i}.txt`
      const old = before[path]
      const isKept = old !== undefined && random.chance(0.5)
      files[path] = isKept ? old : textOf(random, random.magnitude(20_000))
    }
    await pushRelease(this.farm.controlPlane.api, RELEASE, files, number === 1 ? null : number - 1)
    this.#versions.push(files)
    return number
  }

  get newest(): number {
    return this.#versions.length
  }

  /** Of a content that this version has and the one before has not. */
  newContentOf(number: number): string {
    return sha256(this.#versions[number - 1]?.['large.txt'] ?? '')
  }

  /** To all nodes; the label that goes with it. */
  async order(number: number): Promise<string> {
    const site = { root: undefined, release: RELEASE }
    const more = { releases: { maxBytesPerSecond: FETCHED_BYTES_PER_SECOND } }
    const text = this.farm.nextText(site, more)
    const label = labelIn(text) ?? ''
    this.#ordered.set(label, number)
    await this.farm.order(text, { [RELEASE]: number })
    return label
  }

  /** With nothing in the way: every node serves it in the end, whole. */
  async mustTake(number: number): Promise<void> {
    const label = await this.order(number)
    await this.farm.untilAgreed(this.farm.nodes, performance.now(), '(nothing in the way)')
    const served = await this.farm.served()
    if (served.some((one) => one !== label)) {
      this.farm.wrong(`with nothing in the way, ${label} was ordered, and ${served} are served`)
    }
    await this.requireWhole()
  }

  /** Each node serves all files of the version that its label goes with, and none of another. */
  async requireWhole(): Promise<void> {
    for (const node of this.farm.nodes) {
      const troubles = await this.#troublesOf(node)
      for (const one of troubles) this.farm.wrong(`${node.name}, ${one}`)
    }
  }

  /** Again where it switched meanwhile: both sides may agree, and go on from there. */
  async #troublesOf(node: RealNode): Promise<string[]> {
    for (let tries = 1; ; tries++) {
      const { label } = await node.see()
      const number = this.#ordered.get(label ?? '')
      const files = this.#versions[(number ?? 0) - 1]
      if (files === undefined) return [`"${label}": no version was ordered with it`]
      const paths = new Set(this.#versions.slice(-REMEMBERED).flatMap((one) => Object.keys(one)))
      const troubles: string[] = []
      for (const path of [...paths, ...Object.keys(files)]) {
        const trouble = troubleOf(await ask(node, `/${path}`), files[path])
        if (trouble !== null) troubles.push(`${label}: /${path}: ${trouble}`)
      }
      const isStill = (await node.see()).label === label
      if (isStill || tries === MOST_SWITCHES) return troubles
    }
  }

  /** What is of a version that was ordered is of the one that its label says. */
  async #visit(node: RealNode): Promise<void> {
    while (!this.#isOver) {
      const answer = await ask(node, '/index.html')
      const number = 'status' in answer ? this.#ordered.get(answer.label ?? '') : undefined
      const files = this.#versions[(number ?? 0) - 1]
      // Who does not answer, or with something else, is the witness's business.
      if (files !== undefined && 'status' in answer) {
        this.#answers++
        const trouble = troubleOf(answer, files['index.html'])
        if (trouble !== null) this.farm.wrong(`${node.name}, ${answer.label}: ${trouble}`)
      }
      await sleep(ASK_EVERY_MS)
    }
  }
}

/** Of a release that is being built: its tree has no name yet. Or it is too late for that. */
export async function untilBuilding(node: RealNode, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  const trees = join(node.visibleStateDir, 'releases/trees')
  while (performance.now() < deadline) {
    if (namesIn(trees).some((name) => name.endsWith('.new'))) return
    await sleep(POLL_MS)
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** null: it is what it should be; undefined: there should be none. */
function troubleOf(answer: Whole | Broken, expected: string | undefined) {
  if ('trouble' in answer) return answer.trouble
  const { status } = answer
  const body = answer.body.toString('latin1')
  if (expected === undefined)
    return status === 404 ? null : `HTTP ${status}, and it has no such file`
  if (status !== 200) return `HTTP ${status}`
  if (body === expected) return null
  return `${body.length} bytes with the digest ${sha256(body)} in place of ${sha256(expected)}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const textOf = (random: Random, characters: number): string =>
  `${random.below(2 ** 31)}`
    .padStart(10, '0')
    .repeat(Math.ceil(characters / 10))
    .slice(0, characters)

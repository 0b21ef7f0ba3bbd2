// SPDX-License-Identifier: MIT
// Nodes that serve versions of two releases, each at a host of its own: each order is a config with a label of its own and
// the versions that go with it, and whoever answers with the label must answer with those versions' files, all of them, and
// with no other's.
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Strategy } from '../client/api.ts'
import { ask, type Broken, type Whole } from '../real-farm/ask.ts'
import { labelIn, type RealNode } from '../real-farm/node.ts'
import { Random } from '../real-farm/random.ts'
import type { FaultFarm } from './farm.ts'
import { namesIn, troublesOfStore } from './release-store.ts'
import { type Files, sha256, Versions } from './release-versions.ts'

/** So that there is time to do something to a node that fetches one. */
const FETCHED_BYTES_PER_SECOND = 2 * 1024 * 1024
const DOCS_HOST = 'docs.example'
const SITES = [
  { hosts: [DOCS_HOST], release: 'docs' },
  { hosts: ['*'], release: 'www' },
]
/** Files first, then one node, then the other: nothing is waited for but that they confirm. */
const BY_WAVES: Strategy = {
  ...{ waves: [{ nodes: 1 }, { percent: 100 }], gates: [], onFailure: 'freeze' },
  ...{ minHealthySeconds: 0, soakSeconds: 0, filesFirst: true, filesFirstSeconds: 10 },
}
/** From one version to the next while all files of one are asked for. */
const MOST_SWITCHES = 5
const ASK_EVERY_MS = 25
const POLL_MS = 3

/** Which version of each; those that an order leaves out are what the order before said. */
type Numbers = { www: number; docs: number }
type Place = { host: string | undefined; versions: Versions; number: number }

export class ReleaseFarm {
  readonly farm: FaultFarm
  readonly www: Versions
  readonly docs: Versions
  readonly #ordered = new Map<string, Numbers>()
  #now: Numbers = { www: 1, docs: 1 }
  #visits: Promise<void>[] = []
  #isOver = false
  readonly #counts = { visited: 0, afterwards: 0, digests: 0 }
  /** By path and digest: a file has one tag, whichever node is asked. */
  readonly #tags = new Map<string, string>()

  private constructor(farm: FaultFarm) {
    const { api } = farm.controlPlane
    this.farm = farm
    this.www = new Versions('www', api)
    this.docs = new Versions('docs', api)
  }

  /** All nodes serve the first versions, and are visited from then on. */
  static async start(farm: FaultFarm, random: Random): Promise<ReleaseFarm> {
    const released = new ReleaseFarm(farm)
    await released.docs.push(random)
    await released.mustTake({ www: await released.www.push(random) })
    const seed = random.below(2 ** 31)
    released.#visits = farm.nodes.map((node) => released.#visit(node, new Random(seed, node.name)))
    return released
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#visits)
    const { visited, afterwards, digests } = this.#counts
    this.farm.note(
      `${visited} answers to visitors and ${afterwards} after faults were compared with the versions they said; ${digests} had a digest`,
    )
  }

  /** To all nodes; the label that goes with it. */
  async order(numbers: Partial<Numbers>, strategy?: Strategy): Promise<string> {
    const all = { ...this.#now, ...numbers }
    const more = { releases: { maxBytesPerSecond: FETCHED_BYTES_PER_SECOND } }
    const text = this.farm.nextText(SITES, more)
    const label = labelIn(text) ?? ''
    this.#ordered.set(label, all)
    this.#now = all
    await this.farm.order(text, all, strategy)
    return label
  }

  /** At once, or its files first and then by waves. */
  async orderSomehow(numbers: Partial<Numbers>, random: Random): Promise<string> {
    return this.order(numbers, random.chance(0.3) ? BY_WAVES : undefined)
  }

  /** With nothing in the way: every node serves it in the end, whole. */
  async mustTake(numbers: Partial<Numbers>): Promise<void> {
    const label = await this.order(numbers)
    await this.farm.untilAgreed(this.farm.nodes, performance.now(), '(nothing in the way)')
    const served = await this.farm.served()
    if (served.some((one) => one !== label)) {
      this.farm.wrong(`with nothing in the way, ${label} was ordered, and ${served} are served`)
    }
    await this.requireWhole()
  }

  /** Each node serves all files of the versions that its label goes with, none of others, and has only what is right. */
  async requireWhole(): Promise<void> {
    for (const node of this.farm.nodes) {
      const troubles = await this.#troublesOf(node)
      const ofManifest = (digest: string) =>
        this.www.byManifest(digest) ?? this.docs.byManifest(digest)
      troubles.push(...troublesOfStore(node.visibleStateDir, ofManifest))
      for (const one of troubles) this.farm.wrong(`${node.name}, ${one}`)
    }
  }

  /** Again where it switched meanwhile: both sides may agree, and go on from there. */
  async #troublesOf(node: RealNode): Promise<string[]> {
    for (let tries = 1; ; tries++) {
      const { label } = await node.see()
      const numbers = this.#ordered.get(label ?? '')
      if (numbers === undefined) return [`"${label}": no version was ordered with it`]
      const troubles: string[] = []
      for (const place of this.#places(numbers)) {
        const found = await this.#troublesAt(node, place)
        troubles.push(...found.map((trouble) => `${label}: ${trouble}`))
      }
      const isStill = (await node.see()).label === label
      if (isStill || tries === MOST_SWITCHES) return troubles
    }
  }

  #places({ www, docs }: Numbers): Place[] {
    return [
      { host: undefined, versions: this.www, number: www },
      { host: DOCS_HOST, versions: this.docs, number: docs },
    ]
  }

  async #troublesAt(node: RealNode, { host, versions, number }: Place): Promise<string[]> {
    const files = versions.of(number)
    if (files === undefined) return [`${versions.name} has no version ${number}`]
    const troubles: string[] = []
    for (const path of versions.pathsAround(files)) {
      const answer = await wanted(node, path, host)
      this.#counts.afterwards++
      const trouble = troubleOf(answer, files[path]) ?? this.#oddOf(answer, path)
      if (trouble !== null) troubles.push(`${versions.name} ${number}, /${path}: ${trouble}`)
    }
    return troubles
  }

  /** Its tag and its digest, where it says them, are those of its bytes. */
  #oddOf(answer: Whole | Broken, path: string): string | null {
    if ('trouble' in answer || answer.status !== 200) return null
    const { etag, 'repr-digest': digest } = answer.headers
    if (digest !== undefined) this.#counts.digests++
    const hash = sha256(answer.body)
    const right = `sha-256=:${Buffer.from(hash, 'hex').toString('base64')}:`
    if (digest !== undefined && digest !== right) return `it says ${digest} in place of ${right}`
    if (etag === undefined) return null
    const known = this.#tags.get(`${path} ${hash}`) ?? etag
    this.#tags.set(`${path} ${hash}`, known)
    return known === etag ? null : `its tag is ${etag}, and ${known} elsewhere`
  }

  /** What is of versions that were ordered is of those that its label says. */
  async #visit(node: RealNode, random: Random): Promise<void> {
    while (!this.#isOver) {
      const isOfDocs = random.chance(0.5)
      const versions = isOfDocs ? this.docs : this.www
      const paths = versions.pathsAround(versions.of(versions.newest) ?? {})
      const path = random.chance(0.5) ? 'index.html' : random.pick(paths)
      const answer = await wanted(node, path, isOfDocs ? DOCS_HOST : undefined)
      const numbers = this.#ordered.get(answer.label ?? '')
      const files = numbers && versions.of(numbers[isOfDocs ? 'docs' : 'www'])
      // Who does not answer, or with something else, is the witness's business.
      if (files !== undefined && 'status' in answer) {
        this.#counts.visited++
        const trouble = troubleOf(answer, files[path])
        if (trouble !== null) this.farm.wrong(`${node.name}, ${answer.label}, /${path}: ${trouble}`)
      }
      await sleep(ASK_EVERY_MS)
    }
  }
}

const wanted = (node: RealNode, path: string, host: string | undefined) =>
  ask(node, `/${path}`, host, { headers: { 'want-repr-digest': 'sha-256=1' } })

/** Of a release that is being fetched and built: its tree has no name yet. Or it is too late for that. */
export async function untilBuilding(node: RealNode, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs
  const trees = join(node.visibleStateDir, 'releases/trees')
  while (performance.now() < deadline) {
    if (namesIn(trees).some((name) => name.endsWith('.new'))) return
    await sleep(POLL_MS)
  }
}

/** undefined: there should be none. */
function troubleOf(answer: Whole | Broken, expected: Files[string] | undefined): string | null {
  if ('trouble' in answer) return answer.trouble
  const { status } = answer
  const body = answer.body.toString('latin1')
  if (expected === undefined)
    return status === 404 ? null : `HTTP ${status}, and it has no such file`
  if (status !== 200) return `HTTP ${status}`
  if (body === expected) return null
  return `${body.length} bytes with the digest ${sha256(body)} in place of ${sha256(expected)}`
}

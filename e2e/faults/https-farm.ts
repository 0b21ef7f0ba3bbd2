// SPDX-License-Identifier: MIT
// Nodes that serve by TLS what a certificate of the farm's stands for, and its renewals: what is shown by whom, and whether
// anybody's connection or download broke on the way.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../scripts/testing/free-port.mjs'
import { ANY_STATE, bodyOf, type Gate, type Rollout } from '../client/api.ts'
import { Authority, type Issued } from '../real-farm/authority.ts'
import { HOST } from '../real-farm/host.ts'
import type { FaultFarm } from './farm.ts'
import {
  DOWNLOAD_BYTES,
  downloadSlowly,
  keepConnection,
  shownBy,
  type TlsPlace,
  Visits,
} from './tls-visitors.ts'

const SHOP = 'shop.example'
const CERTIFICATE = 'shop'
const DOWNLOAD = 'large.bin'
const LOOK_EVERY_MS = 200
const DONE_WITHIN_MS = 90_000
const GATES: Gate[] = [{ metric: 'handshakeFailures', max: 0.01, onFail: 'revert' }]
/** Gates compare no fewer than three windows of five seconds. */
const STRATEGY = {
  waves: [{ nodes: 1 }, { percent: 100 }],
  minHealthySeconds: 1,
  soakSeconds: 1,
  maxSoakSeconds: 60,
  minSamples: 60,
  gates: GATES,
}

/** Of each node its fingerprint, null while it could not be had. */
export type Look = Map<string, string | null>

export class HttpsFarm {
  readonly farm: FaultFarm
  readonly #authority: Authority
  readonly #places: TlsPlace[] = []
  readonly #visits = new Map<string, Visits>()
  #version = 0

  private constructor(farm: FaultFarm) {
    this.farm = farm
    this.#authority = new Authority(join(farm.home, 'authority'))
  }

  /** With all of the farm's nodes, each of which shows the first certificate. */
  static async start(farm: FaultFarm): Promise<HttpsFarm> {
    const https = new HttpsFarm(farm)
    const { api } = farm.controlPlane
    const ca = readFileSync(https.#authority.rootFile, 'utf8')
    for (const { name, port: plain } of farm.nodes) {
      const port = await freePort()
      const { id } = await api.node(name)
      const listen = [
        { address: HOST, port: plain },
        { address: HOST, port, tls: true },
      ]
      const params = { path: { id }, ...ANY_STATE }
      const body = { mergePatch: { listen } }
      await bodyOf(api.call.PUT('/api/v1/nodes/{id}/override', { params, body }))
      const { rootFile } = https.#authority
      https.#places.push({ name, host: SHOP, port, rootFile, ca })
    }
    const first = await https.upload(({ leaf, intermediate }) => leaf + intermediate)
    https.#version = await api.saveVersion(
      farm.nextText([
        { hosts: [SHOP, '*'], root: farm.siteDir, certificates: [{ name: CERTIFICATE }] },
      ]),
    )
    const { id } = await api.rollOut(https.#version)
    const view = await https.follow(id)
    if (view.state !== 'succeeded') throw new Error(`TLS came to nobody: ${view.reason}`)
    await https.requireShown(first, 'the first certificate')
    return https
  }

  /** The next certificate for the site, with what `chain` makes of it. Returns its fingerprint. */
  async upload(chain: (issued: Issued) => string): Promise<string> {
    const { call } = this.farm.controlPlane.api
    const issued = this.#authority.issue(SHOP)
    const body = { chain: chain(issued), key: issued.key }
    const params = { path: { name: CERTIFICATE }, ...ANY_STATE }
    const made = await bodyOf(
      this.#version === 0
        ? call.POST('/api/v1/certificates', { body: { name: CERTIFICATE, ...body } })
        : call.POST('/api/v1/certificates/{name}/versions', { params, body }),
    )
    return 'latestVersion' in made ? made.latestVersion.fingerprint : made.fingerprint
  }

  /** The newest certificate, by waves. */
  async renew(): Promise<string> {
    return (await this.farm.controlPlane.api.rollOut(this.#version, { strategy: STRATEGY })).id
  }

  /** To its end, `onLook` told what each node shows meanwhile. */
  async follow(
    id: string,
    onLook: (look: Look) => Promise<void> | void = () => {},
  ): Promise<Rollout> {
    const startedAt = performance.now()
    for (;;) {
      // First what is shown: who shows something later than the view says was allowed to.
      await onLook(await this.look())
      const view = await this.farm.controlPlane.api.rollout(id).catch(() => null)
      if (view && view.endedAt !== null) return view
      if (performance.now() - startedAt > DONE_WITHIN_MS) {
        throw new Error(`it did not end: ${view?.state} ${view?.reason}`)
      }
      await sleep(LOOK_EVERY_MS)
    }
  }

  async look(): Promise<Look> {
    const shown = this.#places.map(async (one) => [one.name, await shownBy(one)] as const)
    return new Map(await Promise.all(shown))
  }

  /** By every node, and the control plane says so too. */
  async requireShown(fingerprint: string, what: string): Promise<void> {
    for (const [name, shown] of await this.look()) {
      if (shown !== fingerprint) this.farm.wrong(`${name} shows ${shown}, and not ${what}`)
    }
    const deadline = performance.now() + DONE_WITHIN_MS
    const { call } = this.farm.controlPlane.api
    const params = { path: { name: CERTIFICATE } }
    for (;;) {
      const { items } = await bodyOf(call.GET('/api/v1/certificates/{name}/served', { params }))
      const names = items
        .filter((one) => one.fingerprint === fingerprint)
        .map((one) => one.node.name)
      if (new Set(names).size === this.#places.length) return
      if (performance.now() > deadline) {
        this.farm.wrong(`the control plane says that ${names} serve ${what}`)
        return
      }
      await sleep(LOOK_EVERY_MS)
    }
  }

  /** While `work` goes on, nobody's kept connection and nobody's download may break. */
  async underVisits(work: () => Promise<void>): Promise<void> {
    const large = this.#largeFile()
    const visitors = this.#places.map((place) => {
      const logFile = join(this.farm.home, `logs/curl-${place.name}.log`)
      this.#visits.set(place.name, new Visits(place, logFile))
      return { place, stop: keepConnection(place), drinkUp: downloadSlowly(place, large) }
    })
    try {
      await work()
    } finally {
      for (const visits of this.#visits.values()) {
        if (!visits.lives) this.farm.wrong('curl ended by itself')
        await visits.end()
      }
      for (const { place, stop, drinkUp } of visitors) {
        const [kept, loaded] = await Promise.all([stop(), drinkUp()])
        if (kept !== null) this.farm.wrong(`${place.name}: a kept connection broke: ${kept}`)
        if (loaded !== null) this.farm.wrong(`${place.name}: a download broke: ${loaded}`)
      }
    }
  }

  /** Who came anew to `name` since the last time. */
  newcomers(name: string) {
    const visits = this.#visits.get(name)
    if (!visits) throw new Error(`nobody visits ${name}`)
    return visits.take()
  }

  #largeFile() {
    const bytes = Buffer.alloc(DOWNLOAD_BYTES, randomBytes(64 * 1024))
    writeFileSync(join(this.farm.siteDir, DOWNLOAD), bytes)
    return { path: `/${DOWNLOAD}`, sha256: createHash('sha256').update(bytes).digest('hex') }
  }
}

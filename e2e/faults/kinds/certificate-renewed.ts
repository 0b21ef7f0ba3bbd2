// SPDX-License-Identifier: MIT
// A certificate is renewed by waves, and the control plane is killed in the middle of it. The canary shows the new one
// while the others show the old; then all do. One whose chain lacks its intermediate comes no further than the canary.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'
import { HttpsFarm, type Look } from '../https-farm.ts'

const NODES = 3
/** After the canary showed the new one first; its evidence takes longer. */
const KILLED_WITHIN_MS = 5000
const DOWN_FOR_MS = 500

const whoShows = (look: Look, fingerprint: string) =>
  [...look].filter(([, shown]) => shown === fingerprint).map(([name]) => name)

/** Who has shown it so far. */
function watcher(farm: FaultFarm, fingerprint: string) {
  const seen = new Set<string>()
  return {
    seen,
    /** The only one that showed it, so far. */
    canary: () => (seen.size === 1 ? [...seen][0] : undefined),
    note(look: Look) {
      for (const [name, shown] of look) if (shown === null) farm.wrong(`${name} took no handshake`)
      for (const name of whoShows(look, fingerprint)) seen.add(name)
    },
  }
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

const strangersOf = (https: HttpsFarm) =>
  https.farm.nodes.flatMap(({ name }) => {
    const { refusals, others } = https.newcomers(name)
    return [...others, ...(refusals > 0 ? [`${name}: ${refusals} did not believe it`] : [])]
  })

async function renewGood(https: HttpsFarm, random: Random): Promise<void> {
  const { farm } = https
  const { controlPlane } = farm
  const fingerprint = await https.upload(({ leaf, intermediate }) => leaf + intermediate)
  const watch = watcher(farm, fingerprint)
  await https.underVisits(async () => {
    const since = performance.now()
    let [looksAtCanary, aloneMs, allMs] = [0, 0, 0]
    let killing: Promise<void> | null = null
    const kill = async () => {
      const delayMs = random.below(KILLED_WITHIN_MS)
      await sleep(delayMs)
      await controlPlane.end('SIGKILL')
      farm.injected('killed under the canary')
      await sleep(random.below(DOWN_FOR_MS))
      await controlPlane.start()
    }
    const view = await https.follow(await https.renew(), (look) => {
      watch.note(look)
      if (watch.seen.size === NODES) allMs ||= performance.now() - since
      if (watch.seen.size !== 1) return
      looksAtCanary++
      aloneMs ||= performance.now() - since
      killing ??= kill()
    })
    await killing
    if (looksAtCanary === 0) farm.wrong('the canary was never alone with the new certificate')
    if (view.state !== 'succeeded') {
      farm.wrong(`the renewal ended ${view.state}: ${view.reason}`)
      return
    }
    await https.requireShown(fingerprint, 'the renewed certificate')
    for (const trouble of strangersOf(https)) farm.wrong(`a visitor had trouble: ${trouble}`)
    const [alone, all, end] = [aloneMs, allMs, performance.now() - since].map(inSeconds)
    farm.note(`the canary showed it after ${alone}, all after ${all}, proven after ${end}`)
  })
}

async function renewBad(https: HttpsFarm): Promise<void> {
  const { farm } = https
  const before = new Set((await https.look()).values())
  const [good] = before
  if (before.size !== 1 || !good) throw new Error(`they show ${[...before]}`)
  const fingerprint = await https.upload(({ leaf }) => leaf)
  const watch = watcher(farm, fingerprint)
  await https.underVisits(async () => {
    const view = await https.follow(await https.renew(), (look) => watch.note(look))
    farm.injected('an intermediate left out')
    const canary = watch.canary()
    if (view.state !== 'reverted') farm.wrong(`it ended ${view.state}: ${view.reason}`)
    if (!view.reason.includes('handshakes')) farm.wrong(`it was not for handshakes: ${view.reason}`)
    if (!canary) farm.wrong(`${[...watch.seen]} showed it, and only the canary was to`)
    await https.requireShown(good, 'the certificate from before')
    for (const { name } of farm.nodes) {
      const { answers, refusals, others } = https.newcomers(name)
      if (answers === 0) farm.wrong(`nobody came to ${name}`)
      if (name === canary && refusals === 0) farm.wrong(`clients believed what ${name} showed`)
      if (name !== canary && refusals > 0) farm.wrong(`${name}: ${refusals} did not believe it`)
      for (const trouble of others) farm.wrong(`a visitor had trouble: ${trouble}`)
    }
    farm.note(`the renewal without its intermediate: ${view.reason}`)
  })
}

const kindOf = (name: string, work: (https: HttpsFarm, random: Random) => Promise<void>) => {
  const farms = new WeakMap<FaultFarm, HttpsFarm>()
  return {
    name,
    nodes: NODES,
    async round(farm: FaultFarm, random: Random): Promise<void> {
      const https = farms.get(farm) ?? (await HttpsFarm.start(farm))
      farms.set(farm, https)
      await work(https, random)
    },
  }
}

export const certificateRenewed = kindOf('certificate renewed', renewGood)
export const certificateRefused = kindOf('certificate refused', renewBad)

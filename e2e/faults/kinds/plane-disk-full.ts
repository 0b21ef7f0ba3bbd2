// SPDX-License-Identifier: MIT
// The control plane's disk runs full around a version of a release. Nodes serve on what they have, whole; the control plane
// refuses what it has no room for and says so, makes nothing by halves, and goes on by itself when there is room again.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyOf } from '../../client/api.ts'
import { Refused } from '../../client/refused.ts'
import type { Random } from '../../real-farm/random.ts'
import type { FaultFarm } from '../farm.ts'
import { type ReleaseFarm, untilBuilding } from '../release-farm.ts'
import { troublesOfContents } from '../release-store.ts'
import type { Attempt } from '../release-versions.ts'
import { planeDiskOf } from '../small-disk-farm.ts'

const DOINGS = ['nothing', 'pushed to', 'fetched from'] as const
type Doing = (typeof DOINGS)[number]
const MOST_PAGES = 7
/** Enough for its databases, and not for releases. */
const PAGES_FOR_DATABASES = 64 * 256
const PUSHED_WITHIN_MS = 250
const BUILDING_WITHIN_MS = 2500
const FULL_FOR_MS = 1500
/** Each takes some room of the databases', until nothing is left. */
const MOST_WRITES = 2000
/** It looks each second whether there is room again; after a kill its nodes come back first. This is for when it never would. */
const GOES_ON_WITHIN_MS = 60_000
const POLL_MS = 100
const NO_ROOM = ['release_store_full', 'storage_full']

export async function fillPlane(released: ReleaseFarm, random: Random): Promise<void> {
  const { farm } = released
  const disk = planeDiskOf(farm)
  const isOfReleases = random.chance(0.3)
  const pages = isOfReleases ? PAGES_FOR_DATABASES : random.below(MOST_PAGES)
  const doing = random.pick(DOINGS)
  const isKilled = random.chance(0.3)
  const attempts = await attemptsAround(released, random, doing, async () => {
    await disk.shrink()
    disk.fill(pages)
    farm.injected(`disk full: ${isOfReleases ? 'for releases' : `${pages} pages left`}, ${doing}`)
  })
  if (!isOfReleases) await requireSaid(farm)
  await requireStores(released)
  await sleep(random.below(FULL_FOR_MS))
  if (isKilled) {
    await farm.controlPlane.end('SIGKILL')
    farm.injected(`disk full: and killed, ${doing}`)
    await startWithoutRoom(farm)
  }
  disk.free()
  await disk.grow()
  if (farm.controlPlane.hasDied) await farm.controlPlane.start()
  await goesOn(farm)
  await farm.untilAgreed(farm.nodes, performance.now(), `(disk full, ${doing})`)
  for (const attempt of attempts) {
    const www = attempt.refused === null ? attempt.number : await attempt.again()
    await released.mustTake({ www })
  }
  await requireStores(released)
}

/** What is pushed meanwhile, and what came of it. */
async function attemptsAround(
  released: ReleaseFarm,
  random: Random,
  doing: Doing,
  fill: () => Promise<void>,
): Promise<Attempt[]> {
  const { farm, www } = released
  const attempts: Attempt[] = []
  if (doing === 'fetched from') {
    await released.order({ www: await www.push(random) })
    await untilBuilding(random.pick(farm.nodes), BUILDING_WITHIN_MS)
    await fill()
  } else if (doing === 'pushed to') {
    const pushed = www.pushWithoutRoom(random)
    await sleep(random.below(PUSHED_WITHIN_MS))
    await fill()
    attempts.push(await pushed)
  } else await fill()
  // There is surely no room for this one.
  const last = await www.pushWithoutRoom(random)
  if (last.refused === null) farm.wrong(`version ${last.number} found room on a full disk`)
  for (const { refused } of [...attempts, last]) requireReason(farm, refused)
  return [...attempts, last]
}

/** Of a push that was refused. */
function requireReason(farm: FaultFarm, refused: unknown): void {
  if (refused === null) return
  const isSaid =
    refused instanceof Refused && refused.status === 507 && NO_ROOM.includes(refused.code)
  if (!isSaid) farm.wrong(`a push to a full disk was refused with ${refused}`)
}

/** What changes something is refused in words, and whoever looks after it is told. */
async function requireSaid(farm: FaultFarm): Promise<void> {
  const refused = await untilNoRoom(farm)
  if (!(refused instanceof Refused) || refused.code !== 'storage_full')
    farm.wrong(`on a full disk a change was refused with ${refused}`)
  const health = await bodyOf(farm.controlPlane.api.call.GET('/api/v1/health'))
  if (!JSON.stringify(health).includes('the disk is full'))
    farm.wrong(`the disk is full, and the control plane says ${JSON.stringify(health)}`)
}

/** What is left in the logs of the databases is used up by then; null: it never was. */
async function untilNoRoom(farm: FaultFarm): Promise<unknown> {
  for (let i = 0; i < MOST_WRITES; i++) {
    planeDiskOf(farm).fill(0)
    const refused = await writeSomething(farm)
    if (refused !== null) return refused
  }
  return null
}

/** null: it was stored. */
const writeSomething = (farm: FaultFarm): Promise<unknown> =>
  farm.controlPlane.api.makeToken({}).then(
    () => null,
    (error: unknown) => error,
  )

/** It runs, or has said why it cannot. */
async function startWithoutRoom(farm: FaultFarm): Promise<void> {
  const { controlPlane } = farm
  const from = statSync(controlPlane.logFile).size
  await controlPlane.start().catch((error: unknown) => {
    const said = readFileSync(controlPlane.logFile).subarray(from).toString()
    if (!controlPlane.hasDied || !said.includes('is full. Make room, then start again'))
      farm.wrong(`on a full disk it did not start: ${error}`, said)
  })
}

/** Nobody but who made room does anything: changes are taken again, and rollouts go on, or can be resumed where room was missing. */
async function goesOn(farm: FaultFarm): Promise<void> {
  const deadline = performance.now() + GOES_ON_WITHIN_MS
  let trouble: unknown = 'nothing was tried'
  while (trouble !== null) {
    if (performance.now() > deadline) {
      farm.wrong(`there is room again, and after ${GOES_ON_WITHIN_MS / 1000} s still: ${trouble}`)
      return
    }
    await sleep(POLL_MS)
    trouble = (await writeSomething(farm)) ?? (await resumeAll(farm).catch((error: Error) => error))
  }
}

/** Those that paused for want of room; after a kill others wait for their nodes. null: all of them go on. */
async function resumeAll(farm: FaultFarm): Promise<unknown> {
  const { api } = farm.controlPlane
  const params = { query: { limit: 100 } }
  const { items } = await bodyOf(api.call.GET('/api/v1/rollouts', { params }))
  for (const { id, state, stateVersion, reason } of items) {
    if (state !== 'paused') continue
    if (!/disk of the control plane was full/.test(reason)) return reason
    const resumed = { params: { path: { id } }, body: { stateVersion } }
    const refused = await api.call.POST('/api/v1/rollouts/{id}/actions/resume', resumed).then(
      () => null,
      (error: unknown) => error,
    )
    if (refused !== null) return refused
  }
  return null
}

async function requireStores(released: ReleaseFarm): Promise<void> {
  await released.requireWhole()
  const { farm } = released
  const blobs = join(farm.controlPlane.dataDir, 'releases/blobs')
  for (const one of troublesOfContents(blobs)) farm.wrong(`the control plane: ${one}`)
}

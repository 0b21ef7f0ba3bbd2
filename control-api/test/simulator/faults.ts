// SPDX-License-Identifier: MIT
// What goes wrong in the simulation besides what the network does to each message.
import { AT_ONCE } from '../../src/features/rollouts/reducer/model.ts'
import { ControlPlane } from './control-plane.ts'
import type { Database } from './database.ts'
import { Watch } from './invariants.ts'
import type { SimNode } from './node.ts'
import type { World } from './world.ts'

/** Of silence, until a node counts as gone. */
const STALE_AFTER_MS = 15_000
/** That ever were: names sort as the order in which they came. */
const MOST_NODES = 10
/** Of 50. */
const SHARES: readonly [number, string][] = [
  [12, 'power'],
  [3, 'process'],
  [13, 'cut'],
  [7, 'plane'],
  [3, 'backup'],
  [2, 'clone'],
  [1, 'twin'],
  [2, 'edit'],
  [2, 'clock'],
  [1, 'decommission'],
  [1, 'disk'],
  [3, 'autoscale'],
]

export class Faults {
  readonly #world: World
  #backup: Database | null = null
  #twin: ControlPlane | null = null
  #edits = 0

  constructor(world: World) {
    this.#world = world
  }

  /** `kind`: 0 to 49; of some of them nothing. */
  happen(kind: number): void {
    let left = kind
    for (const [share, name] of SHARES) {
      if (left < share) {
        if (!this.#world.scope.without.has(name)) this.#happen(name)
        return
      }
      left -= share
    }
  }

  static readonly names = SHARES.map(([, name]) => name)

  #happen(name: string): void {
    const { chance, nodes, plane } = this.#world
    const node = chance.of(nodes)
    switch (name) {
      case 'power':
        this.powerCut(node)
        break
      case 'process':
        if (node.isUp) node.failProcess()
        break
      case 'cut':
        this.#cutOff(node.id)
        break
      case 'plane':
        this.planeFails()
        break
      case 'backup':
        this.#keepOrRestore()
        break
      case 'clone':
        this.#clone(node)
        break
      case 'twin':
        this.#startTwin()
        break
      case 'edit':
        if (node.isUp) node.edit(`local-${++this.#edits}`)
        break
      case 'clock':
        this.#world.moveClock(chance.of([-3_600_000, -5_000, 5_000, 3_600_000]))
        break
      case 'decommission':
        if (plane.isUp && chance.is(0.3)) plane.decommission(node.id, ...this.#another(node))
        break
      case 'disk':
        this.#fillDisk()
        break
      case 'autoscale':
        // Now and then the whole farm is another one.
        for (const one of chance.is(0.1) ? nodes : [node]) this.#scale(one)
        break
    }
  }

  powerCut(node: SimNode): boolean {
    if (this.#world.scope.without.has('power')) return false
    if (!node.isUp) return true
    node.crash()
    this.#gone(node.id)
    const { chance, scheduler } = this.#world
    scheduler.after(chance.of([200, 3_000, 60_000, 200_000]), () => this.#bootAgain(node))
    return true
  }

  #bootAgain(node: SimNode): void {
    const isThere = this.#world.watch.nodes.get(node.id)?.includes(node)
    if (isThere && !node.isUp) node.boot()
  }

  #cutOff(id: string): void {
    const { chance, network, scheduler } = this.#world
    if (network.cut.has(id)) return
    network.cut.add(id)
    this.#gone(id)
    scheduler.after(chance.of([1_000, 20_000, 90_000, 200_000]), () => network.cut.delete(id))
  }

  /** Silent for that long, it counts as disconnected; its next message says otherwise. */
  #gone(id: string): void {
    const { network, plane, scheduler, watch } = this.#world
    scheduler.after(STALE_AFTER_MS, () => {
      const isThere = watch.nodes.get(id)?.some(({ isUp }) => isUp)
      if (!isThere || network.cut.has(id)) plane.presence(id, 'disconnected')
    })
  }

  planeFails(): boolean {
    const { chance, plane, scheduler, scope, watch } = this.#world
    if (scope.without.has('plane')) return false
    if (!plane.isUp) return true
    plane.crash()
    watch.downSinceMs = scheduler.nowMs
    scheduler.after(chance.of([500, 5_000, 60_000, 150_000]), () => this.#planeStarts())
    return true
  }

  #planeStarts(): void {
    const { plane, watch } = this.#world
    if (plane.isUp) return
    watch.downSinceMs = null
    plane.start()
  }

  /** Goes with it, at the same moment; none: it goes alone. */
  #another({ id }: SimNode): string[] {
    const { chance, watch } = this.#world
    const others = [...watch.nodes.keys()].filter((one) => one !== id)
    return others.length > 0 && chance.is(0.3) ? [chance.of(others)] : []
  }

  /** Its machine is gone for ever; a hook says so, at once or later. Another may come in its place. */
  #scale(node: SimNode): void {
    const { chance, plane, scheduler, watch } = this.#world
    if (node.isUp) node.crash()
    this.#gone(node.id)
    scheduler.after(chance.of([0, 3_000, 30_000, 120_000]), () => {
      if (plane.isUp) plane.decommission(node.id)
    })
    if (plane.isUp && watch.nodes.size < MOST_NODES) this.#world.join()
  }

  #fillDisk(): void {
    const { chance, plane, scheduler } = this.#world
    plane.setStorage(true)
    scheduler.after(chance.of([5_000, 60_000]), () => plane.setStorage(false))
  }

  #keepOrRestore(): void {
    const { chance, plane, scheduler } = this.#world
    if (!plane.isUp || plane.isRecovering) return
    if (!this.#backup || chance.is(0.5)) {
      this.#backup = plane.backup()
      return
    }
    plane.restore(this.#backup)
    this.#world.isMuddled = true
    this.#backup = null
    // Its operator waits until every node has reported.
    scheduler.after(STALE_AFTER_MS, () => plane.confirmRecovery())
  }

  /** A copy of its machine, started beside it. */
  #clone(node: SimNode): void {
    const { chance, scheduler, watch } = this.#world
    const all = watch.nodes.get(node.id) ?? []
    if (all.length > 1) return
    this.#world.isMuddled = true
    const clone = this.#world.makeNode(node.id, node)
    watch.nodes.set(node.id, [...all, clone])
    clone.boot()
    scheduler.after(chance.of([3_000, 30_000, 120_000]), () => this.#endClone(clone))
  }

  #endClone(clone: SimNode): void {
    const { watch } = this.#world
    clone.crash()
    const left = watch.nodes.get(clone.id)?.filter((one) => one !== clone) ?? []
    watch.nodes.set(clone.id, left)
  }

  /** A copy of the control plane, started by mistake: some nodes find it instead. */
  #startTwin(): void {
    const { astray, chance, plane, scheduler, watch } = this.#world
    if (this.#twin || !plane.isUp || plane.isRecovering) return
    this.#world.isMuddled = true
    const own = new Watch(watch)
    own.nowMs = watch.nowMs
    const wallMs = () => plane.wallMs
    const twin: ControlPlane = new ControlPlane({
      ...{ watch: own, crashes: () => false, wallMs, name: 'twin' },
      nodesAtOnce: this.#world.scope.nodesAtOnce,
      onUnfinished: (id) => scheduler.after(0, () => twin.goOn(id)),
      onTimePassing: () => scheduler.after(0, () => twin.letMorePass()),
    })
    twin.db = plane.backup()
    this.#twin = twin
    twin.start()
    for (const id of watch.nodes.keys()) if (chance.is(0.5)) astray.set(id, twin)
    watch.hasTwin = true
    const waves = [...twin.db.nodes].flatMap(([id, row]) => (row.isDecommissioned ? [] : [[id]]))
    const asked = { isEmergency: true, startAtMs: null, place: null, blockedBy: [] }
    const approvals = { needed: 0, given: 0, byMs: null }
    const order = { id: 'twin', digest: 'vx', policy: AT_ONCE, waves, isForAll: true }
    twin.order({ ...order, asked: { ...asked, onOverlap: 'queue', approvals } })
    scheduler.after(chance.of([20_000, 90_000]), () => this.#endTwin())
  }

  #endTwin(): void {
    this.#twin = null
    this.#world.astray.clear()
    const { scheduler, watch } = this.#world
    watch.hasTwin = false
    // What it answered last is still on its way.
    if (watch.downSinceMs !== null) watch.downSinceMs = scheduler.nowMs
  }

  /** Peace: what is broken is mended. */
  end(): void {
    const { nodes, plane, watch } = this.#world
    this.#endTwin()
    this.#planeStarts()
    plane.confirmRecovery()
    plane.setStorage(false)
    for (const [, ...clones] of watch.nodes.values()) for (const one of clones) this.#endClone(one)
    for (const node of nodes) this.#bootAgain(node)
  }
}

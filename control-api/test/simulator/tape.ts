// SPDX-License-Identifier: MIT
// What is done to a control plane, deed by deed, and what it makes of it: for the real service to do the same
// (replay.ts).
import type { Command, Evaluated } from '../../src/features/rollouts/reducer/model.ts'
import type { HeldState } from '../../src/fleet/ahead.ts'
import type { Cordon } from '../../src/fleet/cordon.ts'
import { copyOf, type Database, type Rules } from './database.ts'
import type { Order } from './engine.ts'
import type { Message } from './messages.ts'

export type Deed =
  | { kind: 'start' | 'crash' | 'confirm-recovery' | 'more-time-passes' }
  | { kind: 'backup' | 'restore'; copy: Database }
  | { kind: 'enrol' | 'first-release'; nodeId: string }
  | { kind: 'decommission'; nodeIds: readonly string[] }
  | { kind: 'cordon'; nodeIds: readonly string[]; cordon: Cordon | null }
  | { kind: 'discard-drift'; nodeId: string; drift: string }
  | { kind: 'presence'; nodeId: string; change: 'connected' | 'disconnected' }
  | { kind: 'message'; nodeId: string; message: Exclude<Message, { kind: 'desired' | 'ahead' }> }
  | { kind: 'desired'; nodeId: string; have: number; incarnation: string }
  | { kind: 'order'; order: Order }
  | { kind: 'approve' | 'goes-on'; id: string }
  | { kind: 'rules'; rules: Rules }
  | { kind: 'command'; id: string; command: Command }
  | { kind: 'evaluated'; id: string; event: Evaluated }
  | { kind: 'ill'; id: string; nodeId: string }
  | { kind: 'tick'; ms: number }
  | { kind: 'storage'; isFull: boolean }
  | { kind: 'keep-clone'; nodeId: string; keep: string }
/** By rollout and node: how far it is with files that go first; a rollout of which it is not known is left out. */
export type FilesKnown = ReadonlyMap<string, ReadonlyMap<string, HeldState | null>>
export type Note = {
  deed: Deed
  result: unknown
  db: Database
  wallMs: number
  files: FilesKnown
}

type Plane = { db: Database; wallMs: number; filesKnown(): FilesKnown }

export class Tape {
  readonly notes: Note[] = []

  note(deed: Deed, result: unknown, plane: Plane): void {
    const { db, wallMs } = plane
    this.notes.push({ deed, result, db: copyOf(db), wallMs, files: plane.filesKnown() })
  }
}

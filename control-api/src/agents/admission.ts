// SPDX-License-Identifier: MIT
// Whose word counts, of those that hold a node's identity: the refusal for who is not let in.
import { CloneDetected, SayHello } from '../agent-protocol/errors.ts'
import { admit } from '../node-identity/clones.ts'
import type { Caller } from './callers.ts'

/** Of a message that is no hello; null: it does not say which start of the node sends it. */
export function admitted({ standing }: Pick<Caller, 'standing'>, incarnation: string | null): void {
  const admission = admit(standing, incarnation)
  if (admission === 'refused') throw new CloneDetected()
  if (admission === 'say-hello') throw new SayHello()
}

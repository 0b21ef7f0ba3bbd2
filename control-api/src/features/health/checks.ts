// SPDX-License-Identifier: MIT
// Each finds out for itself; a check that throws is a check that failed.
import type { Kysely } from 'kysely'
import type { Authority } from '../../ca/authority.ts'
import type { Measured } from '../../certificates/expiry-watch.ts'
import type { Identity } from '../../control-plane/identity.ts'
import { readOwn } from '../../control-plane/store.ts'
import type { Database } from '../../db/database.ts'
import type { NodeBinary } from '../../node-check/binary.ts'
import type { Check } from './routes.ts'

export async function checkControlDb(db: Kysely<Database>): Promise<Check> {
  await readOwn(db, 'epoch')
  return { ok: true, message: 'control.db answers' }
}

export async function checkNodeBinary({ path, version }: NodeBinary): Promise<Check> {
  const found = await version()
  return found
    ? { ok: true, message: `farmstead-node ${found}` }
    : {
        ok: false,
        message: `${path} does not run: set FARMSTEAD_NODE_BINARY to farmstead-node, without it no config can be checked`,
      }
}

const WARN_BEFORE_MS = 365 * 24 * 3600 * 1000

/** null: the agents' listener has none, as somebody asked for. */
export function checkCa(authority: Authority | null, nowMs: number): Check {
  if (!authority)
    return { ok: true, attention: true, message: 'the agents’ listener speaks plain HTTP' }
  const { ca, next, serverNotAfterMs } = authority.status()
  const until = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  if (ca.notAfterMs - nowMs < WARN_BEFORE_MS) {
    return {
      ok: false,
      message: `the CA is good until ${until(ca.notAfterMs)}: ${next ? '"admin ca finish-rotation" ends its rotation' : 'bring in a new one with "admin ca rotate"'}`,
    }
  }
  return {
    ok: true,
    message: `the CA is good until ${until(ca.notAfterMs)}, the listener’s certificate until ${until(serverNotAfterMs)}`,
  }
}

/** Of sites. What has expired and is served breaks them now; what will, or is not renewed in time, somebody is to look after. */
export function checkCertificates(
  { byState, ends }: Measured,
  late: readonly string[],
  nowMs: number,
): Check {
  const { good = 0, expiring = 0, expired = 0 } = Object.fromEntries(byState)
  const broken = ends.find(({ servedNotAfterMs }) => (servedNotAfterMs ?? nowMs) < nowMs)
  const message =
    good + expiring + expired === 0
      ? 'there are no certificates'
      : `certificates: ${good} good, ${expiring} to expire soon, ${expired} expired`
  // Anybody may ask: no names.
  if (broken) return { ok: false, message: `${message}; nodes serve one that has expired` }
  const failing = late.length === 0 ? '' : `; ${late.length} could not be renewed in time`
  const isFine = expiring + expired + late.length === 0
  return { ok: true, message: `${message}${failing}`, ...(!isFine && { attention: true }) }
}

type Backups = { check(): Promise<Check> }

/** null: none are made, as nobody said to whom they are encrypted. */
export async function checkBackups(
  backups: Backups | null,
  { recovery }: Pick<Identity, 'recovery'>,
): Promise<Check> {
  if (recovery) {
    return {
      ok: false,
      message: 'restored from a backup: nodes get nothing until somebody confirms',
    }
  }
  if (!backups) {
    const message = 'none are made: FARMSTEAD_BACKUP_RECIPIENTS is not set'
    return { ok: true, attention: true, message }
  }
  return await backups.check()
}

// SPDX-License-Identifier: MIT
// Which version was served before: a pure decision over a config's rollouts.
import type { Rollout } from '../api-types.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'

type Past = Pick<Rollout, 'id' | 'state' | 'version' | 'selector' | 'namesNodes'>
type Target = { ok: true; version: number } | { ok: false; reason: string; exitCode: ExitCode }

const UNDER_WAY = new Set<Rollout['state']>(['running', 'paused', 'aborting', 'reverting'])

const isOfAll = ({ selector, namesNodes }: Past) => selector === '' && !namesNodes

/** Newest first. Rollouts to some nodes only say nothing of what the farm served. */
export function rollbackTarget(config: string, rollouts: readonly Past[]): Target {
  const under = rollouts.find(({ state }) => UNDER_WAY.has(state))
  if (under) {
    const reason = `${under.id} of ${config}@${under.version} is ${under.state}. Take it back: farmctl rollout revert ${under.id}`
    return { ok: false, reason, exitCode: EXIT.conflict }
  }
  const done = rollouts
    .filter((past) => past.state === 'succeeded' && isOfAll(past))
    .map(({ version }) => version)
  const [last, ...before] = done
  const version = before.find((one) => last !== undefined && one < last)
  if (version !== undefined) return { ok: true, version }
  const what = last === undefined ? 'no version' : `no version below ${last}`
  const reason = `There is nothing to go back to: ${what} of ${config} was rolled out to the whole farm. Name one: farmctl rollout rollback ${config} --to VERSION`
  return { ok: false, reason, exitCode: EXIT.failed }
}

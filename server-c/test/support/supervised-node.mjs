// SPDX-License-Identifier: MIT
// Each test of a file that imports this has a node of its own, with the two processes of `run`.
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach } from 'node:test'
import { joinNode } from './joined-node.mjs'

/** A sanitizer must not take these for faults of the program's own. */
const signalsAreOurs = 'handle_segv=0:handle_abort=0'
const env = {
  ASAN_OPTIONS: [process.env.ASAN_OPTIONS, signalsAreOurs].filter(Boolean).join(':'),
  TSAN_OPTIONS: [process.env.TSAN_OPTIONS, signalsAreOurs].filter(Boolean).join(':'),
}

export let control
export let node
let leave
beforeEach(async () => {
  ;({ control, node, leave } = await joinNode())
})
afterEach(() => leave())

export const start = () => node.start(env)

export const confirmedGeneration = () => node.confirmed()?.generation ?? 0

export async function serving(version) {
  const { generation } = control.assign(node.config(version))
  if (node.pid === undefined) start()
  await node.untilVersion(version)
  await node.untilConfirmed(generation)
}

/** One that nobody has waited for yet is dead, too. */
export function lives(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Ends the serving process; resolves when there is another. */
export async function crash(signal = 'SIGSEGV') {
  const pid = await control.until('a process', () => node.servingPid)
  process.kill(pid, signal)
  return control.until('another process', () => {
    const now = node.servingPid
    return now !== undefined && now !== pid && now
  })
}

/** The lastResult that says how `generation` was taken back. */
export const untilTold = (generation, from = 0) =>
  control.until(`the end of generation ${generation}`, () => {
    const told = control
      .of('hello')
      .slice(from)
      .filter((one) => one.status === 200)
    return told
      .map(({ body }) => body.lastResult)
      .find((one) => one?.generation === generation && one.outcome === 'reverted')
  })

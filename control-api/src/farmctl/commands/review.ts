// SPDX-License-Identifier: MIT
// What would be done is shown, asked for, and done: step by step, so that a break can be gone on from.
import type { Command } from 'commander'
import { isOvertaken } from '../apply/configs.ts'
import { describeSteps, type Step, viewStep } from '../apply/steps.ts'
import { agree, type Tool } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { Difference, Failure } from '../failures.ts'

export type Review = { dryRun?: boolean; exitCode?: boolean; yes?: boolean }

export const reviewed = (command: Command) =>
  command.option('--dry-run', 'show what it would do only').option('-y, --yes', 'do not ask')

export async function review(
  tool: Tool,
  steps: readonly Step[],
  { dryRun = false, exitCode, yes }: Review,
  requireReady: (work: readonly Step[]) => void = () => {},
): Promise<void> {
  const work = steps.filter(({ run }) => run !== null)
  if (!tool.json) tool.terminal.print(describeSteps(steps, painter(tool)).join('\n'))
  if (dryRun || work.length === 0) {
    if (tool.json) tool.show({ steps: steps.map(viewStep), applied: false }, () => [])
    if (dryRun && exitCode && work.length > 0) throw new Difference('There is something to do.')
    return
  }
  requireReady(work)
  await agree(tool, yes, 'Do this?')
  const done = await carryOut(tool, work)
  if (tool.json) tool.show({ steps: steps.map(viewStep), applied: true, done }, () => [])
}

async function carryOut(tool: Tool, work: readonly Step[]): Promise<string[]> {
  const done: string[] = []
  for (const { kind, name, run } of work) {
    try {
      const said = await run?.()
      if (said === undefined) continue
      done.push(said)
      if (!tool.json) tool.terminal.print(said)
    } catch (error) {
      tool.terminal.error(
        `${kind} ${name} failed; ${done.length} of ${work.length} steps were done. Apply again to go on.`,
      )
      if (isOvertaken(error) && error instanceof Error) {
        throw new Failure(`${error.message}\nRun it again: it shows what changed.`, EXIT.conflict)
      }
      throw error
    }
  }
  return done
}

export const painter =
  ({ terminal }: Tool) =>
  (line: string) => {
    if (line.startsWith('+')) return terminal.style('green', line)
    if (line.startsWith('-')) return terminal.style('red', line)
    return line.startsWith('@@') ? terminal.style('cyan', line) : line
  }

// SPDX-License-Identifier: MIT
// One command, from its words to its exit code; whose process it is, is main.ts's matter.
import { CommanderError } from 'commander'
import { unknownNames } from '../base/known-environment.ts'
import { visible } from '../base/terminal-text.ts'
import type { Process } from './command.ts'
import { EXIT } from './exit-codes.ts'
import { errorDocument, exitCodeFor, explain } from './failures.ts'
import { createProgram, wantsJson } from './program.ts'

export async function run(process: Process, words: readonly string[]): Promise<number> {
  const { env, stderr, stop } = process
  try {
    for (const sentence of unknownNames(env)) stderr.write(`farmctl: ${sentence}\n`)
    const program = createProgram(process, { asJson: wantsJson(words) })
    await program.parseAsync(words, { from: 'user' })
    return stop.aborted ? EXIT.interrupted : EXIT.ok
  } catch (error) {
    return tell(process, words, error)
  }
}

/** Says what went wrong, and returns the exit code for it. */
export function tell(
  { stderr, stop }: Pick<Process, 'stderr' | 'stop'>,
  words: readonly string[],
  error: unknown,
): number {
  const isUsage = error instanceof CommanderError
  if (isUsage && error.exitCode === 0) return EXIT.ok
  const exitCode = stop.aborted
    ? EXIT.interrupted
    : exitCodeFor(error, { asksForDifference: words.includes('--exit-code') })
  const say = (text: string) => stderr.write(`${stderr.isTTY ? visible(text) : text}\n`)
  // No escape of JSON: U+009B and U+202E stand in it as they are.
  if (wantsJson(words)) say(JSON.stringify(errorDocument(error, exitCode)))
  // Commander has said what is wrong.
  else if (!isUsage) say(`farmctl: ${explain(error)}`)
  return exitCode
}

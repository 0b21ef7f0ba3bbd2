// SPDX-License-Identifier: MIT
// The frame of every command: a Problem is printed as its sentence, a bug keeps its stack.
import { asProblem } from './problem.mjs'

/**
 * Runs a command's main function; a Problem is printed as its sentence, anything else with its stack.
 * @param {() => Promise<number>} main returns the exit code
 */
export async function runMain(main) {
  try {
    process.exitCode = await main()
  } catch (error) {
    const { detail, message } = asProblem(error)
    if (detail) process.stderr.write(`\n${detail}\n`)
    process.stderr.write(`\n${message}\n`)
    process.exitCode = 1
  }
}

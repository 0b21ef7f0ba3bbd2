// SPDX-License-Identifier: MIT
import type { Command } from 'commander'

/** Every command shows how it is used. */
export const examples = (command: Command, lines: readonly string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)

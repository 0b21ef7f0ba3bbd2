// SPDX-License-Identifier: MIT
// The manual page: what every command's --help says, as troff (man-pages(7)).
import type { Command } from 'commander'
import type { Act } from '../command.ts'
import { examples } from './examples.ts'

export function registerMan(program: Command, act: Act): void {
  const man = program.command('man').description('print all of this as a manual page')
  examples(man, ['farmctl man | man -l -', 'farmctl man > ~/.local/share/man/man1/farmctl.1'])
  act(man, async ({ terminal, process: { version } }) => {
    terminal.print(manualOf(program, version))
  })
}

export function manualOf(program: Command, version: string): string {
  const commands = leavesOf(program).flatMap((command) => [
    `.SS ${escaped(pathOf(command))}`,
    '.nf',
    ...helpOf(command).split('\n').map(escaped),
    '.fi',
  ])
  return [
    `.TH FARMCTL 1 "" "Farmstead ${version}" "User Commands"`,
    '.SH NAME',
    `farmctl \\- ${escaped(program.description())}`,
    '.SH SYNOPSIS',
    '.B farmctl',
    '.RI [ options ] " command " ...',
    '.SH DESCRIPTION',
    '.nf',
    ...helpOf(program).split('\n').map(escaped),
    '.fi',
    '.SH COMMANDS',
    ...commands,
    '',
  ].join('\n')
}

const leavesOf = (command: Command): Command[] =>
  command.commands
    .filter((one) => one.name() !== 'complete')
    .flatMap((one) => (one.commands.length === 0 ? [one] : leavesOf(one)))

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name()

/** With the examples, which helpInformation() leaves out. */
function helpOf(command: Command): string {
  let text = ''
  const { writeOut } = command.configureOutput()
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  command.configureOutput({ ...(writeOut && { writeOut }) })
  return text.trimEnd()
}

/** troff reads a backslash, and a dot or quote that begins a line. */
const escaped = (line: string) =>
  line
    .replaceAll('\\', '\\e')
    .replace(/^(?=[.'])/, '\\&')
    .replaceAll('-', '\\-')

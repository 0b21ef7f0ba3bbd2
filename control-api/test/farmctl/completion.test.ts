// SPDX-License-Identifier: MIT
// The bash script is run in bash; every command’s help is read.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { candidates } from '../../src/farmctl/commands/completion.ts'
import { manualOf } from '../../src/farmctl/commands/man.ts'
import { createProgram } from '../../src/farmctl/program.ts'

const BIN = resolve(import.meta.dirname, '../../bin')
const program = createProgram({
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: {},
  version: '0',
  stop: new AbortController().signal,
})
const isHidden = (command: Command) => command.name() === 'complete'
const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

describe('completion', () => {
  test.each([
    [['ro'], ['rollout']],
    [
      ['rollout', 'st'],
      ['start', 'status'],
    ],
    [['get', 'no'], ['nodes']],
    [
      ['get', 'nodes', '-o', ''],
      ['table', 'wide', 'json', 'name'],
    ],
    [['apply', '--pru'], ['--prune']],
    [['config', 'apply', '--js'], ['--json']],
    [['frobnicate', 'x'], []],
  ])('of %j is %j', (words, found) => {
    expect(candidates(program, words)).toEqual(found)
  })

  test('works in bash', { timeout: 60_000 }, async () => {
    const script = `source <(farmctl completion bash)
      COMP_WORDS=(farmctl rollout st); COMP_CWORD=2; _farmctl; printf '%s\\n' "\${COMPREPLY[@]}"`
    const env = { PATH: `${BIN}:${process.env.PATH}` }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    expect(stdout).toBe('start\nstatus\n')
  })
})

const named = leaves(program)
  .filter((command) => !isHidden(command))
  .map((command) => [command.name(), command] as const)

test.each(named)('the help of %s shows how it is used', (_, command) => {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  expect(text).toMatch(/\nExamples:\n {2}\S/)
  expect(command.description()).not.toBe('')
})

test('the manual page has every command, in known troff requests only', () => {
  const page = manualOf(program, '0')
  const lines = page.split('\n')
  const requests = lines.filter((line) => /^[.']/.test(line)).map((line) => line.split(' ', 1)[0])
  expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.SS', '.B', '.RI', '.nf', '.fi']))
  expect(requests.filter((one) => one === '.SS')).toHaveLength(named.length)
})

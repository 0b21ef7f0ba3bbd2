// SPDX-License-Identifier: MIT
// `admin import-config`, as an operator runs it.
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { COMPILED } from '../../compiled.ts'
import { nodeBinary, tempDir } from '../../helper.ts'
import { PROGRAMS } from '../../programs.ts'
import { OTHER, TEXT } from './config-client.ts'

/** Three processes, one after the other, on a machine that may be busy. */
const RUNS_WITHIN_MS = 120_000

test(
  'import-config reads standard input, and names it where an error is',
  () => {
    const dataDir = tempDir()
    const run = (input: string | Buffer) => {
      const args = ['--name', 'default', '--file', '-', '--message', 'piped']
      const { PATH = '' } = process.env
      return spawnSync(process.execPath, [PROGRAMS.admin, 'import-config', ...args], {
        input,
        encoding: 'utf8',
        env: { PATH, ...COMPILED, FARMSTEAD_DATA_DIR: dataDir, FARMSTEAD_NODE_BINARY: nodeBinary },
      })
    }
    expect(run(TEXT).stdout).toBe('stdin is version 1 of "default".\n')
    expect(run(OTHER).stdout).toContain('version 2')
    const latin = run(Buffer.from(TEXT.replace('one site', 'größe'), 'latin1'))
    expect([latin.status, latin.stderr]).toEqual([1, expect.stringMatching(/stdin:2:8: byte 0xF6/)])
    const refused = run(TEXT.replace('8080', '99999'))
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/^stdin:4:\d+: .*port.*99999/m)
  },
  RUNS_WITHIN_MS,
)

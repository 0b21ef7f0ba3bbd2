// SPDX-License-Identifier: MIT
// clang-tidy looks again at what has changed in any way that it could see, and at what was wrong; at nothing else.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../server-c/test/tidy.mjs', import.meta.url))
const RIGHT = '#include "a.h"\nint two(int x) { if (x > LIMIT) return 2; return x; }\n'
const WRONG = '#include "a.h"\nint two(int x) { if (x > LIMIT); return 2; }\n'

function project(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'farmstead-tidy-'))
  t.after(() => rmSync(dir, { recursive: true }))
  const at = (name: string) => join(dir, name)
  const write = (name: string, text: string) => writeFileSync(at(name), text)
  const compile = (...words: string[]) => {
    const command = ['/usr/bin/cc', ...words, '-o', 'a.o', '-c', at('a.c')].join(' ')
    write('compile_commands.json', JSON.stringify([{ directory: dir, command, file: at('a.c') }]))
  }
  const checks = (list: string) =>
    write('.clang-tidy', `Checks: '-*,${list}'\nWarningsAsErrors: '*'\n`)
  /** How many files it looked at, and whether all were right. */
  const tidy = (...words: string[]) => {
    const kept = ['--build', dir, '--kept', at('kept')]
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, ...kept, ...words, at('a.c')],
      { encoding: 'utf8' },
    )
    const [, checked] = /clang-tidy: (\d) of 1 /.exec(stdout) ?? []
    return [checked === undefined ? `${stdout}${stderr}` : Number(checked), status === 0]
  }
  write('a.h', '#define LIMIT 2\n')
  write('a.c', RIGHT)
  compile('-std=c11')
  checks('bugprone-*')
  return { at, write, compile, checks, tidy }
}

it('looks once at what is right, and each time at what is wrong', (t) => {
  const { at, write, tidy } = project(t)
  assert.deepEqual(tidy(), [1, true])
  assert.deepEqual(tidy(), [0, true])
  assert.deepEqual(tidy('--all'), [1, true])
  write('a.c', WRONG)
  assert.deepEqual(tidy(), [1, false])
  assert.deepEqual(tidy(), [1, false])
  write('a.c', RIGHT)
  assert.deepEqual(tidy(), [0, true])
  assert.equal(readdirSync(at('kept')).length, 1)
})

it('looks again when a header, a comment, a macro, the command or the checks are others', (t) => {
  const { at, compile, checks, tidy } = project(t)
  tidy()
  for (const change of [
    () => appendFileSync(at('a.h'), 'int unused(void);\n'),
    () => appendFileSync(at('a.h'), '// NOLINTNEXTLINE\n'),
    () => appendFileSync(at('a.h'), '#define NEVER_USED 1\n'),
    () => appendFileSync(at('a.h'), '#ifdef NOWHERE\n// NOLINTBEGIN\n// NOLINTEND\n#endif\n'),
    () => compile('-std=c11', '-DNEVER_USED=1'),
    () => checks('bugprone-*,misc-static-assert'),
  ]) {
    change()
    assert.deepEqual(tidy(), [1, true], `${change}`)
    assert.deepEqual(tidy(), [0, true], `${change}`)
  }
})

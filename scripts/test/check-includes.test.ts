// SPDX-License-Identifier: MIT
// server-c's order of folders is held by a script: what is planted against it is found and named.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'

const script = fileURLToPath(new URL('../../server-c/test/check-includes.mjs', import.meta.url))

const house = {
  'README.md': [
    '| folder | what lives there | promises |',
    '|---|---|---|',
    '| `low/` | what all build on | pure |',
    '| `mid/` | what some build on | pure: `parser` |',
    '| `high/` | what runs | |',
    '',
  ].join('\n'),
  'low/README.md': '# low\n',
  'mid/README.md': '# mid\n',
  'high/README.md': '# high\n',
  'low/buf.h': '',
  'low/buf.c': '#include "low/buf.h"\n#include <string.h>\n',
  'mid/parser.h': '#include "low/buf.h"\n',
  'mid/reader.c': '#include "mid/parser.h"\n#include <fcntl.h>\n',
  'high/main.c': '#include "mid/parser.h"\n#include <uv.h>\n',
}

function check(planted: Record<string, string>) {
  const src = mkdtempSync(join(tmpdir(), 'farmstead-includes-'))
  try {
    for (const [file, text] of Object.entries({ ...house, ...planted })) {
      mkdirSync(dirname(join(src, file)), { recursive: true })
      writeFileSync(join(src, file), text)
    }
    const { status, stderr } = spawnSync(process.execPath, [script, src], { encoding: 'utf8' })
    return { status, said: stderr.trim() }
  } finally {
    rmSync(src, { recursive: true })
  }
}

type Row = [name: string, planted: Record<string, string>, said: RegExp]

const rows: Row[] = [
  [
    'an include upwards',
    { 'low/mem.c': '\n#include "high/loop.h"\n', 'high/loop.h': '' },
    /^low\/mem\.c:2: "high\/loop\.h" is of a folder that src\/README\.md lists later$/,
  ],
  [
    'a loop in a pure folder',
    { 'low/mem.c': '#include <uv.h>\n' },
    /^low\/mem\.c:1: what is pure does not include <uv\.h>$/,
  ],
  [
    'a file in a pure module',
    { 'mid/parser.c': '#include <sys/stat.h>\n' },
    /^mid\/parser\.c:1: what is pure does not include <sys\/stat\.h>$/,
  ],
  [
    'a folder that is not listed',
    { 'attic/README.md': '', 'attic/old.c': '' },
    /^attic\/: give it its place in src\/README\.md$/,
  ],
  ['a file outside of all folders', { 'stray.c': '' }, /^stray\.c: move it into a folder$/],
  [
    'a folder that says nothing of itself',
    { 'README.md': `${house['README.md']}| \`top/\` | new | |\n`, 'top/a.c': '' },
    /^top\/: say in a README\.md what lives there$/,
  ],
  [
    'a folder that is gone',
    { 'README.md': `${house['README.md']}| \`top/\` | gone | |\n` },
    /^top\/: src\/README\.md lists it, and nothing is in it$/,
  ],
  [
    'an include by the bare name',
    { 'low/mem.c': '#include "buf.h"\n' },
    /^low\/mem\.c:1: "buf\.h" is not in src: write "folder\/file\.h"$/,
  ],
]

describe('check-includes', () => {
  it('passes where includes go down only', () => {
    assert.deepEqual(check({}), { status: 0, said: '' })
  })
  for (const [name, planted, said] of rows) {
    it(`finds ${name}`, () => {
      const result = check(planted)
      assert.equal(result.status, 1)
      assert.match(result.said, said)
    })
  }
})

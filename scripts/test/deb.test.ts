// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { it } from 'node:test'
import { systemdTakes } from '../packaging/deb.mjs'
import { root } from '../setup/paths.mjs'

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0
const folders = ['server-c/packaging/systemd', 'control-api/packaging/systemd']

it('systemd takes the units of the packages, and what they leave open is bounded', {
  skip: !hasSystemd && 'there is no systemd-analyze here',
}, (t) => {
  const scratch = mkdtempSync(join(tmpdir(), 'farmstead-units-'))
  t.after(() => rmSync(scratch, { recursive: true }))
  const units = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name)),
  )
  assert.equal(units.length, 3)
  const copies = units.map((unit) => {
    const copy = join(scratch, basename(unit))
    // The programs are not installed here.
    writeFileSync(
      copy,
      readFileSync(unit, 'utf8').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'),
    )
    return copy
  })
  assert.equal(systemdTakes(copies), true)
  const open = join(scratch, 'open.service')
  writeFileSync(open, '[Service]\nExecStart=/bin/true\n')
  assert.throws(() => systemdTakes([open]), /security/)
})

// SPDX-License-Identifier: MIT
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { keyFiles, replaceable } from '../../src/backup/data-folder.ts'
import { createReserve } from '../../src/storage/reserve.ts'
import { tempDir } from '../helper.ts'

test('a backup holds keys, and neither measurements nor what only keeps room', async () => {
  const dataDir = tempDir()
  for (const name of ['control.db', 'metrics.db', 'session.key']) {
    writeFileSync(join(dataDir, name), '')
  }
  expect(await createReserve(dataDir).hold()).toBe(true)
  expect(keyFiles(dataDir)).toEqual(['session.key'])
  expect(replaceable(dataDir)).toEqual(['control.db', 'session.key'])
})

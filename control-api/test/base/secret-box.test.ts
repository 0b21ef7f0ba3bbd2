// SPDX-License-Identifier: MIT
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSecretBox, SecretNotReadable } from '../../src/base/secret-box.ts'
import { sessionKey } from '../../src/plugins/session.ts'
import { tempDir } from '../helper.ts'

test('what was sealed opens again, after a restart too, and shows nothing', () => {
  const dir = tempDir()
  const sealed = openSecretBox(dir).seal('JBSWY3DPEHPK3PXP', 'totp user_1')
  expect(sealed).not.toContain('JBSWY3')
  expect(openSecretBox(dir).seal('JBSWY3DPEHPK3PXP', 'totp user_1')).not.toBe(sealed)
  expect(openSecretBox(dir).open(sealed, 'totp user_1')).toBe('JBSWY3DPEHPK3PXP')
  expect(statSync(join(dir, 'secrets.key')).mode & 0o777).toBe(0o600)
})

test('another purpose, another key, a changed or a cut text do not open', () => {
  const dir = tempDir()
  const box = openSecretBox(dir)
  const sealed = box.seal('secret', 'webhook 1')
  const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`
  expect(() => box.open(sealed, 'webhook 2')).toThrow(SecretNotReadable)
  expect(() => openSecretBox(tempDir()).open(sealed, 'webhook 1')).toThrow(SecretNotReadable)
  for (const bad of [changed, sealed.slice(0, 20), sealed.replace('box1', 'box2'), '', 'box1.']) {
    expect(() => box.open(bad, 'webhook 1'), bad).toThrow(SecretNotReadable)
  }
})

test('a key file that was damaged stops the start and says so', () => {
  const dir = tempDir()
  openSecretBox(dir)
  const path = join(dir, 'secrets.key')
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 10))
  expect(() => openSecretBox(dir)).toThrow(/secrets\.key does not hold a key/)
})

// Nginx Proxy Manager's key of sign-ins was readable by everybody (its issue 5791).
test.each(['secrets.key', 'session.key'])('%s that others can read is refused', (name) => {
  const dir = tempDir()
  const open = () => (name === 'secrets.key' ? openSecretBox(dir) : sessionKey(dir))
  open()
  const path = join(dir, name)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  for (const mode of [0o640, 0o604, 0o644]) {
    chmodSync(path, mode)
    expect(open).toThrow(`${path} can be read by others (mode 0${mode.toString(8)})`)
  }
  chmodSync(path, 0o600)
  open()
})

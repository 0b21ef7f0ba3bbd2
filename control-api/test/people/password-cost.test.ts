// SPDX-License-Identifier: MIT
// What a password costs, which no other test pays (test/cheap-passwords.ts).
import { afterEach, beforeEach, expect, test } from 'vitest'
import { hashFor, hashPassword, verifyPassword } from '../../src/people/passwords.ts'
import { cheapPasswords, dearPasswords } from '../cheap-passwords.ts'

beforeEach(() => void dearPasswords())
afterEach(() => void cheapPasswords())

test('a password of people takes 64 MiB and three passes to check', async () => {
  const stored = await hashFor('user_1', 'correct horse battery staple')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  expect(await hashPassword('another')).toMatch(/\$m=65536,t=3,p=1\$/)
  expect(await verifyPassword('correct horse battery staple', stored)).toBe(true)
  expect(await verifyPassword('correct horse battery stapler', stored)).toBe(false)
})

test('who has no password costs as much as who has', async () => {
  const cost = async (stored: string) => {
    const before = process.cpuUsage()
    await verifyPassword('wrong', stored)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const somebody = await cost(await hashFor('user_1', 'right'))
  expect(await cost('')).toBeGreaterThan(somebody / 3)
})

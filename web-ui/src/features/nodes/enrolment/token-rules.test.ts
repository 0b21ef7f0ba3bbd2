// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { createdToken, node } from '../../../test/samples.ts'
import { cameBack, isPlain, parseUses, stateFolder, tokenVerdict } from './token-rules.ts'

const minutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()

describe('uses', () => {
  test.each(['1', ' 7 ', '1000'])('%j is a number of uses', (text) => {
    expect(parseUses(text)).toEqual({ ok: true, uses: Number(text) })
  })
  test.each(['', '0', '1001', '-1', '1.5', '1e2', 'two'])('%j is none', (text) => {
    expect(parseUses(text).ok).toBe(false)
  })
})

test('a token is good, then used up or expired; used up says more', () => {
  const now = Date.now()
  expect(tokenVerdict(createdToken(), now).label).toBe('Good')
  expect(tokenVerdict(createdToken({ expiresAt: minutes(-1) }), now).label).toBe('Expired')
  const used = createdToken({ uses: 2, maxUses: 2, expiresAt: minutes(-1) })
  expect(tokenVerdict(used, now).label).toBe('Used up')
})

test('a token without a fingerprint is for plain HTTP', () => {
  expect(isPlain(createdToken())).toBe(false)
  expect(isPlain(createdToken({ token: 'fst_secret' }))).toBe(true)
})

test('finds the state folder in the command', () => {
  expect(stateFolder('farmstead-node join u --token t --state /var/lib/farmstead')).toBe(
    '/var/lib/farmstead',
  )
  expect(stateFolder('farmstead-node join u --token t --state /srv/a --rejoin')).toBe('/srv/a')
  expect(stateFolder('farmstead-node join u')).toBeNull()
})

test('a node has come back once its identity is newer than the token for it', () => {
  const token = createdToken({ createdAt: minutes(-5), nodeId: node().id })
  const withIdentity = (issuedAt: string | null) =>
    node({ identity: { ...node().identity, issuedAt } })
  expect(cameBack(token, withIdentity(minutes(-6)))).toBe(false)
  expect(cameBack(token, withIdentity(null))).toBe(false)
  expect(cameBack(token, withIdentity(minutes(-4)))).toBe(true)
})

// SPDX-License-Identifier: MIT
// Passwords are guessed by a hundred at once, for longer than what is known of a file is trusted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { get } from '../support/raw.mjs'
import { basic, SLOW, start, ZOE } from '../support/sign-in.mjs'

test('guessing does not keep those out who are in, nor anybody from other paths', async (t) => {
  const { node } = await start(t, `zoe:${SLOW}\n`)
  assert.equal((await get(node.port, '/in/page.txt', ZOE)).status, 200)
  let isOver = false
  const guesses = []
  const guess = async (number) => {
    for (let i = 0; !isOver; i++) {
      const options = { lines: [basic('zoe', `guess-${number}-${i}`)] }
      guesses.push((await get(node.port, '/in/page.txt', options)).status)
    }
  }
  const guessers = Array.from({ length: 100 }, (_, i) => guess(i))
  const end = Date.now() + 7000 // longer than what is known of a file is trusted
  while (Date.now() < end) {
    assert.equal((await get(node.port, '/in/page.txt', ZOE)).status, 200)
    assert.equal((await get(node.port, '/out.txt')).status, 200)
    await sleep(50)
  }
  isOver = true
  await Promise.all(guessers)
  assert.deepEqual(
    [...new Set(guesses)].filter((status) => status !== 401 && status !== 503),
    [],
  )
  assert.ok(guesses.includes(503), 'the queue is bounded')
})

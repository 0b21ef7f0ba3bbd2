// SPDX-License-Identifier: MIT
// Challenges of authorities (RFC 8555 section 8.3): the node answers those that it was given, to nobody else and
// for no longer, whatever its sites say.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { joinNodeFor } from '../support/joined-node.mjs'
import { until } from '../support/node.mjs'
import { exchange, request } from '../support/raw.mjs'

const TOKEN = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA'
const ANSWER = `${TOKEN}.9jg46WB3rR_AHD-EBXdN7cBkH1WOu0tA3M9fm21mqTI`
const PATH = '/.well-known/acme-challenge/'
const challenge = (more = {}) => ({
  host: 'shop.example',
  token: TOKEN,
  keyAuthorization: ANSWER,
  endsInMs: 600_000,
  ...more,
})

async function farm(t) {
  const { control, node } = await joinNodeFor(t)
  /** The node's site, with `site` over it. */
  const serve = async (site = {}) => {
    const config = node.config('v1')
    Object.assign(config.sites[0], site)
    control.assign(config)
    node.start()
    await control.until('confirmed', () => control.of('confirm').length > 0)
  }
  const ask = (target, host = 'shop.example', options = {}) =>
    exchange(node.port, request(target, { host, ...options }), {
      isHead: options.method === 'HEAD',
    })
  const untilHeld = (...tokens) =>
    control.until('it says what it answers', () => {
      const { body } = control.wishes().at(-1)
      return body.challenges?.join() === tokens.join()
    })
  return { control, node, serve, ask, untilHeld }
}

describe('challenges of authorities', { concurrency: 4 }, () => {
  test('one is answered for its host and token alone, before redirects and rules', async (t) => {
    const { control, serve, ask, untilHeld } = await farm(t)
    await serve({
      redirects: [{ match: '^/', to: 'https://elsewhere.example/' }],
      access: [{ action: 'deny', paths: ['/**'] }],
    })
    await untilHeld()
    assert.equal((await ask(PATH + TOKEN)).status, 301)
    control.challenge(challenge())
    await untilHeld(TOKEN)
    const answer = await ask(PATH + TOKEN)
    assert.equal(answer.status, 200)
    assert.equal(answer.text, ANSWER)
    assert.match(answer.headers['content-type'], /^text\/plain/)
    assert.equal((await ask(PATH + TOKEN, 'SHOP.example:80')).text, ANSWER)
    const head = await ask(PATH + TOKEN, 'shop.example', { method: 'HEAD' })
    assert.equal(head.headers['content-length'], String(ANSWER.length))
    for (const [target, host] of [
      [PATH + TOKEN, 'other.example'],
      [PATH + TOKEN, 'www.shop.example'],
      [PATH + TOKEN.slice(0, -1), 'shop.example'],
      [`${PATH}${TOKEN}x`, 'shop.example'],
      [`${PATH}${TOKEN}/`, 'shop.example'],
      [`${PATH}${TOKEN.toUpperCase()}`, 'shop.example'],
      [PATH, 'shop.example'],
      [`${PATH}../acme-challenge/${TOKEN}`, 'shop.example'],
    ])
      assert.notEqual((await ask(target, host)).text, ANSWER, `${host} ${target}`)
    assert.notEqual((await ask(PATH + TOKEN, 'shop.example', { method: 'POST' })).text, ANSWER)
  })

  test('one is gone when the control plane says so, and at its end without it', async (t) => {
    const { control, node, serve, ask, untilHeld } = await farm(t)
    await serve()
    mkdirSync(join(node.root, PATH), { recursive: true })
    writeFileSync(join(node.root, PATH, TOKEN), 'of the site')
    control.challenge(challenge())
    await untilHeld(TOKEN)
    control.challenge()
    await untilHeld()
    assert.notEqual((await ask(PATH + TOKEN)).text, ANSWER)
    const given = performance.now()
    const lastsMs = 3000
    control.challenge(challenge({ endsInMs: lastsMs }))
    await untilHeld(TOKEN)
    await control.stop()
    await until(async () => {
      const { text } = await ask(PATH + TOKEN)
      if (performance.now() - given < lastsMs) assert.equal(text, ANSWER)
      return text === 'of the site'
    }, 'the file of the site')
    control.challenges = []
    await control.start()
  })

  test('hosts that no site has are answered, too; several at a time', async (t) => {
    const { control, serve, ask, untilHeld } = await farm(t)
    await serve({ hosts: ['a.example'] })
    assert.equal((await ask(PATH + TOKEN)).status, 421)
    const many = Array.from({ length: 256 }, (_, i) =>
      challenge({ token: `token-${i}`, keyAuthorization: `answer-${i}` }),
    )
    control.challenge(...many)
    await untilHeld(...many.map(({ token }) => token))
    for (const i of [0, 100, 255])
      assert.equal((await ask(`${PATH}token-${i}`)).text, `answer-${i}`)
  })

  test('what is no challenge is not taken, and asked for no more often than other nonsense', async (t) => {
    const { control, serve, ask, untilHeld } = await farm(t)
    await serve()
    control.challenge(challenge())
    await untilHeld(TOKEN)
    control.answersBadly = true
    for (const wrong of [
      { token: '../../etc/passwd' },
      { keyAuthorization: 'two\r\nlines' },
      { keyAuthorization: 'x'.repeat(600) },
      { host: '' },
      { endsInMs: -1 },
    ]) {
      const asked = control.wishes().length
      control.challenge(challenge({ token: 'another', ...wrong }))
      await control.until('asked again', () => control.wishes().length > asked)
      assert.deepEqual(control.wishes().at(-1).body.challenges, [TOKEN])
    }
    control.challenge(challenge())
    await untilHeld(TOKEN)
    assert.equal((await ask(PATH + TOKEN)).text, ANSWER)
  })
})

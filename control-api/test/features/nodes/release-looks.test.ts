// SPDX-License-Identifier: MIT
// Nodes that serve a version ask themselves for some of its files when somebody wants to know, and what they say is told.
import { describe, expect, test } from 'vitest'
import type { DesiredResponse, Effective } from '../../../src/agent-protocol/messages.gen.ts'
import { sha256 } from '../../../src/base/ids.ts'
import { enrolNode, example, type TestNode } from '../../agents/node-client.ts'
import { build, type Client } from '../../helper.ts'
import { personWith } from '../../person.ts'
import { push } from '../releases/pushing.ts'
import { run } from './running-release.ts'

const FILES = { 'a b.txt': 'one', 'css/site.css': 'two', '.hidden': 'three' }
const LOOK = '/api/v1/releases/www/versions/1/look'
type Probes = NonNullable<DesiredResponse['probes']>
type Answer = { status: number | null; bytes: number; sha256: string | null; mediaType: string }

async function farm(count: number) {
  let nowMs = Date.now()
  const service = await build({ now: () => nowMs })
  const { admin } = service
  const manifestSha256 = await push(admin, 'www', FILES, null)
  const nodes: TestNode[] = []
  const effectives: Effective[] = []
  for (let at = 0; at < count; at++) {
    const node = await enrolNode(service, { labels: { zone: at === 0 ? 'eu' : 'us' } })
    await node.hello()
    effectives.push(await run(service, node, [{ name: 'www', number: 1, manifestSha256 }]))
    nodes.push(node)
  }
  const pass = (ms: number) => {
    nowMs += ms
  }
  return { service, admin, nodes, effectives, pass }
}

const ask = (who: Client) => who.inject({ method: 'POST', url: LOOK })

async function seen(who: Client) {
  const answer = await who.inject({ url: LOOK })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json()
}

async function orderOf(node: TestNode | undefined): Promise<Probes> {
  const told = (await node?.desired(null))?.json<DesiredResponse>()
  if (!told?.probes) throw new Error('it was told to ask for nothing')
  return told.probes
}

const right = (path: string): Answer => {
  const text = path === '/a%20b.txt' ? 'one' : 'two'
  return { status: 200, bytes: 3, sha256: sha256(text), mediaType: 'text/plain' }
}

/** Of each path that it was told to ask for. */
async function say(node: TestNode | undefined, { id, paths }: Probes, of = right) {
  await node?.report({ probed: { id, answers: paths.map(({ path }) => of(path)) } } as object)
}

describe('nodes that serve a version', () => {
  test('are asked for its files under a name of its site, and say what they are', async () => {
    const { admin, nodes } = await farm(2)
    expect(await seen(admin)).toMatchObject({ askedAt: null, nodes: { right: 0, waiting: 0 } })
    const begun = await ask(admin)
    expect(begun.statusCode, begun.body).toBe(202)
    expect(begun.json()).toMatchObject({ files: 2, nodes: { waiting: 2, right: 0, odd: 0 } })

    const [first, second] = [await orderOf(nodes[0]), await orderOf(nodes[1])]
    expect(first).toMatchObject({ count: 2, answers: true })
    // What is hidden no node serves.
    expect(first.paths.toSorted((a, b) => (a.path < b.path ? -1 : 1))).toEqual([
      { host: 'a.example', path: '/a%20b.txt' },
      { host: 'a.example', path: '/css/site.css' },
    ])
    await say(nodes[0], first)
    expect(await seen(admin)).toMatchObject({ nodes: { waiting: 1, right: 1, odd: 0 }, odd: [] })
    await say(nodes[1], second, (path) =>
      path === '/css/site.css' ? { ...right(path), status: 404 } : right(path),
    )
    expect(await seen(admin)).toMatchObject({
      nodes: { waiting: 0, right: 1, odd: 1 },
      odd: [
        {
          node: { id: nodes[1]?.id, name: nodes[1]?.name },
          ...{ url: 'a.example/css/site.css', message: '404, and is in www@1' },
        },
      ],
    })
  })

  test('with other bytes are odd; where a file is not for everybody nothing is said of it', async () => {
    const { admin, nodes } = await farm(2)
    await ask(admin)
    await say(nodes[0], await orderOf(nodes[0]), (path) => ({
      ...right(path),
      sha256: sha256('other'),
    }))
    await say(nodes[1], await orderOf(nodes[1]), (path) => ({ ...right(path), status: 401 }))
    const { nodes: counts, odd } = await seen(admin)
    expect(counts).toMatchObject({ odd: 1, right: 1 })
    expect(odd.map(({ message }: { message: string }) => message)).toEqual([
      'other content than www@1 has',
      'other content than www@1 has',
    ])
  })

  test('are silent when nothing comes, and what comes to an earlier question counts no more', async () => {
    const { admin, nodes, effectives, pass } = await farm(1)
    await ask(admin)
    const order = await orderOf(nodes[0])
    pass(200_000)
    await nodes[0]?.report({ effective: effectives[0] } as object)
    expect(await seen(admin)).toMatchObject({ nodes: { waiting: 0, silent: 1 } })
    expect((await ask(admin)).json()).toMatchObject({ nodes: { waiting: 1, silent: 0 } })
    await say(nodes[0], order)
    expect(await seen(admin)).toMatchObject({ nodes: { waiting: 1, right: 0 } })
    await say(nodes[0], await orderOf(nodes[0]))
    expect(await seen(admin)).toMatchObject({ nodes: { waiting: 0, right: 1 } })
  })

  test('are told apart from those that are away or cannot say', async () => {
    const { service, admin, nodes, effectives } = await farm(2)
    const { capabilities } = example<{ capabilities: string[] }>('hello.request.first')
    const fewer = capabilities.filter((one) => one !== 'probeAnswers')
    await nodes[0]?.hello({ capabilities: fewer, effective: effectives[0] } as object)
    service.fleet.forget(nodes[1]?.id ?? '')
    expect((await ask(admin)).json()).toMatchObject({
      nodes: { unable: 1, away: 1, waiting: 0 },
    })
  })

  test('are those that who asks may see', async () => {
    const { service, admin, nodes } = await farm(2)
    const operator = await personWith(service, ['operator'], 'zone = us')
    expect((await ask(operator)).json()).toMatchObject({ nodes: { waiting: 1 } })
    const told = (await nodes[0]?.desired(null))?.json<DesiredResponse>()
    expect(told?.probes ?? null).toBeNull()
    await ask(admin)
    expect(await seen(operator)).toMatchObject({ nodes: { waiting: 1 } })
    const viewer = await personWith(service, ['viewer'], 'zone = us')
    expect((await ask(viewer)).statusCode).toBe(403)
    expect((await seen(viewer)).nodes.waiting).toBe(1)
  })

  test('are needed, and a version with a file', async () => {
    const { service, admin, nodes } = await farm(1)
    const at = (number: number) => `/api/v1/releases/www/versions/${number}/look`
    const post = async (number: number) =>
      (await admin.inject({ method: 'POST', url: at(number) })).json()
    expect(await post(2)).toMatchObject({ status: 404, code: 'version_not_found' })
    expect((await admin.inject({ url: at(2) })).json()).toMatchObject({ code: 'version_not_found' })
    const manifestSha256 = await push(admin, 'www', { '.hidden': 'x' }, 1)
    expect(await post(2)).toMatchObject({ status: 409, code: 'version_not_served' })
    const [node] = nodes as [TestNode]
    await run(service, node, [{ name: 'www', number: 2, manifestSha256 }])
    expect(await post(2)).toMatchObject({ status: 409, code: 'nothing_to_ask_for' })
  })
})

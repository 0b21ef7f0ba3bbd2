// SPDX-License-Identifier: MIT
// Nodes are asked what a version would do on their machines before anything is ordered.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Plan } from '../../../../src/features/rollouts/plan/planner.ts'
import { askNodes } from '../../../../src/features/rollouts/plan/preflight.ts'
import type { CheckAnswer, CheckQuestion } from '../../../../src/fleet/questions.ts'
import { checkQuestions } from '../../../../src/fleet/questions.ts'
import { tempDir } from '../../../helper.ts'
import { addNode, farm, order } from '../farm.ts'
import { realFarm } from '../real-farm.ts'

const WHOLE_TEST_MS = 400_000
const ANSWER = { message: '', errors: [], paths: [] }
const digest = `sha256:${'a'.repeat(64)}`
const preflight = (version: number, more: object = {}) => ({
  method: 'POST' as const,
  url: '/api/v1/rollouts/preflight',
  payload: { config: 'default', version, ...more },
})

test(
  'real nodes say that a page would be gone, and that a folder is missing, and nothing is ordered',
  async () => {
    const service = await realFarm(2)
    const { admin } = service
    const empty = await service.save(service.rootWith(null))
    const said = (await admin.inject(preflight(empty))).json()
    expect(said).toMatchObject({ samplePaths: [{ path: '/' }], answered: 2, isWhole: true })
    expect(said.nodes).toMatchObject(
      ['edge-0', 'edge-1'].map((nodeName) => ({
        ...{ nodeName, state: 'takes', code: null, errors: [] },
        paths: [{ running: 200, offered: 404 }],
      })),
    )
    const missing = await service.save(service.rootWith('three'))
    const samplePaths = [{ path: '/' }, { path: '/none' }]
    const good = (await admin.inject(preflight(missing, { samplePaths }))).json()
    expect(good.nodes[0].paths).toEqual([
      { running: 200, offered: 200 },
      { running: 404, offered: 404 },
    ])
    const nowhere = await service.save(join(tempDir(), 'nowhere'))
    const refused = (await admin.inject(preflight(nowhere))).json()
    expect(refused.nodes[0]).toMatchObject({ state: 'refuses', code: 'missing_file' })
    expect(refused.nodes[0].errors[0]).toMatchObject({ pointer: '/sites/0/root', line: 1 })
    expect(refused.nodes[0].paths).toEqual([{ running: 200, offered: null }])
    const { items } = (await admin.inject({ url: '/api/v1/rollouts' })).json()
    expect(items).toHaveLength(1)
  },
  WHOLE_TEST_MS,
)

test('what is not known is said as such: too old, away, nothing to change', async () => {
  const service = await farm(['edge-1', 'edge-2'])
  const { admin } = service
  await addNode(service, 'edge-3', false)
  const said = (await admin.inject(preflight(1))).json()
  expect(said).toMatchObject({ tooOld: 2, notConnected: 1, answered: 0, isWhole: false, nodes: [] })
  expect((await admin.inject(preflight(9))).statusCode).toBe(404)
  expect((await order(admin, { version: 1 }, '?dryRun=1')).statusCode).toBe(200)
})

test('who has not the files of a release yet is told what they take; an earlier version is not said to refuse', async () => {
  const release = { name: 'www', number: 2, manifestSha256: 'new' }
  const runs = (manifestSha256: string) =>
    JSON.stringify({ digest, releases: [{ name: 'www', number: 1, manifestSha256 }] })
  const effective: Record<string, string | null> = {
    ...{ has: runs('old'), lacks: runs('gone'), none: null },
  }
  const planned = (name: string) => ({
    ...{ digest, settledGeneration: null, configDigest: digest, text: '{}', textId: name },
    releases: [release],
    node: {
      ...{ id: name, name, cordon: null, os: 'linux', version: '1', capabilities: '["check"]' },
      ...{ labels: '{}', merge_patch: '{}', effective: effective[name] },
    },
  })
  const plan = {
    nodes: ['has', 'lacks', 'none'].map(planned),
    grouping: { of: () => ({}) },
  } as unknown as Plan
  const code = (nodeId: string) => (nodeId === 'lacks' ? 'release_content' : 'policy')
  const questions: Record<string, CheckQuestion> = {}
  const changed = { added: 1, changed: 2, removed: 3, fetchFiles: 4 }
  const deps = {
    askNode: async (nodeId: string, question: CheckQuestion) => {
      questions[nodeId] = question
      return { ...ANSWER, code: code(nodeId) } as const
    },
    // Of which version, nobody knows where its files are gone.
    changesOf: async (from: string | null) =>
      from === 'gone' ? null : { ...changed, fetchBytes: from ? 5 : 9, heldBytes: 14 },
    isConnected: () => true,
    errorsForAuthor: () => [],
    readText: () => ({}),
    monotonicMs: () => 0,
  }
  expect(await askNodes(deps, { plan, versionText: '{}', paths: [] })).toMatchObject({
    nodes: [{ nodeName: 'has', state: 'refuses' }, { nodeName: 'none' }],
    ...{ answered: 2, notAsked: 1, isWhole: false },
  })
  const takes = (fetchBytes: number) => [{ ...release, fetchBytes, heldBytes: 14 }]
  expect(questions).toMatchObject({
    has: { releases: takes(5) },
    lacks: { releases: takes(9) },
    none: { releases: takes(9) },
  })
})

test('a node is asked once, by one at a time, and who does not answer in time has said nothing', async () => {
  const woken: string[] = []
  const requests = checkQuestions((nodeId) => woken.push(nodeId))
  const question = { digest, text: '{}', paths: [] }
  const first = requests.ask('a', question, 60_000)
  expect(await requests.ask('a', question, 60_000)).toBe('busy')
  const given = requests.take('a')
  expect([woken, requests.take('a'), given?.kind]).toEqual([['a'], null, 'check'])
  const answer: CheckAnswer = { code: null, message: '', errors: [], paths: [] }
  const said = { incarnation: '0'.repeat(32), requestId: given?.requestId ?? '', ...answer }
  requests.answered('b', { ...said, code: 'schema' })
  requests.answered('a', said)
  expect(await first).toMatchObject(answer)
  expect(await requests.ask('a', question, 1)).toBeNull()
  requests.answered('a', said)
})

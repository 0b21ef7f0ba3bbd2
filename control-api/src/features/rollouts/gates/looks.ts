// SPDX-License-Identifier: MIT
// What nodes answer when they are asked for files of a release: each node with the version for some of its files, with
// their digests, and some without it for the same, for their media types. Pure.
import { saysSomething, whatIsWrong } from '../../../fleet/looked-file.ts'
import type { ProbeAnswer } from '../../../fleet/probe-orders.ts'
import type { Gate, GateEvidence, Odd, Verdict } from '../shapes/schema.ts'

/** A file that is asked for, with what it must be. */
export type LookedFile = {
  /** As it is shown: "www.example.org/css/site.css". */
  url: string
  sha256: string
  /** Of one name on all nodes, whatever host shows it there. */
  key: string
  /** "www@41". */
  release: string
}
/** Of one node; its answers are in the order of its files. */
export type NodeLook = {
  nodeName: string
  files: readonly LookedFile[]
  /** null: they have not come yet. */
  answers: readonly ProbeAnswer[] | null
}
export type Looked = {
  /** Nodes with the version; each of them is asked. */
  canary: readonly NodeLook[]
  /** Some without it. */
  control: readonly NodeLook[]
  /** With the version, and too old to say what they answer. */
  unableNodes: number
  /** Why there is nothing to ask for; null: there is. */
  nothing: string | null
}

const MOST_ODD = 10

export function judgeLooked(gate: Gate, looked: Looked | null): GateEvidence {
  if (looked === null) return withoutLook(gate, 'nobody has asked the nodes yet')
  if (looked.nothing !== null) return through(gate, looked.nothing)
  if (looked.canary.length === 0) {
    return withoutLook(gate, 'no node with the version can say what it answers')
  }
  return gate.metric === 'releaseFiles' ? judgeFiles(gate, looked) : judgeTypes(gate, looked)
}

type Found = { node: string; file: LookedFile; answer: ProbeAnswer }

const foundOf = (looks: readonly NodeLook[]): Found[] =>
  looks.flatMap(({ nodeName, files, answers }) =>
    files.flatMap((file, i) => {
      const answer = answers?.[i]
      return answer ? [{ node: nodeName, file, answer }] : []
    }),
  )

/** Each node's files are what the release says. */
function judgeFiles(gate: Gate, looked: Looked): GateEvidence {
  const found = foundOf(looked.canary).filter(({ answer }) => saysSomething(answer))
  const wrong = found.flatMap((one) => {
    const message = whatIsWrong(one.answer, one.file)
    return message === null ? [] : [{ node: one.node, url: one.file.url, message }]
  })
  const due = looked.canary.reduce((sum, { files }) => sum + files.length, 0)
  return concluded(gate, looked, {
    ...{ name: 'wrong answers for files of the release', wrong, counted: found.length, due },
    ...{ control: { nodes: 0, samples: 0 } },
  })
}

/** What both sides answer has one media type. */
function judgeTypes(gate: Gate, looked: Looked): GateEvidence {
  const usual = new Map<string, Set<string>>()
  const others = foundOf(looked.control).filter(isShown)
  for (const { file, answer } of others) {
    const types = usual.get(file.key) ?? new Set<string>()
    usual.set(file.key, types.add(typeOf(answer)))
  }
  const compared = foundOf(looked.canary).filter((one) => isShown(one) && usual.has(one.file.key))
  const wrong = compared.flatMap(({ node, file, answer }) => {
    const types = usual.get(file.key)
    if (types?.has(typeOf(answer))) return []
    const message = `${typeOf(answer)}, and ${[...(types ?? [])].join(' or ')} without the version`
    return [{ node, url: file.url, message }]
  })
  const control = { nodes: looked.control.filter(isAnswered).length, samples: others.length }
  if (!looked.control.some(isAnswered)) {
    return withoutLook(gate, 'no node without the version has said what it answers')
  }
  return concluded(gate, looked, {
    ...{ name: 'other media types than without the version', wrong, counted: compared.length },
    ...{ due: compared.length, control },
  })
}

const isShown = ({ answer }: Found) => answer.status === 200
const isAnswered = ({ answers }: NodeLook) => answers !== null
const typeOf = ({ mediaType }: ProbeAnswer) => mediaType ?? 'no media type'

type Concluded = {
  name: string
  wrong: readonly Odd[]
  counted: number
  /** Of how many, when all have answered. */
  due: number
  control: { nodes: number; samples: number }
}

function concluded(
  gate: Gate,
  { canary, unableNodes }: Looked,
  { name, wrong, counted, due, control }: Concluded,
): GateEvidence {
  const answered = canary.filter(isAnswered)
  const waiting = canary.length - answered.length
  const value = counted > 0 ? wrong.length / counted : null
  const isOver = wrong.length > gate.max * due
  const verdict: Verdict = isOver ? 'fail' : waiting > 0 || value === null ? 'no_data' : 'pass'
  const [first] = wrong
  const example = first ? `, the first: ${first.url} at ${first.node}: ${first.message}` : ''
  const awaited = waiting > 0 ? `; ${waiting} of ${canary.length} nodes have not answered yet` : ''
  const unable = unableNodes > 0 ? `; ${unableNodes} cannot say what they answer` : ''
  const all =
    value === null && waiting === 0
      ? `${name}: none of the answers says anything, for they are redirects, refusals, or of files that only one side has`
      : `${wrong.length} of ${counted} are ${name}, at most ${gate.max} of them${example}`
  return {
    ...gate,
    ...{ value, low: value, high: value, verdict, message: `${all}${awaited}${unable}` },
    canary: { nodes: answered.length, samples: counted, probed: counted, value },
    control: { ...control, probed: control.samples, value: null },
    odd: wrong.slice(0, MOST_ODD),
  }
}

const NOBODY = { nodes: 0, samples: 0, probed: 0, value: null }

function withoutLook(gate: Gate, lack: string): GateEvidence {
  const message = `${NAMES[gate.metric as keyof typeof NAMES]}: ${lack}`
  const none = { value: null, low: null, high: null }
  return { ...gate, ...none, verdict: 'no_data', message, canary: NOBODY, control: NOBODY, odd: [] }
}

/** A rollout that brings nothing new of a release has nothing to prove of it. */
const through = (gate: Gate, why: string): GateEvidence => ({
  ...withoutLook(gate, why),
  verdict: 'pass',
})

const NAMES = { releaseFiles: 'files of the release', mediaTypes: 'media types' }

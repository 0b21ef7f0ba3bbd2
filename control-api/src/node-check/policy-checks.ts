// SPDX-License-Identifier: MIT
// What the owners of machines would not allow, asked of the node's own binary: one question for each text
// and set of rules, however many nodes share both. Ids are digests, so an answer is kept for as long as the binary is the same.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConfigError } from '../api-shapes/common.ts'
import { Kept } from '../base/kept.ts'
import type { NodeCheck } from './node-check.ts'

export type PolicyQuestion = {
  text: string
  textId: string
  /** JSON, as the node told them. */
  rules: string
  rulesId: string
}
export type PolicyAnswers = {
  /** What the rules do not allow in the text; undefined: not known. */
  of: (question: Pair) => readonly ConfigError[] | undefined
  /** Why farmstead-node could not be asked; null: it could, or nothing was to ask. */
  unavailable: string | null
}
/** No question twice. The first come first, when there are too many to ask all. */
export type AskPolicies = (questions: readonly PolicyQuestion[]) => Promise<PolicyAnswers>
type Pair = Pick<PolicyQuestion, 'textId' | 'rulesId'>

type Options = {
  nodeCheck: NodeCheck
  /** Which binary answers: answers of another one are forgotten. Left out: always the same. */
  binaryMark?: () => Promise<string | null>
  /** Where the rules lie while they are asked about. */
  folder?: string
  /** New questions at a time: each is a process on the control plane's own machine. */
  most?: number
}
const MOST_QUESTIONS = 100
/** Rules that the binary cannot read must not hide what others refuse; a binary that is gone need not be asked for ever. */
const MOST_FAILURES = 3
const MOST_KEPT = 2_000
const MOST_ERRORS_EACH = 10

export function createPolicyChecks({
  nodeCheck,
  binaryMark = async () => '',
  folder = tmpdir(),
  most = MOST_QUESTIONS,
}: Options): AskPolicies {
  const kept = new Kept<readonly ConfigError[]>({ most: MOST_KEPT })
  let mark: string | null = ''

  return async (questions) => {
    const now = await binaryMark()
    if (now !== mark) kept.clear()
    mark = now
    const answers = new Map<string, readonly ConfigError[]>()
    for (const key of questions.map(keyOf)) {
      const known = kept.get(key)
      if (known) answers.set(key, known)
    }
    const open = questions.filter((question) => !answers.has(keyOf(question))).slice(0, most)
    const unavailable = await askAll(nodeCheck, { questions: open, answers, folder })
    // Replaced meanwhile: nobody knows which one answered.
    if (mark !== null && (await binaryMark()) === now) {
      for (const [key, errors] of answers) kept.set(key, errors)
    }
    return { of: (pair) => answers.get(keyOf(pair)), unavailable }
  }
}

const keyOf = ({ textId, rulesId }: Pair) => `${textId} ${rulesId}`

type Round = {
  questions: readonly PolicyQuestion[]
  answers: Map<string, readonly ConfigError[]>
  folder: string
}

/** Adds to the answers; the newest reason why there is none, else null. */
async function askAll(nodeCheck: NodeCheck, { questions, answers, folder }: Round) {
  if (questions.length === 0) return null
  let dir: string | undefined
  let unavailable: string | null = null
  let failures = 0
  try {
    dir = await mkdtemp(join(folder, 'farmstead-policy-'))
    // One at a time: editors are waiting for their checks.
    for (const question of questions) {
      const result = await ask(nodeCheck, question, dir)
      if (typeof result !== 'string') answers.set(keyOf(question), result)
      else {
        unavailable = result
        failures += 1
      }
      if (failures >= MOST_FAILURES) break
    }
    return unavailable
  } catch (error) {
    return `the rules could not be laid into ${folder} (${error instanceof Error ? error.message : error})`
  } finally {
    if (dir !== undefined) await rm(dir, { recursive: true, force: true })
  }
}

/** Where our copy lies is of no use to whoever reads it: nodes with these rules may have them anywhere. */
function ofTheMachine({ message, hint, ...error }: ConfigError, file: string): ConfigError {
  const [ours, its] = [file, 'its policy file']
  return { ...error, message: message.replaceAll(ours, its), hint: hint.replaceAll(ours, its) }
}

/** Why there is no answer, as a sentence, else the answer. */
async function ask(
  nodeCheck: NodeCheck,
  { text, rules, rulesId }: PolicyQuestion,
  dir: string,
): Promise<ConfigError[] | string> {
  const file = join(dir, `${rulesId}.json`)
  await writeFile(file, rules, { mode: 0o600 })
  const result = await nodeCheck(text, file)
  if (result.verdict === 'unavailable') return result.message
  if (result.verdict === 'good') return []
  const refused = result.errors.filter(({ code }) => code === 'policy').slice(0, MOST_ERRORS_EACH)
  if (refused.length > 0) return refused.map((error) => ofTheMachine(error, file))
  return `it found something else wrong: ${result.errors[0]?.message}`
}

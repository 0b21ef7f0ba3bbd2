// SPDX-License-Identifier: MIT
// What `farmctl compare-servers --json` wrote (control-api/src/farmctl/load/comparison.ts), read in this browser alone.
import { t } from '../../../../languages/t.ts'
import { formatBytes } from '../../../../lib/format.ts'
import {
  amount,
  flag,
  having,
  listOf,
  moment,
  object,
  oneOf,
  optional,
  orNull,
  pairOf,
  text,
  type ValueOf,
  WrongShape,
  webAddress,
} from './shape.ts'

export type GivenFile = Pick<File, 'name' | 'size' | 'arrayBuffer'>

/** 100,000 paths that differ thrice have half of it; more would hold the tab up for seconds. */
export const MOST_BYTES = 128 * 1024 * 1024
const KIND = 'farmstead.comparison'
const VERSION = 1

const differenceShape = object({ path: text, aspect: text, old: text, new: text })
const answerShape = having(
  'unanswered',
  object({ unanswered: text }),
  object({ status: amount, headers: listOf(pairOf(text)), bytes: amount, sha256: text }),
)
const latencyShape = object({
  ...{ maxNs: amount, p50Seconds: optional(amount) },
  ...{ p95Seconds: optional(amount), p99Seconds: optional(amount) },
})
const runShape = object({
  side: oneOf('old', 'new'),
  doubts: listOf(text),
  counted: object({
    ...{ elapsedSeconds: amount, requests: amount, good: amount, socketFaults: amount },
    stages: object({ latency: latencyShape }),
  }),
})
const reportShape = object({
  startedAt: moment,
  servers: object({ old: webAddress, new: webAddress }),
  host: orNull(text),
  paths: amount,
  differences: listOf(differenceShape),
  answers: listOf(object({ path: text, gzip: flag, old: answerShape, new: answerShape })),
  runs: listOf(runShape),
})

export type Report = ValueOf<typeof reportShape>
export type Difference = ValueOf<typeof differenceShape>
export type Answer = ValueOf<typeof answerShape>
export type Answered = Extract<Answer, { status: number }>
export type AnswerPair = Report['answers'][number]
export type Run = ValueOf<typeof runShape>

/** Why a file is not shown, and what to do. */
export class Unreadable extends Error {
  readonly title: string
  constructor(title: string, message: string) {
    super(message)
    this.title = title
  }
}

const HOW = t(
  'Choose the file that farmctl compare-servers wrote with --json; the command is on this page.',
)

export async function readReport(file: GivenFile): Promise<Report> {
  if (file.size > MOST_BYTES) {
    throw new Unreadable(
      t('{name} is too large', { name: file.name }),
      t('It has {size}, and {most} can be shown. Compare a part of the list of URLs at a time.', {
        size: formatBytes(file.size),
        most: formatBytes(MOST_BYTES),
      }),
    )
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Unreadable(
      t('{name} could not be read', { name: file.name }),
      t('It was moved or changed meanwhile, or this browser may not open it. Choose it again.'),
    )
  })
  return reportOf(decoded(bytes).trim(), file.name)
}

/** PowerShell's > writes UTF-16, and others a mark of order, which the decoder takes away. */
function decoded(bytes: ArrayBuffer): string {
  const [first, second] = new Uint8Array(bytes)
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

function reportOf(content: string, name: string): Report {
  if (content === '') {
    throw new Unreadable(
      t('{name} is empty', { name }),
      t('The comparison failed or has not ended yet. Its messages are in the terminal.'),
    )
  }
  const value = parsed(content, name)
  whyNotShown(value, name)
  try {
    const report = reportShape(value, '')
    // Of each path there may be several.
    const differing = new Set(report.differences.map(({ path }) => path)).size
    if (report.paths < differing) throw new WrongShape('paths')
    return report
  } catch (error) {
    if (!(error instanceof WrongShape)) throw error
    throw new Unreadable(
      t('{name} was changed', { name }),
      t('“{at}” is missing or is not what farmctl writes there. Make the file again.', {
        at: error.at,
      }),
    )
  }
}

function parsed(content: string, name: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    if (content.startsWith('{') && !content.endsWith('}')) {
      throw new Unreadable(
        t('{name} ends too early', { name }),
        t('Its end is missing: it was not copied whole, or the disk was full. Make it again.'),
      )
    }
    const isText = content.startsWith('# ') || content.startsWith('<')
    throw new Unreadable(
      t('{name} is not JSON', { name }),
      isText
        ? t('It is the report to read. {how}', { how: HOW })
        : t('It was changed, or something else is in it. {how}', { how: HOW }),
    )
  }
}

/** A file of another program or of another time. */
function whyNotShown(value: unknown, name: string): void {
  const members = new Map<string, unknown>(
    typeof value === 'object' && value !== null ? Object.entries(value) : [],
  )
  const kind = members.get('kind')
  if (kind === undefined && members.has('differences') && members.has('servers')) {
    throw new Unreadable(
      t('{name} is from an older farmctl', { name }),
      t('It has no whole answers. Update farmctl and compare again.'),
    )
  }
  if (kind !== KIND) {
    throw new Unreadable(
      t('{name} is not a comparison of two servers', { name }),
      members.has('objectives') ? t('It is a report of farmctl load. {how}', { how: HOW }) : HOW,
    )
  }
  const version = members.get('version')
  if (version !== VERSION) {
    throw new Unreadable(
      t('{name} is from another version of farmctl', { name }),
      t(
        'Its format is {version}, and this console reads {known}. Use the farmctl that came with this control plane.',
        { version: String(version), known: String(VERSION) },
      ),
    )
  }
}

// SPDX-License-Identifier: MIT
// Everything that may go wrong, as sentences with an exit code. Nothing foreseen shows a stack.
import { CommanderError } from 'commander'
import { visible, withoutSecrets } from '../base/terminal-text.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'

/** Where in a text something is wrong. */
export type Position = {
  line: number
  column: number
  message: string
  hint?: string
  /** JSON Pointer into what was sent, or into its text. */
  pointer?: string
}

/** Explained already: printed as it is. */
export class Failure extends Error {
  readonly exitCode: ExitCode
  constructor(message: string, exitCode: ExitCode = EXIT.failed) {
    super(message)
    this.exitCode = exitCode
  }
}

/** With --exit-code: nothing went wrong, but the answer is that they differ. */
export class Difference extends Failure {}

/** What the API refuses: a problem (RFC 9457). */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly requestId: string | null
  readonly errors: readonly Position[]
  /** Its other members, such as what is in the way. */
  readonly members: Readonly<Record<string, unknown>>
  /** What the text was read from, for its positions; of several texts, by the pointer to each. */
  file: string | Readonly<Record<string, string>> | null = null

  constructor(status: number, problem: Record<string, unknown>, requestId: string | null) {
    const { detail, code, errors } = problem
    super(
      typeof detail === 'string'
        ? asCommands(detail)
        : `The control plane answered with status ${status}.`,
    )
    this.status = status
    this.code = typeof code === 'string' ? code : `http_${status}`
    this.requestId = requestId
    this.errors = Array.isArray(errors) ? errors : []
    this.members = problem
  }

  static async of(response: Response): Promise<ApiError> {
    const problem: unknown = await response.json().catch(() => null)
    const members = typeof problem === 'object' && problem !== null ? { ...problem } : {}
    return new ApiError(response.status, members, response.headers.get('x-request-id'))
  }
}

/** The API names its own requests; here people type commands. */
export const asCommands = (detail: string) =>
  detail
    .replaceAll(/GET \/api\/v1\/configs\/([\w.-]+)\/versions\b/g, 'farmctl history $1')
    .replaceAll(/GET \/api\/v1\/releases(?:\/([\w.-]+)\/versions)?(?= lists)/g, (_all, name) =>
      name === undefined ? 'farmctl releases list' : `farmctl releases list ${name}`,
    )
    .replaceAll(/GET \/api\/v1\/audit\b/g, 'farmctl audit search')
    .replaceAll(/GET \/api\/v1\/([a-z-]+)(?= lists)/g, 'farmctl get $1')

export const isApiError = (error: unknown, ...codes: (string | number)[]): error is ApiError =>
  error instanceof ApiError &&
  (codes.length === 0 || codes.includes(error.status) || codes.includes(error.code))

/** Errors of a text are told as compilers do, so that editors can jump there; what nodes say is no command for a terminal. */
export const atPosition = (file: string, { line, column, message, hint }: Position) =>
  visible(`${file}:${line}:${column}: ${message}${hint ? ` (${hint})` : ''}`)

/** Runs `work`; positions in what the API refuses are then told as places in `file`. */
export async function locate<T>(file: NonNullable<ApiError['file']>, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ApiError) error.file = file
    throw error
  }
}

/** What was asked for with --exit-code must not look like a difference when it failed. */
export function exitCodeFor(error: unknown, { asksForDifference }: { asksForDifference: boolean }) {
  const exitCode = exitCodeOfError(error)
  if (!asksForDifference || error instanceof Difference) return exitCode
  return exitCode === EXIT.failed ? EXIT.trouble : exitCode
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof Failure) return error.exitCode
  if (!(error instanceof ApiError)) return EXIT.failed
  switch (error.status) {
    case 401:
    case 403:
      return EXIT.denied
    case 409:
    case 412:
    case 428:
      return EXIT.conflict
    case 422:
      return EXIT.rejected
    default:
      return EXIT.failed
  }
}

/** For a terminal or a log of a build: nothing in it steers the one or tells a secret to the other. */
export const explain = (error: unknown): string => visible(withoutSecrets(explained(error)))

function explained(error: unknown): string {
  if (error instanceof ApiError) return explainApiError(error)
  if (error instanceof Failure || isSystemError(error)) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

function explainApiError(error: ApiError): string {
  const positions = error.errors
    .filter(({ line }) => line > 0)
    .map((position) => atPosition(fileOf(error, position), position))
  const request = error.requestId ? [`(request ${error.requestId})`] : []
  const signIn = error.status === 401 ? ['Sign in: farmctl login'] : []
  return [...positions, error.message, ...signIn, ...request].join('\n')
}

function fileOf({ file }: ApiError, { pointer = '' }: Position): string {
  if (typeof file === 'string') return file
  return file?.[pointer] ?? '-'
}

const messageOf = (error: unknown) =>
  withoutSecrets(error instanceof Error ? error.message : String(error))

/** What was typed wrong. Without a command, Commander would print its help and have nothing to say. */
function usageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'Which command? See: farmctl help'
  return message.replace(/^error: /, '')
}

/** Files that are not there and the like: their messages name what and why. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

/** The same for programs. */
export function errorDocument(error: unknown, exitCode: ExitCode) {
  const message = error instanceof CommanderError ? usageOf(error) : messageOf(error)
  if (!(error instanceof ApiError)) return { error: { exitCode, message } }
  const { status, code, requestId, errors, file } = error
  return { error: { exitCode, message, status, code, requestId, errors, file } }
}

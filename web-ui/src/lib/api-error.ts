// SPDX-License-Identifier: MIT
import { t } from '../languages/t.ts'
import type { ConfigError } from './api-types.ts'
import { forPeople } from './people-words.ts'

type ProblemLike = {
  code?: unknown
  title?: unknown
  detail?: unknown
  requestId?: unknown
  errors?: unknown
}

const text = (value: unknown, fallback: string) =>
  typeof value === 'string' && value !== '' ? value : fallback

/** What stands in the path of a request comes from the console's address, or from a link to it. */
const ADDRESS = /^params\//
const MISTYPED = t(
  'The address of this page names nothing that there could be: part of it is missing.',
)

/** What every failed call to the API throws. Status 0: no answer came at all. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly requestId: string | null
  /** Its message is the control plane’s own, in no other language. */
  readonly isEnglish: boolean
  readonly errors: readonly ConfigError[]
  /** All that came with it: some refusals bring what one needs to go on. */
  readonly problem: object

  constructor(status: number, problem: ProblemLike) {
    const isAddress = status === 400 && ADDRESS.test(text(problem.detail, ''))
    const title = isAddress ? t('No such address') : text(problem.title, t('The request failed'))
    const detail = text(
      problem.detail,
      t('The control plane answered with status {status}.', { status }),
    )
    super(isAddress ? MISTYPED : forPeople(detail) || `${title}.`)
    this.name = 'ApiError'
    this.status = status
    this.code = text(problem.code, status === 0 ? 'unreachable' : `http_${status}`)
    this.title = title
    this.isEnglish = status > 0 && !isAddress
    this.requestId = text(problem.requestId, '') || null
    this.errors = Array.isArray(problem.errors) ? (problem.errors as ConfigError[]) : []
    this.problem = problem
  }

  static unreachable(): ApiError {
    return new ApiError(0, {
      title: t('No answer'),
      detail: t(
        'The control plane does not answer. The nodes go on serving without it. Check that it runs and that this machine reaches it.',
      ),
    })
  }

  static async fromResponse(response: Response): Promise<ApiError> {
    const problem: unknown = await response.json().catch(() => null)
    const members = typeof problem === 'object' && problem !== null ? (problem as ProblemLike) : {}
    return new ApiError(response.status, {
      requestId: response.headers.get('x-request-id'),
      ...members,
    })
  }
}

export function isApiError(error: unknown, status?: number): error is ApiError {
  return error instanceof ApiError && (status === undefined || error.status === status)
}

/** Any thrown thing as an ApiError, for boxes that show one. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new ApiError(-1, { code: 'console_error', title: t('The console failed'), detail })
}

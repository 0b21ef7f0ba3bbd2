// SPDX-License-Identifier: MIT
// Turns whatever was thrown into a problem (RFC 9457). Texts of 5xx stay in the log, beside the request id.
import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify'
import fp from 'fastify-plugin'
import type { ConfigError, Problem } from '../api-shapes/common.ts'
import {
  AppError,
  Internal,
  InvalidRequest,
  MethodNotAllowed,
  NotFound,
  NotJson,
  StorageBusy,
  StorageFull,
  TooLarge,
} from '../api-shapes/errors.ts'
import { nearestName } from '../base/nearest-name.ts'
import { isSchema } from '../json/json-schema.ts'
import { isDiskFull } from '../storage/disk-space.ts'

type Options = { /** Code of a request that does not fit its schema. */ invalidCode: string }

export const problemsPlugin = fp<Options>(
  async (app, { invalidCode }) => {
    app.addHook('onRequest', async (request, reply) => {
      reply.header('x-request-id', request.id)
    })
    const { methodsOf, isOwnWord } = knowPaths(app)
    const noRoute = (request: FastifyRequest): AppError => {
      const path = pathOf(request)
      const allowed = methodsOf(path).join(', ')
      return allowed
        ? new MethodNotAllowed(request.method, path, allowed).withHeaders({ allow: allowed })
        : new NotFound(request.method, path)
    }
    app.setErrorHandler<FastifyError>((thrown, request, reply) => {
      // A body that is looked at before it is known that nobody wants it; "settings" taken for an id.
      const isNoRoute =
        request.is404 || (thrown.validationContext === 'params' && isOwnWord(pathOf(request)))
      const error = isNoRoute ? noRoute(request) : explain(thrown, invalidCode)
      // What a route refuses with itself, such as 504 for a silent node, is no fault of the service.
      const level = thrown instanceof AppError ? 'warn' : 'error'
      if (error.statusCode >= 500) request.log[level]({ err: thrown }, 'request failed')
      return sendProblem(reply, request, error)
    })
    app.setNotFoundHandler((request, reply) => sendProblem(reply, request, noRoute(request)))
  },
  { name: 'problems' },
)

/** Must be called before the routes are added. Which methods a path takes; the console's takes any path. */
function knowPaths(app: FastifyInstance) {
  const known: { url: string; method: string; pattern?: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    if (url.includes('*')) return
    for (const one of [method].flat()) known.push({ url, method: one })
  })
  const atExactly = (path: string) => known.filter(({ url }) => url === path)
  const methodsOf = (path: string) => {
    // A word of our own, such as "validate", goes before a name of somebody's.
    const own = atExactly(path)
    const found = own.length > 0 ? own : known.filter((one) => patternOf(one).test(path))
    return [...new Set(found.map(({ method }) => method))].sort()
  }
  return { methodsOf, isOwnWord: (path: string) => atExactly(path).length > 0 }
}

/** Made for the first path that has no route: most services are never asked for one. */
function patternOf(known: { url: string; pattern?: RegExp }): RegExp {
  const { url } = known
  known.pattern ??= new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`)
  return known.pattern
}

/** What Fastify refuses before there is a route: an address it can't read, or of no end. */
export function sendFrameworkProblem(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('x-request-id', request.id)
  sendProblem(reply, request, new InvalidRequest(`path: ${REASONS[error.code] ?? error.message}`))
}

const REASONS: Record<string, string> = {
  FST_ERR_BAD_URL: 'is not a well-formed URL',
  FST_ERR_MAX_PARAM_LENGTH: 'has a part that is longer than any name or id',
}

export function sendProblem(reply: FastifyReply, request: FastifyRequest, error: AppError) {
  const problem: Problem = {
    ...error.members,
    type: 'about:blank',
    title: error.title,
    status: error.statusCode,
    code: error.code,
    detail: error.message,
    requestId: request.id,
    ...(error.errors && { errors: error.errors }),
  }
  return reply
    .code(error.statusCode)
    .headers(error.headers)
    .type('application/problem+json')
    .send(problem)
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? request.url

/** The last is PostgreSQL's lock_not_available. */
const isHeld = ({ code }: FastifyError) => code === 'SQLITE_BUSY' || code === '55P03'

function explain(thrown: FastifyError, invalidCode: string): AppError {
  if (thrown instanceof AppError) return thrown
  if (thrown.validation) return explainValidation(thrown, thrown.validation, invalidCode)
  if (thrown.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new NotJson()
  if (isDiskFull(thrown)) return new StorageFull()
  if (isHeld(thrown)) return new StorageBusy()
  const status = thrown.statusCode ?? 500
  if (status === 413) return new TooLarge(thrown.message)
  if (status >= 400 && status < 500) {
    return new AppError(status, invalidCode, 'The request was not understood', thrown.message)
  }
  return new Internal()
}

function explainValidation(
  thrown: FastifyError,
  found: FastifySchemaValidationError[],
  code: string,
): AppError {
  const context = thrown.validationContext ?? 'body'
  const errors = found.map(describe)
  const first = errors[0]
  const where = `${context}${first?.pointer ?? ''}`
  // A pattern is for who writes programs, and stands in the hint alone.
  const hint = first?.hint && first.code !== 'pattern' ? `. ${first.hint}` : ''
  const detail = `${where}: ${first?.message ?? thrown.message}${hint}`
  return new AppError(400, code, InvalidRequest.title, detail).withErrors(errors)
}

type Explained = FastifySchemaValidationError & { parentSchema?: unknown }

function describe(error: Explained): ConfigError {
  return {
    pointer: error.instancePath + memberOf(error),
    line: 0,
    column: 0,
    endLine: 0,
    endColumn: 0,
    code: error.keyword,
    message: sentence(error),
    hint: hintFor(error),
  }
}

/** Ajv points at the parent of a member that is missing or too many. */
function memberOf({ keyword, params }: FastifySchemaValidationError): string {
  const name =
    keyword === 'required'
      ? params.missingProperty
      : keyword === 'additionalProperties'
        ? params.additionalProperty
        : undefined
  return typeof name === 'string' ? `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` : ''
}

/** The schema that refused it knows the names there are. */
function hintFor({ keyword, params, parentSchema }: Explained): string {
  if (keyword === 'pattern') return `as the pattern ${params.pattern} says`
  if (keyword !== 'additionalProperties' || !isSchema(parentSchema)) return ''
  const { properties } = parentSchema
  const known = isSchema(properties) ? Object.keys(properties) : []
  const nearest = nearestName(String(params.additionalProperty), known)
  return nearest === null ? '' : `Did you mean "${nearest}"?`
}

function sentence({ keyword, params, message }: FastifySchemaValidationError): string {
  if (keyword === 'required') return 'is missing: add it'
  if (keyword === 'additionalProperties')
    return 'is not known here: remove it or check its spelling'
  if (keyword === 'enum' && Array.isArray(params.allowedValues)) {
    return `must be one of ${params.allowedValues.join(', ')}`
  }
  // For people; the pattern itself stands in the hint, for who writes programs.
  if (keyword === 'pattern') return 'is not of the form that is taken here'
  return message ?? 'is not valid'
}

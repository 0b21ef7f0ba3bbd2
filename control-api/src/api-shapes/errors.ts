// SPDX-License-Identifier: MIT
// The catalogue of refusals. Each is a class, so that `throw new NodeNotFound(id)` carries status,
// code and sentence; http/problems.ts turns it into the answer. A feature may add its own with
// defineError. Details say what happened, to what, and what to do.
import type { ConfigError } from './common.ts'

export class AppError extends Error {
  readonly statusCode: number
  readonly code: string
  readonly title: string
  /** Where in the request, or in the config text it carried. */
  errors: ConfigError[] | undefined
  /** Extension members of the problem (RFC 9457, 3.2). */
  members: Record<string, unknown> = {}
  headers: Record<string, string> = {}

  constructor(statusCode: number, code: string, title: string, detail: string) {
    super(detail)
    this.statusCode = statusCode
    this.code = code
    this.title = title
  }

  withErrors(errors: ConfigError[]): this {
    this.errors = errors
    return this
  }
  withMembers(members: Record<string, unknown>): this {
    this.members = { ...this.members, ...members }
    return this
  }
  withHeaders(headers: Record<string, string>): this {
    this.headers = { ...this.headers, ...headers }
    return this
  }
}

/** A class of the catalogue, as a route names it among its `errors`: what openapi.json says of it. */
export type Refusal = Readonly<{ statusCode: number; code: string; title: string }>

export function defineError<Args extends unknown[]>(
  statusCode: number,
  code: string,
  title: string,
  detail: (...args: Args) => string,
) {
  return class extends AppError {
    static readonly statusCode = statusCode
    static readonly code = code
    static readonly title = title
    constructor(...args: Args) {
      super(statusCode, code, title, detail(...args))
    }
  }
}

export const NotSignedIn = defineError(
  401,
  'not_signed_in',
  'Not signed in',
  () =>
    'This needs a session or an API token. Sign in with POST /api/v1/session, or send "Authorization: Bearer fsa_…".',
)
export const WrongCredentials = defineError(
  401,
  'wrong_credentials',
  'Wrong user name or password',
  () =>
    'The user name and password do not belong together. An administrator can give a new password; `admin reset-admin-password` on the service’s machine lets an administrator in again.',
)
export const AccountDisabled = defineError(
  403,
  'account_disabled',
  'The account is disabled',
  () => 'The password is right, but an administrator has disabled this account. Ask one.',
)
export const NotAllowed = defineError(
  403,
  'not_allowed',
  'Not allowed',
  (permission: string, roles: readonly string[]) =>
    `This needs the permission "${permission}"; your roles (${roles.join(', ') || 'none'}) do not carry it. Ask an administrator.`,
)
export const TokenNotAllowed = defineError(
  403,
  'not_allowed',
  'Not allowed',
  (permission: string, token: string) =>
    `This needs the permission "${permission}", which the token "${token}" does not carry. Make one that does; your roles must carry it as well.`,
)
export const NeedsSession = defineError(
  403,
  'needs_session',
  'Not with a token',
  () => 'Passwords, sessions and second factors are for people: sign in and do it there.',
)
export const WrongToken = defineError(
  401,
  'wrong_token',
  'This token is not valid',
  () =>
    'The token in the Authorization header is misspelt, has run out or was revoked, or its user may not sign in any more. Make another one under Settings → Tokens.',
)
export const PasswordChangeRequired = defineError(
  403,
  'password_change_required',
  'Change your password first',
  () =>
    'The password you signed in with was made for one use. Choose your own with PUT /api/v1/session/password.',
)
export const CrossOrigin = defineError(
  403,
  'cross_origin',
  'Not from this origin',
  (origin: string) =>
    `A request that changes something with a session cookie must come from this console's own pages. Scripts that use a cookie send "Origin: ${origin}".`,
)
export const NotFound = defineError(
  404,
  'not_found',
  'Nothing here',
  (method: string, path: string) =>
    `There is no ${method} ${path}. GET /api/v1/openapi.json lists what there is.`,
)
export const MethodNotAllowed = defineError(
  405,
  'method_not_allowed',
  'Not that method',
  (method: string, path: string, allowed: string) =>
    `${path} does not take ${method}. It takes ${allowed}.`,
)
export const InvalidRequest = defineError(
  400,
  'invalid_request',
  'The request does not fit',
  (where: string) => where,
)
export const TooLarge = defineError(
  413,
  'too_large',
  'The body is too large',
  (what: string) => `${what}. openapi.json says for each operation how large its body may be.`,
)
export const Internal = defineError(
  500,
  'internal',
  'Something went wrong here',
  () =>
    'The service failed while answering. Its log tells more beside this request id; trying again is safe for reads.',
)
export const NotJson = defineError(
  415,
  'unsupported_media_type',
  'Not JSON',
  () =>
    'Send the body as JSON in UTF-8, with "Content-Type: application/json"; PATCH takes application/merge-patch+json, too.',
)
export const NotUtf8 = defineError(
  400,
  'not_utf8',
  'Not UTF-8',
  (where: string) => `${where}. It would be kept as another text, so nothing was done.`,
)
export const NulCharacter = defineError(
  400,
  'nul_character',
  'A NUL character',
  (where: string) => `${where}. No text is kept with one, so nothing was done. Take it out.`,
)
export const TooManyRequests = defineError(
  429,
  'too_many_requests',
  'Too many requests',
  (seconds: number) => `Wait ${seconds} s, then try again.`,
)
export const BodyTooSlow = defineError(
  408,
  'body_too_slow',
  'The body did not come',
  () =>
    'This body was announced and did not come, or came slower than 64 KiB/s. It takes memory from others meanwhile. Nothing was changed. Send the request again, with its body at once.',
)
export const TooMuchAtOnce = defineError(
  429,
  'too_much_at_once',
  'Too much at once',
  (seconds: number) =>
    `Too many large or costly requests of yours wait already. Nothing was changed. Wait for their answers, or ${seconds} s, then try again.`,
)
export const Overloaded = defineError(
  503,
  'overloaded',
  'The service is busy',
  (seconds: number) =>
    `More is asked of this service than it can do just now. Nothing was changed. Wait ${seconds} s, then try again.`,
)
export const TooManyAttempts = defineError(
  429,
  'too_many_attempts',
  'Too many failed sign-ins',
  (seconds: number) =>
    `Wait ${seconds} s, then try again. Nothing is locked: the wait grows with each failure.`,
)
export const SamePassword = defineError(
  422,
  'same_password',
  'That is the old password',
  () => 'The new password must differ from the one you have.',
)
export const ReleaseNotFound = defineError(
  404,
  'release_not_found',
  'No such release',
  (name: string) => `There is no release "${name}". GET /api/v1/releases lists them.`,
)
export const ReleaseVersionNotFound = defineError(
  404,
  'version_not_found',
  'No such version',
  (name: string, number: number) =>
    `The release "${name}" has no version ${number}: it was never made, or is removed. GET /api/v1/releases/${name}/versions lists what there is.`,
)
export const VersionNotFound = defineError(
  404,
  'version_not_found',
  'No such version',
  (name: string, number: number) =>
    `"${name}" has no version ${number}. GET /api/v1/configs/${name}/versions lists them.`,
)
export const NodeNotFound = defineError(
  404,
  'node_not_found',
  'No such node',
  (id: string) =>
    `There is no node ${id}. GET /api/v1/nodes lists them; it may have been decommissioned.`,
)
export const NameTaken = defineError(
  409,
  'name_taken',
  'The name is taken',
  (name: string) => `Another node is called "${name}". Choose another name.`,
)
export const EnrolmentTokenNotFound = defineError(
  404,
  'enrolment_token_not_found',
  'No such enrolment token',
  (id: string) => `There is no enrolment token ${id}. GET /api/v1/enrolment-tokens lists them.`,
)
export const SelectorInvalid = defineError(
  422,
  'selector_invalid',
  'The selector cannot be read',
  (column: number, message: string) =>
    `Column ${column}: ${message}. A selector is written like "zone=eu,tier in (edge, core),!canary"; all of it must hold.`,
)
export const AddressRefused = defineError(
  422,
  'address_refused',
  'Nothing is sent there',
  (host: string, address: string) =>
    `${host === address ? host : `${host} is ${address}, which`} is this machine, its link, a private network or a cloud’s metadata. Whoever runs the service opens networks with FARMSTEAD_WEBHOOK_ALLOW.`,
)

export const PreconditionRequired = defineError(
  428,
  'precondition_required',
  'If-Match is missing',
  () =>
    'Read the thing first and send its ETag back in If-Match, so that nobody else’s change is overwritten.',
)
export const PreconditionFailed = defineError(
  412,
  'precondition_failed',
  'It changed meanwhile',
  (current: string) =>
    `If-Match does not name the current ETag, which is ${current}. Read it again and repeat the change on top.`,
)
export const TooManyStreams = defineError(
  503,
  'too_many_streams',
  'Too many event streams are open',
  (limit: number) =>
    `This service holds ${limit} event streams at a time. Close a tab, or poll instead.`,
)
export const TooManyOwnStreams = defineError(
  429,
  'too_many_own_streams',
  'Too many event streams of yours are open',
  (limit: number) =>
    `One person may hold ${limit} event streams, in all sessions and with all tokens. Close some, or let your programs share one.`,
)
export const StorageBusy = defineError(
  503,
  'storage_busy',
  'The database is held by another process',
  () =>
    'Another process has held control.db for 5 s. Nothing was changed. End it, or wait and try again.',
)
export const StorageFull = defineError(
  507,
  'storage_full',
  'The disk is full',
  () =>
    'The control plane cannot write to its data folder, or PostgreSQL to its disk. Nothing was changed. Make room, then try again.',
)

// SPDX-License-Identifier: MIT
// What a node is told when it cannot be served; the codes are the protocol's (agent-protocol/README.md).
import { defineError } from '../api-shapes/errors.ts'

const REJOIN =
  'It goes on serving. Make a new token for it in the console, and run "farmstead-node join --rejoin" there.'

export const UnknownCredential = defineError(
  401,
  'unknown_credential',
  'Unknown credential',
  () =>
    'No node here has this credential: it was decommissioned, or enrolled elsewhere. Join again with a new token.',
)
export const IdentityExpired = defineError(
  401,
  'identity_expired',
  'The identity has expired',
  (at: string) => `This node's certificate was good until ${at}. ${REJOIN}`,
)
export const IdentityRevoked = defineError(
  401,
  'identity_revoked',
  'The identity is no longer good',
  (why: string) => `${why} ${REJOIN}`,
)
export const CloneDetected = defineError(
  409,
  'clone_detected',
  'Two processes speak for this node',
  () =>
    'Another process holds the same identity. An operator must say in the console which one is kept; the other joins with a token of its own. Both go on serving.',
)
export const CsrMissing = defineError(
  400,
  'invalid_message',
  'A certificate request is missing',
  () => '/csr: is missing: on this listener a node is known by its certificate',
)
export const NoCertificates = defineError(
  404,
  'not_found',
  'This listener has no certificates',
  () =>
    'This listener speaks plain HTTP: join with --insecure-http, and only on a network you trust.',
)
export const TokenInvalid = defineError(
  403,
  'token_invalid',
  'Unknown enrolment token',
  () => 'This enrolment token does not exist here, or was deleted. Make a new one in the console.',
)
export const TokenExpired = defineError(
  403,
  'token_expired',
  'The token has expired',
  (at: string) => `This enrolment token was good until ${at}. Make a new one in the console.`,
)
export const TokenUsed = defineError(
  403,
  'token_used',
  'The token is used up',
  (uses: number) =>
    `This enrolment token was made for ${uses} node${uses === 1 ? '' : 's'} and has been used. Make a new one in the console.`,
)
export const SayHello = defineError(
  409,
  'say_hello',
  'Say hello first',
  () => 'We do not know this start of the node yet. Send hello, then go on.',
)
export const SayAgain = defineError(
  503,
  'say_again',
  'Say hello again',
  () =>
    'Another start of this node spoke after this one had. If this hello was held up on its way, nothing follows; said again, it proves that two processes run.',
)
export const Superseded = defineError(
  409,
  'superseded',
  'The offer is no longer good',
  (generation: number) =>
    `Generation ${generation} under this offer is not what we want now. Ask for desired.`,
)
export const WrongNode = defineError(
  400,
  'invalid_message',
  'Not your name',
  (nodeId: string) => `/nodeId: the credential belongs to another node than ${nodeId}.`,
)
export const NeedsUpgrade = defineError(
  426,
  'needs_upgrade',
  'No protocol in common',
  (theirs: { min: number; max: number }, ours: { min: number; max: number }) =>
    `The node speaks protocol ${range(theirs)}, this control plane ${range(ours)}. Upgrade ${
      theirs.max < ours.min ? 'the node' : 'the control plane'
    }; the node goes on serving.`,
)

const range = ({ min, max }: { min: number; max: number }) =>
  min === max ? `${min}` : `${min}–${max}`

export const NeedsCertificate = defineError(
  403,
  'needs_certificate',
  'Not without a certificate of the node',
  () =>
    'Keys are given over TLS, to a node that has shown its certificate. This listener speaks plain HTTP; start it with mtls, and let the node join again.',
)
export const NoSuchRelease = defineError(
  404,
  'no_such_release',
  'Not of a release of this node',
  (sha256: string) =>
    `No release that this node was told to run is or needs ${sha256}, or it is not here any more.`,
)
export const NoSuchDelta = defineError(
  404,
  'no_such_delta',
  'Not to be had as a difference',
  (base: string) =>
    `${base} is no version of the same release, or the difference is not worth it. Ask for the whole manifest.`,
)
export const ReleasesBusy = defineError(
  503,
  'busy',
  'Too many fetch releases',
  () => 'Others fetch contents of releases now. Ask again; what came whole is kept.',
)
export const RangeNotSatisfiable = defineError(
  416,
  'range_not_satisfiable',
  'No such part',
  (bytes: number) => `Ask for "bytes=N-" with N below ${bytes}, which is all of it.`,
)
export const TooMuchTogether = defineError(
  413,
  'too_much_together',
  'Too much in one answer',
  (bytes: number, most: number) =>
    `Together these contents are ${bytes} bytes; ask for at most ${most} at once, and for a larger one by itself.`,
)
export const NoSuchCertificate = defineError(
  404,
  'no_such_certificate',
  'Not a certificate of this node',
  (name: string, version: string) =>
    `No config that this node was told to run names "${name}" in version ${version}. Ask for desired.`,
)

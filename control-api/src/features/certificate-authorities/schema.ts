// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import { NameSchema, Nullable, TimeSchema } from '../../api-shapes/common.ts'

const DirectoryUrlSchema = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^https://',
  description: 'Of its ACME directory (RFC 8555, 7.1.1)',
  examples: ['https://acme-v02.api.letsencrypt.org/directory'],
})
const ContactSchema = Type.Array(
  Type.String({
    maxLength: 254,
    pattern: '^[^\\s@,?]+@[^\\s@,?]+$',
    examples: ['ops@example.org'],
  }),
  { maxItems: 5, uniqueItems: true, description: 'Mail addresses that the account is made with' },
)
const TrustedRootsSchema = Type.String({
  minLength: 1,
  maxLength: 65_536,
  description:
    'PEM: by whom the CA’s own HTTPS is signed, besides those whom everybody trusts; for a private CA',
  examples: ['-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'],
})
const ExternalAccountSchema = Type.Object(
  {
    keyId: Type.String({ minLength: 1, maxLength: 512, examples: ['kid-1'] }),
    hmacKey: Type.String({
      minLength: 16,
      maxLength: 1024,
      pattern: '^[A-Za-z0-9+/_-]+={0,2}$',
      description: 'As the CA gives it, in base64. Sealed at rest; no answer ever holds it',
      examples: ['zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W'],
    }),
  },
  {
    additionalProperties: false,
    description: 'What binds the account to one that the CA knows already (RFC 8555, 7.3.4)',
  },
)

/** GET /certificate-authorities listCertificateAuthorities */
export const CertificateAuthoritySchema = Type.Object({
  name: NameSchema,
  directoryUrl: Type.String(),
  contact: Type.Array(Type.String()),
  trustedRoots: Type.Boolean({ description: 'Roots of its own were given' }),
  externalAccountKeyId: Nullable(Type.String()),
  state: Type.Enum(['unregistered', 'ready', 'held'], {
    description:
      'unregistered: there is no account yet, the first order makes it. held: it is not asked before `heldUntil`',
  }),
  heldUntil: Nullable(TimeSchema),
  failures: Type.Integer({ description: 'How often in a row it did not answer' }),
  lastError: Nullable(Type.String({ description: 'Since it last answered well' })),
  usedBy: Type.Integer({ description: 'How many managed certificates name it' }),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})

/** POST /certificate-authorities createCertificateAuthority */
export const NewCertificateAuthoritySchema = Type.Object(
  {
    name: NameSchema,
    directoryUrl: DirectoryUrlSchema,
    contact: Type.Optional(ContactSchema),
    trustedRoots: Type.Optional(TrustedRootsSchema),
    externalAccount: Type.Optional(ExternalAccountSchema),
    termsOfServiceAgreed: Type.Literal(true, {
      description: 'You have read its terms, and the account is made in agreement with them',
    }),
  },
  { additionalProperties: false },
)
/** PATCH /certificate-authorities/{name} updateCertificateAuthority */
export const CertificateAuthorityPatchSchema = Type.Object(
  {
    contact: Type.Optional(ContactSchema),
    trustedRoots: Type.Optional(Nullable(TrustedRootsSchema)),
    externalAccount: Type.Optional(Nullable(ExternalAccountSchema)),
  },
  { additionalProperties: false, minProperties: 1 },
)

/** POST /certificate-authorities/{name}/actions/test testCertificateAuthority */
export const CertificateAuthorityTestSchema = Type.Object({
  reachable: Type.Boolean(),
  profiles: Type.Array(Type.Object({ name: Type.String(), description: Type.String() }), {
    description: 'Kinds of certificates to choose from; empty: it has one',
  }),
  termsOfService: Nullable(Type.String()),
  website: Nullable(Type.String()),
  externalAccountRequired: Type.Boolean(),
  error: Nullable(Type.String({ description: 'null: it answered' })),
})

export type CertificateAuthority = Static<typeof CertificateAuthoritySchema>
export type CertificateAuthorityPatch = Static<typeof CertificateAuthorityPatchSchema>

// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  RolloutIdSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { CertificateStateSchema } from '../../api-shapes/states.ts'

export const CertificateNameSchema = NameSchema
const FingerprintSchema = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the first certificate’s DER',
  examples: ['9f86d081'.repeat(8)],
})
const ChainSchema = Type.String({
  minLength: 1,
  maxLength: 65_536,
  description:
    'PEM: the certificate of the server first, then those that issued it, without the root',
  examples: ['-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n'],
})
const KeySchema = Type.String({
  minLength: 1,
  maxLength: 16_384,
  description: 'PEM, not encrypted: PKCS#8, EC or RSA. Sealed at rest; no answer ever holds it',
  examples: ['-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n'],
})

const described = {
  fingerprint: FingerprintSchema,
  names: Type.Array(Type.String(), { description: 'Hosts it is good for; of *, one label' }),
  subject: Type.String(),
  issuer: Type.String(),
  serial: Type.String(),
  keyKind: Type.String({ examples: ['EC P-256'] }),
  chainLength: Type.Integer({ minimum: 1 }),
  notBefore: TimeSchema,
  notAfter: TimeSchema,
  warnings: Type.Array(ConfigErrorSchema, {
    description: 'What may keep clients from it; pointers and lines are of the chain that came',
  }),
}

/** GET /certificates/{name}/versions listCertificateVersions */
export const CertificateVersionSchema = Type.Object({
  certificate: CertificateNameSchema,
  number: Type.Integer({ minimum: 1 }),
  ...described,
  source: Type.Enum(['upload', 'acme']),
  orderId: Nullable(Type.String({ description: 'Of the order that brought it' })),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})
/** GET /certificates/{name}/versions/{number} getCertificateVersion */
export const CertificateVersionDetailSchema = Type.Object({
  ...CertificateVersionSchema.properties,
  chain: Type.String({ description: 'PEM, as clients get it' }),
})
/** GET /certificates listCertificates, GET /certificates/{name} getCertificate */
export const CertificateSchema = Type.Object({
  name: CertificateNameSchema,
  state: CertificateStateSchema,
  daysLeft: Type.Integer({ description: 'Whole days; negative: it has expired' }),
  latestVersion: CertificateVersionSchema,
  releasedVersion: Nullable(
    Type.Integer({ description: 'What a rollout brought to all nodes last, and new nodes get' }),
  ),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})

/** POST /certificates createCertificate */
export const NewCertificateSchema = Type.Object(
  { name: CertificateNameSchema, chain: ChainSchema, key: KeySchema },
  { additionalProperties: false },
)
/** POST /certificates/{name}/versions addCertificateVersion */
export const NewCertificateVersionSchema = Type.Object(
  { chain: ChainSchema, key: KeySchema },
  { additionalProperties: false },
)
/** ?dryRun=1 → 200: it could be kept */
export const CertificateCheckSchema = Type.Object({
  dryRun: Type.Literal(true),
  ...described,
})

/** GET /certificates */
export const CertificateQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  q: Type.Optional(Type.String({ maxLength: 253, description: 'Part of the name, or of a host' })),
  order: Type.Optional(
    Type.Enum(['name', 'end'], { default: 'name', description: 'end: those that end first' }),
  ),
})

/** GET /certificates/{name}/served listServedCertificates */
export const ServedCertificateSchema = Type.Object({
  node: Type.Object({ id: NodeIdSchema, name: NameSchema }),
  host: Type.String({ description: 'As the node’s config names it' }),
  version: Type.Integer({ description: 'Of this certificate' }),
  fingerprint: FingerprintSchema,
  notAfter: TimeSchema,
  since: TimeSchema,
})

/** GET /certificates/{name}/configs listCertificateConfigs */
export const CertificateConfigSchema = Type.Object({
  config: NameSchema,
  version: Type.Integer({ minimum: 1 }),
  nodes: Type.Integer({ description: 'That were told last to serve the certificate by it' }),
  behind: Type.Integer({
    description:
      'Of these, in an older version of the certificate: a rollout of this version renews it',
  }),
})
export const CertificateConfigsSchema = Type.Object({ items: Type.Array(CertificateConfigSchema) })

/** POST /certificates/{name}/actions/roll-out rollOutCertificate */
export const CertificateRenewalsSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      config: NameSchema,
      version: Type.Integer({ minimum: 1 }),
      rolloutId: Nullable(RolloutIdSchema),
      refused: Nullable(Type.String({ description: 'Why there is no rollout' })),
    }),
    { description: 'Empty: all nodes have its newest version' },
  ),
})

export type Certificate = Static<typeof CertificateSchema>
export type CertificateVersion = Static<typeof CertificateVersionSchema>
export type CertificateCheck = Static<typeof CertificateCheckSchema>

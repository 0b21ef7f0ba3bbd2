// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import { CertificateStateSchema } from '../../api-shapes/states.ts'

export const HOSTS_MAX = 100
const HostsSchema = Type.Array(
  Type.String({ minLength: 1, maxLength: 253, examples: ['shop.example'] }),
  {
    minItems: 1,
    maxItems: HOSTS_MAX,
    description: 'Hosts, in lower case and as DNS has them (xn--…); "*." first needs dns-01',
  },
)
const KeyTypeSchema = Type.Enum(['ecdsa-p256', 'rsa-2048'], {
  description: 'rsa-2048: for clients that are older than ten years',
})
const ProfileSchema = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 300,
    description:
      'One that the CA offers, as `actions/test` of the authority says; null: its own choice',
    examples: ['shortlived'],
  }),
)
const ChosenAuthoritySchema = Type.Object(
  { name: NameSchema, profile: ProfileSchema },
  { additionalProperties: false },
)
const WishedAuthoritySchema = Type.Object(
  { name: NameSchema, profile: Type.Optional(ProfileSchema) },
  { additionalProperties: false },
)
const WishedAuthoritiesSchema = Type.Array(WishedAuthoritySchema, {
  minItems: 1,
  maxItems: 5,
  description: 'Whom it is ordered from; the next when the one before cannot be asked',
})
const ChallengeSchema = Type.Union(
  [
    Type.Object({ type: Type.Literal('http-01') }, { additionalProperties: false }),
    Type.Object(
      { type: Type.Literal('dns-01'), webhook: NameSchema },
      { additionalProperties: false },
    ),
  ],
  {
    description:
      'How the names are proven. http-01: by the nodes, whom the CA asks. dns-01: by TXT records that the DNS webhook sets',
    examples: [{ type: 'http-01' }],
  },
)
const PreferredChainSchema = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Common name of the root whose chain is taken if the CA offers several',
    examples: ['ISRG Root X1'],
  }),
)
const RollOutSchema = Type.Boolean({
  description: 'What was renewed is rolled out by itself to the nodes that have an older version',
})

const OrderIdSchema = Type.String({ examples: ['order_01jd4q6v2m8w3x5y7z9abcdefg'] })
/** GET /managed-certificates/{name}/orders listCertificateOrders */
export const CertificateOrderSchema = Type.Object({
  id: OrderIdSchema,
  certificate: NameSchema,
  authority: NameSchema,
  profile: Nullable(Type.String()),
  names: Type.Array(Type.String()),
  state: Type.Enum(
    [
      'new',
      'publishing',
      'validating',
      'finalizing',
      'downloading',
      'issued',
      'failed',
      'cancelled',
    ],
    {
      description:
        'new: the CA does not have it yet. publishing: nodes or DNS are told what proves the names. validating: the CA looks. finalizing, downloading: the certificate is made and fetched',
    },
  ),
  startedAt: TimeSchema,
  startedBy: Type.String({ description: 'A user name; "renewal": its time had come' }),
  endedAt: Nullable(TimeSchema),
  nextAt: Nullable(
    Type.String({ ...TimeSchema, description: 'When its next step is; null: it has ended' }),
  ),
  expiresAt: Nullable(Type.String({ ...TimeSchema, description: 'When the CA forgets it' })),
  failures: Type.Integer(),
  waitingFor: Nullable(
    Type.Object({
      reason: Type.String(),
      nodes: Type.Array(Type.Object({ id: NodeIdSchema, name: NameSchema }), {
        maxItems: 20,
        description: 'Those that you may see',
      }),
      more: Type.Integer({ description: 'How many besides' }),
    }),
  ),
  lastError: Nullable(Type.String()),
  version: Nullable(Type.Integer({ description: 'Of the certificate, that it brought' })),
})

export const ManagedStateSchema = Type.Enum(['ordering', 'issued', 'waiting', 'paused'], {
  description:
    'ordering: an order is open. issued: its time has not come. waiting: it is due, and something is waited for. paused: nothing is begun',
})

/** GET /managed-certificates/{name} getManagedCertificate */
export const ManagedCertificateSchema = Type.Object({
  name: Type.String({ ...NameSchema, description: 'Of the certificate, as configs say it' }),
  names: Type.Array(Type.String()),
  keyType: KeyTypeSchema,
  authorities: Type.Array(ChosenAuthoritySchema),
  challenge: ChallengeSchema,
  preferredChain: PreferredChainSchema,
  rollOut: RollOutSchema,
  paused: Type.Boolean(),
  state: ManagedStateSchema,
  next: Type.Object(
    {
      action: Type.Enum(['order', 'renew', 'continue', 'none']),
      at: Nullable(TimeSchema),
      because: Type.String({ description: 'A sentence' }),
    },
    { description: 'What happens by itself, and when' },
  ),
  renewAt: Nullable(TimeSchema),
  renewalWindow: Nullable(
    Type.Object(
      { start: TimeSchema, end: TimeSchema, explanationUrl: Nullable(Type.String()) },
      { description: 'What the CA suggests (RFC 9773)' },
    ),
  ),
  order: Nullable(CertificateOrderSchema),
  lastError: Nullable(
    Type.Object(
      { message: Type.String(), at: TimeSchema },
      { description: 'Since the last that went well' },
    ),
  ),
  certificate: Nullable(
    Type.Object(
      {
        version: Type.Integer({ minimum: 1 }),
        notAfter: TimeSchema,
        state: CertificateStateSchema,
      },
      { description: 'Its newest version, whoever brought it' },
    ),
  ),
  createdAt: TimeSchema,
  createdBy: Type.String(),
})

/** GET /managed-certificates listManagedCertificates */
export const ManagedQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  q: Type.Optional(Type.String({ maxLength: 253, description: 'Part of the name, or of a host' })),
  state: Type.Optional(ManagedStateSchema),
})
/** POST /managed-certificates createManagedCertificate */
export const NewManagedCertificateSchema = Type.Object(
  {
    name: NameSchema,
    names: HostsSchema,
    keyType: Type.Optional(Type.Enum(['ecdsa-p256', 'rsa-2048'], { default: 'ecdsa-p256' })),
    authorities: WishedAuthoritiesSchema,
    challenge: Type.Optional(ChallengeSchema),
    preferredChain: Type.Optional(PreferredChainSchema),
    rollOut: Type.Optional(RollOutSchema),
    orderNow: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Also when a certificate of this name is good still. Without one it is ordered at once anyway',
      }),
    ),
  },
  { additionalProperties: false },
)
/** PATCH /managed-certificates/{name} updateManagedCertificate */
export const ManagedCertificatePatchSchema = Type.Object(
  {
    names: Type.Optional(HostsSchema),
    keyType: Type.Optional(KeyTypeSchema),
    authorities: Type.Optional(WishedAuthoritiesSchema),
    challenge: Type.Optional(ChallengeSchema),
    preferredChain: Type.Optional(PreferredChainSchema),
    rollOut: Type.Optional(RollOutSchema),
  },
  { additionalProperties: false, minProperties: 1 },
)

/** POST /managed-certificates/preflight preflightManagedCertificate */
export const HostsToLookAtSchema = Type.Object(
  { names: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), { maxItems: HOSTS_MAX }) },
  { additionalProperties: false },
)
export const HostsLookSchema = Type.Object({
  items: Type.Array(
    Type.Object({
      host: Type.String(),
      nodes: Type.Integer({ description: 'Whose config answers for it, connected or not' }),
      configs: Type.Array(NameSchema, {
        description: 'Whose newest or released version names it, or a wildcard for it',
      }),
    }),
  ),
})

export type ManagedCertificate = Static<typeof ManagedCertificateSchema>
export type ManagedCertificatePatch = Static<typeof ManagedCertificatePatchSchema>
export type CertificateOrder = Static<typeof CertificateOrderSchema>
/** What is asked of a managed certificate, by those who make or change one. */
export type Wishes = Pick<ManagedCertificatePatch, 'names' | 'authorities' | 'challenge'>

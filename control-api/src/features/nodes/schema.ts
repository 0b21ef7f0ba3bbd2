// SPDX-License-Identifier: MIT
import { type Static, Type } from 'typebox'
import {
  ConfigErrorSchema,
  CordonSchema,
  DigestSchema,
  ForgetRuleSchema,
  LabelsSchema,
  NameSchema,
  NodeIdSchema,
  Nullable,
  PageQuerySchema,
  pageOf,
  RolloutIdSchema,
  SelectorSchema,
  TimeSchema,
} from '../../api-shapes/common.ts'
import {
  ConfigIdentitySchema,
  ConnectedSchema,
  RevisionSchema,
  SyncStateSchema,
} from '../../api-shapes/node-facts.ts'
import { CertificateStateSchema } from '../../api-shapes/states.ts'

export const LatencySummarySchema = Type.Object({
  windowSeconds: Type.Integer(),
  requests: Type.Integer({ description: 'Sample size of the quantiles' }),
  p50Seconds: Nullable(Type.Number()),
  p99Seconds: Nullable(Type.Number()),
  readWaitP99Seconds: Nullable(Type.Number()),
  errorRatio: Nullable(Type.Number({ description: '5xx responses / requests' })),
  clientErrorRatio: Nullable(
    Type.Number({ description: '4xx responses / requests, 404 among them' }),
  ),
  notFoundRatio: Nullable(Type.Number({ description: '404 responses / requests' })),
  requestsPerSecond: Nullable(Type.Number()),
})

const IncarnationIdSchema = Type.String({
  pattern: '^[0-9a-f]{32}$',
  examples: ['0123456789abcdef0123456789abcdef'],
})

/** certificate: on TLS. credential: a secret over plain HTTP. none: nobody can speak for it until it joins again. */
export const NodeIdentitySchema = Type.Object({
  kind: Type.Enum(['certificate', 'credential', 'none']),
  state: Type.Enum(['good', 'expired', 'revoked'], {
    description:
      'Not good: it serves on; an enrolment token with its nodeId is the way back. revoked: also when the listener changed between plain HTTP and TLS',
  }),
  issuedAt: Nullable(TimeSchema),
  notAfter: Nullable(TimeSchema),
  serial: Nullable(Type.String()),
  refused: Nullable(
    Type.Object({
      at: TimeSchema,
      code: Type.String({ description: 'As the agent protocol has it: identity_expired, …' }),
    }),
  ),
})
export const NodeCloneSchema = Type.Object({
  detectedAt: TimeSchema,
  keep: Nullable(IncarnationIdSchema),
  incarnations: Type.Array(
    Type.Object({
      incarnation: IncarnationIdSchema,
      hostname: Type.String(),
      address: Nullable(Type.String({ description: 'Where its hello came from' })),
      lastSeenAt: TimeSchema,
    }),
  ),
})
export const NodeDriftSchema = Type.Object({
  digest: Type.String(),
  isServed: Type.Boolean({ description: 'false: not loaded, or not good' }),
  errors: Type.Array(ConfigErrorSchema),
  since: TimeSchema,
  sizeBytes: Type.Integer(),
  decision: Nullable(
    Type.Object({
      action: Type.Enum(['adopt', 'discard']),
      actor: Type.String(),
      at: TimeSchema,
    }),
  ),
})
const Rate = Nullable(Type.Number())
const Count = Nullable(Type.Number())
export const NodeHostSchema = Type.Object(
  {
    at: TimeSchema,
    cpuCount: Count,
    cpuBusyRatio: Nullable(Type.Number({ description: 'Of all CPUs, 0 to 1' })),
    loadAverage1m: Nullable(Type.Number()),
    memoryTotalBytes: Count,
    memoryAvailableBytes: Count,
    residentBytes: Count,
    openDescriptors: Count,
    descriptorLimit: Count,
    openConnections: Count,
    clockOffsetSeconds: Nullable(
      Type.Number({
        description: 'How far its clock is ahead of ours, but for the time a report takes',
      }),
    ),
    roots: Type.Array(
      Type.Object({
        path: Type.String(),
        device: Nullable(Type.String()),
        totalBytes: Count,
        freeBytes: Count,
        readBytesPerSecond: Rate,
        readsPerSecond: Rate,
        millisecondsPerRead: Rate,
      }),
    ),
  },
  { description: 'Newest facts of the node’s machine; rates between its last two reports' },
)

export const NodeSchema = Type.Object({
  id: NodeIdSchema,
  name: NameSchema,
  labels: LabelsSchema,
  group: Type.String({ description: 'The first group whose selector matches its labels' }),
  hostname: Type.String(),
  version: Type.String({ description: 'farmstead-node version' }),
  os: Type.String(),
  arch: Type.String(),
  connected: ConnectedSchema,
  lastSeenAt: Nullable(TimeSchema),
  bootId: Nullable(Type.String()),
  /** Base URLs the node serves, from its effective config. */
  urls: Type.Array(Type.String()),
  sync: Type.Object({
    state: SyncStateSchema,
    reason: Type.String({
      description: 'One sentence: why it is in this state and what moves it on',
    }),
    since: TimeSchema,
    desired: Nullable(ConfigIdentitySchema),
    acknowledged: Nullable(ConfigIdentitySchema),
    effective: Nullable(ConfigIdentitySchema),
    effectiveSource: Type.Enum(['assigned', 'local'], {
      description: 'local: it serves a config that was changed on its machine',
    }),
  }),
  lastResult: Nullable(
    Type.Object({
      at: TimeSchema,
      outcome: Type.Enum(['applied', 'reverted', 'stuck', 'refused']),
      code: Nullable(Type.String()),
      message: Type.String(),
      errors: Type.Array(ConfigErrorSchema),
      rolloutId: Nullable(RolloutIdSchema),
    }),
  ),
  latency: LatencySummarySchema,
  gauges: Type.Record(Type.String(), Type.Number(), {
    description: 'Newest values the node reported (server-c/src/measure/gauges.def)',
  }),
  host: Nullable(NodeHostSchema),
  identity: NodeIdentitySchema,
  clone: Nullable(NodeCloneSchema),
  drift: Nullable(NodeDriftSchema),
  cordon: Nullable(CordonSchema),
  forgetting: Nullable(
    Type.Object(
      {
        ...ForgetRuleSchema.properties,
        at: Nullable(
          Type.String({
            ...TimeSchema,
            description:
              'When it is decommissioned, if it is not heard before; null: it is connected',
          }),
        ),
      },
      { description: 'null: however long it is away, it stays' },
    ),
  ),
  enrolledAt: TimeSchema,
})
export type Node = Static<typeof NodeSchema>

const Folders = Type.Array(Type.String())
export const NodePolicySchema = Type.Object(
  {
    source: Type.Enum(['file', 'builtIn'], {
      description:
        'builtIn: its machine has no policy file, so the tight rules of the program hold',
    }),
    path: Nullable(Type.String({ description: 'Of the file, on its machine' })),
    digest: DigestSchema,
    since: TimeSchema,
    rules: Type.Object(
      {
        serve: Folders,
        secrets: Folders,
        logs: Folders,
        runtime: Folders,
        listen: Type.Array(
          Type.String({ description: 'ADDRESS:PORT or ADDRESS:FIRST-LAST; * is every address' }),
        ),
        adminBeyondLoopback: Type.Boolean(),
        users: Type.Array(Type.String()),
        groups: Type.Array(Type.String()),
        symlinksAny: Type.Boolean(),
      },
      { description: 'An empty list allows nothing' },
    ),
  },
  { description: 'What the owner of the node’s machine allows; nothing here can change it' },
)
export type NodePolicy = Static<typeof NodePolicySchema>

/** As the node says itself, read back from its running server. */
const NodeCertificateSchema = Type.Object({
  host: Type.String({ description: 'As its config names it; *: for who names no host' }),
  fingerprint: Type.String({ description: 'SHA-256 of the DER' }),
  certificate: Nullable(
    Type.Object(
      {
        name: NameSchema,
        version: Type.Integer({ minimum: 1 }),
        latestVersion: Type.Integer({ minimum: 1, description: 'Above `version`: it was renewed' }),
      },
      { description: 'Which of ours; null: it comes from a file on the node' },
    ),
  ),
  notAfter: TimeSchema,
  state: CertificateStateSchema,
  since: TimeSchema,
})

/** GET /nodes/{id} getNode */
export const NodeDetailSchema = Type.Object({
  ...NodeSchema.properties,
  revision: RevisionSchema,
  policy: Nullable(NodePolicySchema),
  certificates: Type.Array(NodeCertificateSchema, {
    description: 'What it serves by TLS; empty: nothing, or it is too old to say',
  }),
})

const NodeSortSchema = Type.Enum([
  ...(['name', 'group', 'state', 'seen'] as const),
  ...(['p50', 'p99', 'rate', 'errors', 'clientErrors'] as const),
])
export type NodeSort = Static<typeof NodeSortSchema>

/** GET /nodes listNodes */
export const NodesQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      description:
        'Instead of `cursor`: so many nodes of the list are left out before the page, for a window of it. To read all of a list use `cursor`: nodes that come and go meanwhile shift none of its pages.',
    }),
  ),
  sort: Type.Optional(
    Type.Unsafe<NodeSort>({
      ...NodeSortSchema,
      default: 'name',
      description:
        'state: what needs somebody first. seen: the longest unheard first. By what was measured in the last minute (p50, p99, rate, errors: 5xx, clientErrors: 4xx) at most 1,000 nodes are sorted: more are refused. Nodes of which nothing is known come last, whichever way; equal ones go by name.',
    }),
  ),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc' })),
  name: Type.Optional(NameSchema),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Words, in any case: each is a part of the name, the host name or a label (`rack=b2`)',
    }),
  ),
  state: Type.Optional(SyncStateSchema),
  connected: Type.Optional(
    Type.Boolean({
      description: 'Only nodes whose agent is talking to us now, or only the others',
    }),
  ),
  cordoned: Type.Optional(Type.Boolean({ description: 'Only cordoned nodes, or only the others' })),
  behind: Type.Optional(
    Type.Boolean({
      description:
        'Only nodes that do not run what they were told last, for whatever reason, as far as is known; or only the others',
    }),
  ),
  refused: Type.Optional(
    Type.Boolean({
      description:
        'Only nodes that refused what they were told last, went back from it or are stuck with it; or only the others',
    }),
  ),
  identity: Type.Optional(
    Type.Enum(['good', 'expired', 'revoked'], {
      description: 'Only nodes whose `identity.state` is this',
    }),
  ),
  config: Type.Optional(Type.Unsafe<string>({ ...NameSchema, description: 'They run it' })),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'They run this one',
    }),
  ),
  group: Type.Optional(NameSchema),
  selector: Type.Optional(SelectorSchema),
})

/** GET /nodes listNodes */
export const NodesPageSchema = Type.Object({
  ...pageOf(NodeSchema).properties,
  total: Type.Integer({ minimum: 0, description: 'How many nodes the list has on all its pages' }),
  revision: RevisionSchema,
})

const MergePatch = Type.Record(Type.String(), Type.Unknown(), {
  examples: [{ listen: [{ address: '0.0.0.0', port: 8081 }] }],
})

/** PATCH /nodes/{id} updateNode. Requires If-Match. */
export const NodePatchSchema = Type.Object(
  { name: Type.Optional(NameSchema), labels: Type.Optional(LabelsSchema) },
  { additionalProperties: false, minProperties: 1 },
)
/**
 * GET/PUT /nodes/{id}/override getNodeOverride, putNodeOverride (If-Match required on PUT):
 * an RFC 7396 merge patch over the version's document, for what differs per node (its port).
 * Takes effect with the next rollout to this node.
 */
export const OverrideSchema = Type.Object(
  { mergePatch: MergePatch },
  { additionalProperties: false },
)
/** GET /nodes/{id}/effective-config getNodeEffectiveConfig: the text the node really runs */
export const EffectiveConfigSchema = Type.Object({
  text: Nullable(Type.String({ description: 'null: the digest is of no text we hold' })),
  generation: Nullable(Type.Integer()),
  digest: Nullable(DigestSchema),
  releases: Type.Array(Type.Object({ name: NameSchema, number: Type.Integer({ minimum: 1 }) }), {
    description: 'Which versions of releases of files go with it',
  }),
  desiredText: Nullable(Type.String()),
})

/** GET /nodes/{id}/rendered getNodeRendered: the version, its group's override, its own, then variables */
export const RenderedConfigSchema = Type.Object({
  version: Type.Object({ config: NameSchema, number: Type.Integer() }),
  text: Type.String(),
  digest: Nullable(DigestSchema),
  errors: Type.Array(ConfigErrorSchema, { description: 'Why it has no digest' }),
  layers: Type.Object({
    versionText: Type.String(),
    group: Type.Object({ name: NameSchema, mergePatch: MergePatch }),
    node: Type.Object({ mergePatch: MergePatch }),
    variables: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  }),
})

/** GET/POST /nodes/{id}/drift getNodeDrift, decideNodeDrift */
export const DriftDetailSchema = Type.Object({
  ...NodeDriftSchema.properties,
  text: Type.String(),
  assignedText: Nullable(Type.String({ description: 'What it was given last' })),
})
export const DriftDecisionSchema = Type.Object(
  {
    action: Type.Enum(['adopt', 'discard']),
    /** Of the change that was looked at: another one is not decided on. */
    digest: DigestSchema,
    /** Of the version that adopting makes. */
    message: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '\\S',
        examples: ['Keep the new root'],
      }),
    ),
  },
  { additionalProperties: false },
)
export const DriftAnswerSchema = Type.Object({
  version: Nullable(Type.Object({ config: NameSchema, number: Type.Integer() })),
})

/** PUT /nodes/{id}/cordon cordonNode */
export const CordonOrderSchema = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 500,
      pattern: '\\S',
      examples: ['Its disk is being replaced'],
    }),
  },
  { additionalProperties: false },
)

/** POST /nodes/{id}/clone decideNodeClone */
export const KeepSchema = Type.Object(
  { keep: IncarnationIdSchema },
  { additionalProperties: false },
)

/** POST /nodes/{id}/error-log readNodeErrorLog */
export const ErrorLogRequestSchema = Type.Object(
  { lines: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })) },
  { additionalProperties: false },
)
export const ErrorLogSchema = Type.Object({
  lines: Type.Array(
    Type.Object({
      at: TimeSchema,
      level: Type.Enum(['error', 'warn', 'info', 'debug']),
      text: Type.String(),
    }),
    { description: 'Oldest first' },
  ),
  droppedLines: Type.Integer({
    description: 'Older ones since boot that the node no longer holds',
  }),
})

/** GET /prometheus/targets listPrometheusTargets */
export const TargetsQuerySchema = Type.Object({
  selector: Type.Optional(SelectorSchema),
  host: Type.Optional(
    Type.Enum(['hostname', 'address'], {
      description:
        'What stands for a node that listens on every address: what its machine calls itself, or the address it speaks to the control plane from',
      default: 'hostname',
    }),
  ),
  loopback: Type.Optional(
    Type.Boolean({
      description: 'Also listeners on loopback: for a Prometheus on the nodes’ own machine',
      default: false,
    }),
  ),
})
/** As Prometheus has it: https://prometheus.io/docs/prometheus/latest/http_sd/ */
export const TargetsSchema = Type.Array(
  Type.Object({
    targets: Type.Array(Type.String(), { minItems: 1, examples: [['edge-1:8081']] }),
    labels: Type.Record(Type.String(), Type.String(), {
      description:
        '`__meta_farmstead_` with `node_id`, `node_name`, `group`, `hostname`, `address`, `state`, `config`, `version` and, for each label of the node, `label_NAME`',
    }),
  }),
)

/** GET /releases/{name}/nodes listReleaseNodes */
export const ReleaseNodesParamsSchema = Type.Object({ name: NameSchema })
export const ReleaseNodesQuerySchema = Type.Object({
  ...PageQuerySchema.properties,
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'They run this one',
    }),
  ),
})
export const ReleaseNodeSchema = Type.Object({
  id: NodeIdSchema,
  name: NameSchema,
  version: Type.Integer({ description: 'Of the release, that it runs' }),
  urls: Type.Array(Type.String(), { description: 'Where it listens, by the config that it runs' }),
  host: Nullable(
    Type.String({ description: 'A name of a site that serves the release; null: none is known' }),
  ),
})
export type ReleaseNode = Static<typeof ReleaseNodeSchema>
export const ReleaseNodesPageSchema = pageOf(ReleaseNodeSchema)

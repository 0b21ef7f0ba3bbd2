// SPDX-License-Identifier: MIT
// One of each thing the API speaks of, whole, so that a test changes only what it is about.
import type {
  Alert,
  AuthorityTest,
  CertificateAuthority,
  CertificateOrder,
  Config,
  CreatedEnrolmentToken,
  DnsWebhook,
  FarmSummary,
  FoundRequest,
  Group,
  Health,
  Impact,
  KnownImports,
  ManagedCertificate,
  NodeAdvice,
  NodeCells,
  NodeDetail,
  NodeHost,
  NodeTask,
  PlanCells,
  Preflight,
  ReleaseLook,
  RenderedConfig,
  RequestSearch,
  Rollout,
  RolloutPlan,
  RolloutTasks,
  Session,
  System,
  Version,
} from '../lib/api-types.ts'

export const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const digest = (letter: string) => `sha256:${letter.repeat(64)}`

export const session: Session = {
  user: { id: 'user_01jd4q6v2m8w3x5y7z9abcdefg', username: 'ana', roles: ['admin'], scope: null },
  passwordChangeRequired: false,
  secondFactor: false,
  permissions: ['configs:write', 'groups:write', 'nodes:enrol', 'nodes:write', 'rollouts:run'],
  expiresAt: ago(-3600),
}

export const system: System = {
  controlPlaneId: 'control_01jd4q6v2m8w3x5y7z9abcdefg',
  version: '0.1.0',
  epoch: 1,
  startedAt: ago(3600),
  agentListener: { url: 'https://control.example:9701', transport: 'mtls' },
  certificateAuthority: {
    fingerprint: 'f'.repeat(43),
    notAfter: ago(-10 * 365 * 86_400),
    serverNotAfter: ago(-365 * 86_400),
    nextFingerprint: null,
  },
  nodeBinaryVersion: '0.1.0',
}

/** Of one node, as it should be. */
export const knownImports: KnownImports = {
  languages: [
    {
      ...{ language: 'nginx', title: 'nginx', folder: '/etc/nginx' },
      mainFiles: ['nginx.conf'],
    },
    {
      ...{ language: 'lighttpd', title: 'lighttpd', folder: '/etc/lighttpd' },
      mainFiles: ['lighttpd.conf'],
    },
    {
      ...{ language: 'apache', title: 'Apache', folder: '/etc/apache2' },
      mainFiles: ['apache2.conf', 'httpd.conf'],
    },
  ],
  verdicts: [
    { verdict: 'unsupported', title: 'Not supported', meaning: 'Nothing of the draft does this.' },
    { verdict: 'different', title: 'Taken over with a difference', meaning: 'Read these.' },
    { verdict: 'taken', title: 'Taken over', meaning: 'As they were.' },
  ],
  ...{ mostFiles: 500, mostMainFiles: 64, mostCharacters: 1_048_576 },
}

export const health: Health = { status: 'ok', version: '0.1.0', checks: [] }

export const alert = (change: Partial<Alert> = {}): Alert => ({
  ...{ id: 'alert_01jd4q6v2m8w3x5y7z9abcdefg', ruleId: 'rule_01jd4q6v2m8w3x5y7z9abcdefg' },
  ...{ ruleName: 'Node silent', severity: 'critical', state: 'firing' },
  subject: { kind: 'node', id: 'node_01jd4q6v2m8w3x5y7z9abcdefg', name: 'edge-1' },
  ...{ isWithoutData: false, value: null, message: 'Not heard from.' },
  ...{ pendingSince: ago(900), firingSince: ago(800), resolvedAt: null, resolvedBecause: null },
  ...{ toldAt: ago(790), silencedUntil: null, acknowledgedAt: null, acknowledgedBy: null },
  ...{ comment: '', ...change },
})

export const nodeCells = (change: Partial<NodeCells> = {}): NodeCells => ({
  ...{ order: 'a'.repeat(16), parts: [{ name: 'default', nodes: 1 }], labelKeys: [] },
  ...{ names: null, states: ['in-sync'], cells: 'a', measured: null },
  rollouts: { named: [], cells: '' },
  ...change,
})

export function farmSummary(change: Partial<FarmSummary> = {}): FarmSummary {
  const none = { applying: 0, 'out-of-sync': 0, drift: 0, unknown: 0, waiting: 0 }
  return {
    asOf: ago(0),
    nodes: { total: 1, byState: { 'in-sync': 1, ...none }, cordoned: 0, silent: [] },
    mixed: [],
    running: [{ config: 'default', version: 2, nodes: 1 }],
    moreRunning: 0,
    rollouts: { underWay: 0, waiting: 0, named: [] },
    ...change,
  }
}

export function createdToken(change: Partial<CreatedEnrolmentToken> = {}): CreatedEnrolmentToken {
  const token = `fst_secret.${'f'.repeat(43)}`
  return {
    id: 'token_01jd4q6v2m8w3x5y7z9abcdefg',
    labels: {},
    nodeId: null,
    nodeName: null,
    maxUses: 1,
    forgetAfterHours: null,
    uses: 0,
    expiresAt: ago(-3600),
    createdAt: ago(1),
    createdBy: 'ana',
    secret: 'fst_secret',
    token,
    command: `farmstead-node join https://control.example:9701 --token ${token} --state /var/lib/farmstead`,
    ...change,
  }
}

const identity = { generation: 3, digest: digest('a'), version: { config: 'default', number: 2 } }

/** Nothing to say, as of a node that is well. */
export const nodeAdvice = (change: Partial<NodeAdvice> = {}): NodeAdvice => ({
  ...{ nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg', nodeName: 'edge-1' },
  ...{ from: ago(900), to: ago(0), advice: [] },
  quiet: [{ rule: 'statCache', why: '3 misses of the stat cache; 100 are needed to judge.' }],
  ...change,
})

export function node(change: Partial<NodeDetail> = {}): NodeDetail {
  return {
    id: 'node_01jd4q6v2m8w3x5y7z9abcdefg',
    name: 'edge-1',
    labels: { rack: 'b2' },
    group: 'default',
    hostname: 'host-1',
    version: '0.1.0',
    os: 'Debian GNU/Linux 12',
    arch: 'x86_64',
    connected: true,
    lastSeenAt: ago(1),
    bootId: '0'.repeat(32),
    revision: 0,
    forgetting: null,
    certificates: [],
    urls: ['http://127.0.0.1:8080/'],
    sync: {
      state: 'in-sync',
      reason: 'It runs default v2, as assigned.',
      since: ago(600),
      desired: identity,
      acknowledged: identity,
      effective: identity,
      effectiveSource: 'assigned',
    },
    lastResult: {
      at: ago(600),
      outcome: 'applied',
      code: null,
      message: '',
      errors: [],
      rolloutId: null,
    },
    latency: {
      windowSeconds: 60,
      requests: 18_203,
      p50Seconds: 0.0012,
      p99Seconds: 0.0042,
      readWaitP99Seconds: null,
      errorRatio: 0,
      clientErrorRatio: 0,
      notFoundRatio: 0,
      requestsPerSecond: 303,
    },
    gauges: { openConnections: 12 },
    host: null,
    identity: {
      kind: 'certificate',
      state: 'good',
      issuedAt: ago(86_400),
      notAfter: ago(-29 * 86_400),
      serial: '4A'.repeat(16),
      refused: null,
    },
    clone: null,
    drift: null,
    cordon: null,
    policy: null,
    enrolledAt: ago(86_400),
    ...change,
  }
}

export function host(change: Partial<NodeHost> = {}): NodeHost {
  return {
    at: ago(2),
    cpuCount: 2,
    cpuBusyRatio: 0.125,
    loadAverage1m: 0.52,
    memoryTotalBytes: 4 * 2 ** 30,
    memoryAvailableBytes: 3 * 2 ** 30,
    residentBytes: 8 * 2 ** 20,
    openDescriptors: 84,
    descriptorLimit: 1024,
    openConnections: 12,
    clockOffsetSeconds: -0.02,
    roots: [
      {
        path: '/srv/www',
        device: 'vda1',
        totalBytes: 100 * 2 ** 30,
        freeBytes: 25 * 2 ** 30,
        readBytesPerSecond: 12e6,
        readsPerSecond: 140,
        millisecondsPerRead: 0.4,
      },
    ],
    ...change,
  }
}

export function drift(
  change: Partial<NonNullable<NodeDetail['drift']>> = {},
): NonNullable<NodeDetail['drift']> {
  return {
    digest: digest('d'),
    isServed: true,
    errors: [],
    since: ago(120),
    sizeBytes: 640,
    decision: null,
    ...change,
  }
}

const atOnce: Rollout['policy'] = {
  maxParallel: null,
  blastBudget: null,
  ackSeconds: 10,
  applySeconds: 30,
  confirmSeconds: 60,
  minHealthySeconds: 0,
  soakSeconds: 0,
  maxSoakSeconds: 0,
  progressDeadlineSeconds: null,
  maxFailedPercent: 0,
  maxUnreachablePercent: 100,
  maxFlaps: 3,
  onFailure: 'pause',
  gates: [],
  isAlone: false,
  onNoData: 'pause',
  minSamples: 500,
  probes: [],
  filesFirstSeconds: null,
}

type OfTasks = Partial<Rollout> & { tasks?: readonly NodeTask[] }

/** As it is of these nodes; they themselves are asked for beside it: tasksOf. */
export function rollout({ tasks = [task()], ...change }: OfTasks = {}): Rollout {
  const standingOf = ({ state, code }: NodeTask) =>
    state === 'healthy' && code === 'gate_failed' ? 'gate_failed' : state
  const states: Rollout['states'] = {}
  for (const one of tasks) states[standingOf(one)] = (states[standingOf(one)] ?? 0) + 1
  return {
    id: 'rollout_01jd4q6v2m8w3x5y7z9abcdefg',
    config: 'default',
    version: 2,
    previousVersion: 1,
    namesNodes: false,
    strategy: {},
    selector: '',
    state: 'running',
    stateVersion: 4,
    reason: 'Waiting for edge-1 to confirm.',
    reasonCode: 'waiting_for_nodes',
    headline: 'Waiting for edge-1 to confirm.',
    timers: [],
    waves: [wave({ nodes: tasks.length, states })],
    wave: 0,
    phase: 'dispatching',
    filesFirst: null,
    soakedSeconds: 0,
    policy: atOnce,
    releases: [],
    isFastPath: false,
    planDigest: digest('c'),
    evidence: null,
    distributions: [],
    states,
    totalNodes: tasks.length,
    doneNodes: (states.done ?? 0) + (states.healthy ?? 0),
    pendingNodes: 0,
    cordonedNodes: 0,
    author: 'ana',
    message: 'Longer caching',
    emergency: null,
    approvals: [],
    approvalsNeeded: 0,
    startAt: null,
    blockedBy: [],
    createdAt: ago(20),
    startedAt: ago(20),
    endedAt: null,
    ...change,
  }
}

export const wave = (change: Partial<Rollout['waves'][number]> = {}) => ({
  ...{ index: 0, nodes: 1, done: 0, states: {} },
  ...change,
})

/** What the control plane answers when these are all there are. */
export const tasksOf = (...tasks: NodeTask[]): RolloutTasks => ({
  items: tasks,
  nextCursor: null,
  total: tasks.length,
})

export function task(change: Partial<NodeTask> = {}): NodeTask {
  return {
    nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg',
    nodeName: 'edge-1',
    wave: 0,
    state: 'applying',
    generation: 4,
    digest: digest('b'),
    code: null,
    message: '',
    errors: [],
    isCordoned: false,
    updatedAt: ago(2),
    ...change,
  }
}

type PlannedNode = RolloutPlan['nodes']['items'][number]

export const plannedNode = (change: Partial<PlannedNode> = {}): PlannedNode => ({
  nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg',
  nodeName: 'edge-1',
  connected: true,
  fromVersion: 1,
  changes: true,
  digest: digest('b'),
  errors: [],
  group: 'default',
  kind: 'Debian GNU/Linux 12 · 0.1.0 · confirm',
  wave: 0,
  cordon: null,
  willRefuse: false,
  isDrifted: false,
  requestsPerSecond: null,
  failureDomain: null,
  ...change,
})

/** Of these nodes, in the order of their pages; of one, when nothing is said. */
export function planOf(
  items: readonly PlannedNode[],
  change: Partial<RolloutPlan> = {},
): RolloutPlan {
  const changing = items.filter(({ changes, cordon }) => changes && cordon === null)
  const bad = items.filter(({ errors }) => errors.length > 0)
  const refsOf = (nodes: readonly PlannedNode[]) => ({
    total: nodes.length,
    items: nodes.map(({ nodeId, nodeName }) => ({ nodeId, nodeName })),
  })
  const grouped = <Of>(of: (node: PlannedNode) => Of) => [...Map.groupBy(items, of)]
  const kinds = grouped(({ kind }) => kind).map(([kind, of]) => ({ kind, nodes: of.length }))
  const versions = grouped(({ fromVersion }) => fromVersion)
  const fromVersions = versions.map(([version, of]) => ({ version, nodes: of.length }))
  const waves = change.waves ?? 1
  const errors = bad.flatMap((node) =>
    node.errors.map((error) => ({ error, nodes: refsOf([node]) })),
  )
  return {
    config: 'default',
    version: 2,
    releases: [],
    matchesNone: false,
    nodes: { total: items.length, items: [...items], nextCursor: null },
    changingNodes: changing.length,
    cordonedNodes: items.filter(({ changes, cordon }) => changes && cordon !== null).length,
    awayNodes: items.filter(({ connected, cordon }) => !connected && cordon === null).length,
    driftedNodes: refsOf(changing.filter(({ isDrifted }) => isDrifted)),
    waveNodes: Array.from(
      { length: waves },
      (_, i) => changing.filter(({ wave }) => wave === i).length,
    ),
    wavePlans: Array.from({ length: waves }, (_, i) =>
      wavePlanOf(changing.filter(({ wave }) => wave === i)),
    ),
    changingKinds: new Set(changing.map(({ kind }) => kind)).size,
    mostAtOnce: { nodes: changing.length, requestsPerSecond: servedBy(changing) },
    kinds: { total: kinds.length, items: kinds },
    fromVersions: { total: fromVersions.length, items: fromVersions },
    textErrors: { nodes: bad.length, findings: { total: errors.length, items: errors } },
    waves,
    policyRefusals: {
      nodes: 0,
      findings: { total: 0, items: [] },
      unchecked: 0,
      unavailable: null,
    },
    policy: atOnce,
    isFastPath: false,
    planDigest: digest('c'),
    approvalsNeeded: 0,
    blockedBy: [],
    closedWindow: null,
    excluded: { total: 0, items: [] },
    ...change,
  }
}

const servedBy = (nodes: readonly PlannedNode[]) =>
  nodes.reduce((sum, { requestsPerSecond }) => sum + (requestsPerSecond ?? 0), 0)

function wavePlanOf(nodes: readonly PlannedNode[]): RolloutPlan['wavePlans'][number] {
  const domains = [...new Set(nodes.map(({ failureDomain }) => failureDomain))]
  return {
    nodes: nodes.length,
    kinds: new Set(nodes.map(({ kind }) => kind)).size,
    requestsPerSecond: servedBy(nodes),
    unmeasuredNodes: nodes.filter(({ requestsPerSecond }) => requestsPerSecond === null).length,
    failureDomains: { total: domains.length, items: domains },
  }
}

/** The picture of planOf: these nodes, all of which take it. */
export const planCells = (change: Partial<PlanCells> = {}): PlanCells => ({
  standings: ['takes'],
  cells: 'a',
  waves: [1],
  requestsPerSecond: [null],
  domains: [null],
  domainOf: [0],
  names: [{ nodeId: plannedNode().nodeId, nodeName: 'edge-1' }],
  ...change,
})

export const plan = (change: Partial<PlannedNode> = {}) => planOf([plannedNode(change)])

export function group(change: Partial<Group> = {}): Group {
  return {
    name: 'europe',
    description: '',
    selector: '',
    position: 1,
    config: null,
    mergePatch: {},
    forgetAfterHours: null,
    nodes: 0,
    isDefault: false,
    updatedAt: ago(60),
    ...change,
  }
}

export function rendered(change: Partial<RenderedConfig> = {}): RenderedConfig {
  return {
    version: { config: 'default', number: 2 },
    text: '{\n  "workers": 2\n}\n',
    digest: digest('b'),
    errors: [],
    layers: {
      versionText: '{}',
      group: { name: 'europe', mergePatch: { workers: 2 } },
      node: { mergePatch: {} },
      variables: [{ name: 'node.label.zone', value: 'eu' }],
    },
    ...change,
  }
}

export function impact(change: Partial<Impact> = {}): Impact {
  const who = { nodeId: 'node_01jd4q6v2m8w3x5y7z9abcdefg', nodeName: 'edge-1' }
  const version = { config: 'default', number: 2 }
  const digests = { fromDigest: digest('a'), toDigest: digest('b') }
  return {
    moves: { total: 1, items: [{ ...who, from: 'default', to: 'europe' }] },
    changes: {
      total: 12,
      items: [{ ...who, from: version, to: version, ...digests, pointers: ['/workers'] }],
    },
    invalid: { total: 0, items: [] },
    forgets: { total: 0, items: [] },
    unchecked: 0,
    ...change,
  }
}

export function config(change: Partial<Config> = {}): Config {
  return { name: 'default', latestVersion: 2, draftChanged: false, updatedAt: ago(60), ...change }
}

export function version(change: Partial<Version> = {}): Version {
  return {
    config: 'default',
    number: 2,
    parent: 1,
    digest: digest('a'),
    author: 'ana',
    message: 'Longer caching',
    source: 'ui',
    createdAt: ago(3600),
    sizeBytes: 120,
    nodes: 3,
    text: '{}\n',
    ...change,
  }
}

export function certificateOrder(change: Partial<CertificateOrder> = {}): CertificateOrder {
  return {
    id: 'order_01jd4q6v2m8w3x5y7z9abcdefg',
    certificate: 'shop',
    authority: 'lets-encrypt',
    profile: null,
    names: ['shop.example', 'www.shop.example'],
    state: 'publishing',
    startedAt: ago(30),
    startedBy: 'renewal',
    endedAt: null,
    nextAt: ago(-20),
    expiresAt: ago(-7 * 86_400),
    failures: 0,
    waitingFor: null,
    lastError: null,
    version: null,
    ...change,
  }
}

export function managed(change: Partial<ManagedCertificate> = {}): ManagedCertificate {
  return {
    name: 'shop',
    names: ['shop.example', 'www.shop.example'],
    keyType: 'ecdsa-p256',
    authorities: [{ name: 'lets-encrypt', profile: null }],
    challenge: { type: 'http-01' },
    preferredChain: null,
    rollOut: true,
    paused: false,
    state: 'issued',
    next: {
      action: 'renew',
      at: ago(-58 * 86_400 - 60),
      because: 'It is renewed when three fifths to two thirds of its life are over',
    },
    renewAt: ago(-58 * 86_400 - 60),
    renewalWindow: null,
    order: null,
    lastError: null,
    certificate: { version: 2, notAfter: ago(-88 * 86_400), state: 'good' },
    createdAt: ago(86_400),
    createdBy: 'ana',
    ...change,
  }
}

export function authority(change: Partial<CertificateAuthority> = {}): CertificateAuthority {
  return {
    name: 'lets-encrypt',
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    contact: ['ops@example.org'],
    trustedRoots: false,
    externalAccountKeyId: null,
    state: 'ready',
    heldUntil: null,
    failures: 0,
    lastError: null,
    usedBy: 1,
    createdAt: ago(86_400),
    createdBy: 'ana',
    ...change,
  }
}

export function authorityTest(change: Partial<AuthorityTest> = {}): AuthorityTest {
  return {
    reachable: true,
    profiles: [
      { name: 'classic', description: 'Ninety days' },
      { name: 'shortlived', description: 'Six days' },
    ],
    termsOfService: 'https://letsencrypt.org/documents/LE-SA.pdf',
    website: 'https://letsencrypt.org/',
    externalAccountRequired: false,
    error: null,
    ...change,
  }
}

export function dnsWebhook(change: Partial<DnsWebhook> = {}): DnsWebhook {
  return {
    name: 'zones',
    url: 'https://dns.example.org/farmstead',
    lastError: null,
    createdAt: ago(86_400),
    createdBy: 'ana',
    ...change,
  }
}

/** Of a version that nobody asked nodes about. */
export const notLookedAt: ReleaseLook = {
  ...{ askedAt: null, files: 0, odd: [] },
  nodes: { right: 0, odd: 0, waiting: 0, silent: 0, away: 0, unable: 0 },
}
export const page = <Item>(...items: Item[]) => ({ items, nextCursor: null })
/** What the control plane answers when these are all the nodes that are asked for. */
export const nodesPage = (...nodes: NodeDetail[]) => ({
  ...page(...nodes),
  ...{ total: nodes.length, revision: 0 },
})
export const noMetrics = { stage: 'total', stepSeconds: 60, times: [], series: [], annotations: [] }

export const preflight = (change: Partial<Preflight> = {}): Preflight => ({
  samplePaths: [{ path: '/' }],
  nodes: [],
  answered: 0,
  notConnected: 0,
  tooOld: 0,
  notAsked: 0,
  isWhole: true,
  ...change,
})

export const foundRequest = (change: Partial<FoundRequest> = {}): FoundRequest => ({
  ...{ startedAt: '2026-11-21T09:00:00.123456Z', generation: 1, status: 404, bytes: 2048 },
  ...{ protocol: 'HTTP/1.1', reason: null, path: '/cart', stageSeconds: { total: 0.0123 } },
  ...{ number: 1, nodeId: node().id, nodeName: 'edge-1', host: 'shop.example', method: 'GET' },
  client: null,
  ...change,
})

export const requestSearch = (change: Partial<RequestSearch> = {}): RequestSearch => ({
  ...{ id: 'search_01jd0c2v3x4y5z6a7b8c9d0e1f', state: 'searching', leftSeconds: 60 },
  tellsClients: false,
  nodes: { selected: 1, connected: 1, searched: 1, tooOld: 0, busy: 0, live: 1 },
  ...{ seen: 0, matched: 0, received: 0, next: 0, skipped: 0, requests: [] },
  ...{ topPaths: [], topClients: null },
  times: { sampled: 0, p50Seconds: null, p90Seconds: null, p99Seconds: null },
  startedAt: '2026-11-21T09:00:00.000Z',
  ...change,
})

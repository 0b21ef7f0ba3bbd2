// SPDX-License-Identifier: MIT
// The lists of the API, with each of their filters and a page in the middle.
import { idOf, nameOf } from './fill.ts'

export type List = {
  path: string
  /** What a page in the middle goes on after; left out: it has one page. */
  after?: (string | number)[]
  filters?: string[]
  isFilteredAlways?: boolean
  /** It shows less to who may see only some nodes. */
  isScoped?: boolean
}

const NODE = idOf('node', 5000)
const TIMES = 'from=1970-01-01T00:05:00.000Z&to=1970-01-01T00:10:00.000Z'

export const LISTS: Record<string, List> = {
  // Who is in it, and in which order, is decided in memory: features/nodes/farm-index.ts.
  nodes: {
    path: '/nodes',
    after: ['nodes by name asc', nameOf(5000), nameOf(5000)],
    filters: [
      ...[`name=${nameOf(6000)}`, 'q=edge', 'state=unknown', 'connected=false', 'cordoned=true'],
      ...['behind=true', 'refused=true', 'identity=revoked', 'config=config-01&version=9'],
      ...['group=group-3', 'selector=rack%3D7', 'sort=name&order=asc'],
    ],
    isScoped: true,
  },
  rollouts: {
    path: '/rollouts',
    after: ['rollouts', idOf('rollout', 250)],
    filters: [
      ...['state=reverted', 'config=config-01', 'author=person-3'],
      'state=reverted&config=config-01&author=person-3',
      `ids=${idOf('rollout', 3)},${idOf('rollout', 250)}`,
      'q=config-01',
    ],
    isScoped: true,
  },
  rollout: { path: `/rollouts/${idOf('rollout', 250)}`, isScoped: true },
  'rollout-cells': { path: `/rollouts/${idOf('rollout', 250)}/cells`, isScoped: true },
  'rollout-tasks': {
    path: `/rollouts/${idOf('rollout', 250)}/tasks`,
    after: ['rollout-tasks', 0, nameOf(5000), idOf('node', 5000)],
    filters: [
      ...[
        'state=done',
        'wave=0',
        'running=true',
        `name=${nameOf(5000)}`,
        'q=edge',
        'exceptions=false',
      ],
    ],
    isScoped: true,
  },
  'rollout-exceptions': {
    path: `/rollouts/${idOf('rollout', 250)}/tasks?exceptions=true`,
    after: ['rollout-exceptions', 5, 1, idOf('node', 5000)],
    filters: ['wave=0'],
    isScoped: true,
  },
  configs: { path: '/configs', after: ['configs', 'config-30'], filters: ['q=fig'] },
  versions: {
    path: '/configs/config-01/versions',
    after: ['versions', 500],
    filters: ['author=person-3', 'source=ui', 'q=change', 'author=person-3&source=ui&q=change'],
    isScoped: true,
  },
  sites: {
    path: '/sites',
    after: ['sites', 'site-0250.example', 'config-30'],
    filters: ['q=fig', 'config=config-01'],
    isScoped: true,
  },
  groups: { path: '/groups', after: ['groups', 'group-3'], isScoped: true },
  'group-order': { path: '/group-order' },
  audit: {
    path: '/audit',
    after: ['audit', 500_000, 500_000],
    filters: [
      ...['by=people', 'actor=person-3', 'kind=node', 'action=change-3', `object=${NODE}`],
      ...['without=change-3', 'q=text', TIMES],
      `by=people&actor=person-3&kind=node&action=change-3&object=${NODE}&q=text&${TIMES}`,
    ],
  },
  'audit-export': {
    path: '/audit/export',
    filters: ['actor=person-3&kind=node', `q=text&${TIMES}`],
  },
  metrics: {
    path: '/metrics/query',
    filters: [`node=${NODE}`, `node=${NODE},${idOf('node', 5004)}&${TIMES}`],
    isFilteredAlways: true,
    isScoped: true,
  },
  tokens: { path: '/tokens', after: ['tokens', idOf('token', 1000)], filters: ['all=1'] },
  'enrolment-tokens': {
    path: '/enrolment-tokens',
    after: ['enrolment-tokens', idOf('token', 5000)],
    filters: ['usable=true', 'usable=false'],
    isScoped: true,
  },
  users: { path: '/users', after: ['users', 'person-250'], filters: ['q=son-2'] },
  sessions: { path: '/session/list' },
  certificates: {
    path: '/certificates',
    after: ['certificates', 'certificate-0100'],
    filters: ['q=a.example', 'order=name'],
  },
  'certificates-by-end': {
    path: '/certificates?order=end',
    after: ['certificates-by-end', 100, 'certificate-0100'],
    filters: ['q=a.example'],
  },
  'certificate-versions': {
    path: '/certificates/certificate-0100/versions',
    after: ['certificate-versions', 3],
  },
  'served-certificates': {
    path: '/certificates/certificate-0001/served',
    after: ['served-certificates', 2, idOf('node', 20), 'host-1'],
    isScoped: true,
  },
  'managed-certificates': {
    path: '/managed-certificates',
    after: ['managed-certificates', 'certificate-0100'],
    filters: ['q=a.example', 'state=paused'],
    isScoped: true,
  },
  'certificate-orders': {
    path: '/managed-certificates/certificate-0100/orders',
    after: ['certificate-orders', idOf('order', 2099)],
    isScoped: true,
  },
  'certificate-authorities': {
    path: '/certificate-authorities',
    after: ['certificate-authorities', 'authority-20'],
  },
  'dns-webhooks': { path: '/dns-webhooks', after: ['dns-webhooks', 'webhook-20'] },
  webhooks: { path: '/webhooks', after: ['webhooks', idOf('webhook', 20)] },
  'webhook-deliveries': {
    path: `/webhooks/${idOf('webhook', 20)}/deliveries`,
    after: ['webhook-deliveries', idOf('delivery', 2000)],
  },
  alerts: {
    path: '/alerts',
    after: ['alerts', idOf('alert', 5000)],
    filters: ['state=firing', `node=${NODE}`, `state=firing&node=${NODE}`],
    isScoped: true,
  },
  'alert-rules': { path: '/alert-rules', after: ['alert-rules', 'rule-50'] },
  'alert-silences': { path: '/alert-silences', after: ['alert-silences', idOf('silence', 100)] },
  backups: { path: '/backups', after: ['backups', idOf('backup', 200)] },
  releases: { path: '/releases', after: ['releases', 'release-20'] },
  'release-versions': {
    path: '/releases/release-07/versions',
    after: ['release-versions', 500],
  },
  // Who is in it is decided in memory, as of `nodes`.
  'release-nodes': {
    path: '/releases/release-07/nodes',
    after: ['release-nodes', nameOf(5000)],
    filters: ['version=3'],
    isScoped: true,
  },
}

/** As openapi.json has their paths: what they page through was kept in memory when it was made, or is a file. */
export const KEPT_IN_MEMORY = [
  '/rollouts/plans/{planDigest}/nodes',
  ...['missing', 'files', 'changes'].map((one) => `/manifests/{sha256}/${one}`),
]

export type ListRequest = { path: string; shown: string; isScoped: boolean }

/** All that is asked of a list: `shown` says which, without what says where in the middle it is. */
export function requestsOf(list: List): ListRequest[] {
  const { path, after, filters = [], isScoped = false, isFilteredAlways = false } = list
  const cursor = after && `cursor=${Buffer.from(JSON.stringify(after)).toString('base64url')}`
  const whole = [...(isFilteredAlways ? [] : ['']), ...filters]
  return [false, ...(isScoped ? [true] : [])].flatMap((isScoped) =>
    whole.flatMap((filter) =>
      ['', ...(cursor ? [cursor] : [])].map((page) => ({
        path: withQuery(path, filter, page),
        shown: `GET ${withQuery(path, filter)}${page && ', a later page'}${isScoped ? ', within a scope' : ''}`,
        isScoped,
      })),
    ),
  )
}

function withQuery(path: string, ...parts: string[]): string {
  const query = parts.filter((part) => part !== '').join('&')
  if (query === '') return path
  return `${path}${path.includes('?') ? '&' : '?'}${query}`
}

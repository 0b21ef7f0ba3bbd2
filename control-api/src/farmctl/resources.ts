// SPDX-License-Identifier: MIT
// What can be got and described: one entry a noun, with its columns.

import { type Api, bodyOf, pages } from './api.ts'
import type {
  Alert,
  AlertRule,
  Backup,
  Certificate,
  CertificateAuthority,
  Config,
  DnsWebhook,
  EnrolmentToken,
  Group,
  ManagedCertificate,
  Node,
  RolloutSummary,
  Token,
  User,
  VersionSummary,
  Webhook,
} from './api-types.ts'
import { Failure } from './failures.ts'
import { describeNode, selectNodes } from './nodes.ts'
import { age, type Column, labelsText, tableLines } from './table.ts'

export type Query = { selector: string; of: string | undefined; limit: number | undefined }
export type Resource<T> = {
  /** As it is typed, the plural first. */
  names: readonly [string, ...string[]]
  /** Of the events that tell of its changes. */
  kind: string
  columns: readonly Column<T>[]
  nameOf: (item: T) => string
  list: (api: Api, query: Query) => AsyncIterable<T>
  one: (api: Api, name: string, query: Query) => Promise<T>
  /** A word of what it belongs to, when it does. */
  parent?: string
  /** Newest first and many: only so many unless asked for more. */
  shown?: number
  hasLabels?: true
}

const yesNo = (value: boolean) => (value ? 'yes' : 'no')
const versionText = (version: { config: string; number: number } | null | undefined) =>
  version ? `${version.config}@${version.number}` : ''

const nodes: Resource<Node> = {
  names: ['nodes', 'node'],
  kind: 'node',
  hasLabels: true,
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ sync, cordon }) => `${sync.state}${cordon ? ',cordoned' : ''}` },
    { title: 'CONNECTED', of: ({ connected }) => yesNo(connected) },
    { title: 'RUNS', of: ({ sync }) => versionText(sync.effective?.version) },
    { title: 'DESIRED', of: ({ sync }) => versionText(sync.desired?.version) },
    { title: 'SEEN', of: ({ lastSeenAt }) => age(lastSeenAt) },
    { title: 'GROUP', of: ({ group }) => group },
    { title: 'LABELS', of: ({ labels }) => labelsText(labels) },
    { title: 'VERSION', of: ({ version }) => version, isWide: true },
    { title: 'HOST', of: ({ hostname }) => hostname, isWide: true },
    { title: 'ID', of: ({ id }) => id, isWide: true },
    { title: 'REASON', of: ({ sync }) => sync.reason, isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api, { selector, limit }) => selectNodes(api, selector, limit),
  one: describeNode,
}

const configs: Resource<Config> = {
  names: ['configs', 'config'],
  kind: 'config',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'LATEST', of: ({ latestVersion }) => String(latestVersion ?? '') },
    { title: 'DRAFT', of: ({ draftChanged }) => (draftChanged ? 'changed' : '') },
    { title: 'UPDATED', of: ({ updatedAt }) => age(updatedAt) },
  ],
  nameOf: ({ name }) => name,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/configs', { params: { query } }))),
  one: (api, name) => bodyOf(api.GET('/api/v1/configs/{name}', { params: { path: { name } } })),
}

function parentOf({ of }: Query): string {
  if (of !== undefined) return of
  throw new Failure('Of which config? As in: farmctl get versions default')
}

const versions: Resource<VersionSummary> = {
  names: ['versions', 'version'],
  kind: 'config',
  parent: 'config',
  shown: 50,
  columns: [
    { title: 'VERSION', of: ({ number }) => String(number) },
    { title: 'AGE', of: ({ createdAt }) => age(createdAt) },
    { title: 'AUTHOR', of: ({ author }) => author },
    { title: 'SOURCE', of: ({ source }) => source },
    { title: 'NODES', of: ({ nodes }) => String(nodes) },
    { title: 'MESSAGE', of: ({ message }) => message },
    { title: 'PARENT', of: ({ parent }) => String(parent ?? ''), isWide: true },
    { title: 'BYTES', of: ({ sizeBytes }) => String(sizeBytes), isWide: true },
    { title: 'DIGEST', of: ({ digest }) => digest, isWide: true },
  ],
  nameOf: ({ number }) => String(number),
  list: (api, query) => listVersions(api, parentOf(query), query.limit),
  one: (api, number, query) => {
    const path = { name: parentOf(query), number: Number(number) }
    return bodyOf(api.GET('/api/v1/configs/{name}/versions/{number}', { params: { path } }))
  },
}

export const listVersions = (api: Api, name: string, limit?: number) =>
  pages(
    (query) =>
      bodyOf(api.GET('/api/v1/configs/{name}/versions', { params: { path: { name }, query } })),
    limit,
  )

const rollouts: Resource<RolloutSummary> = {
  names: ['rollouts', 'rollout'],
  kind: 'rollout',
  shown: 20,
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'WHAT', of: ({ config, version }) => `${config}@${version}` },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'NODES', of: progressOf },
    { title: 'AGE', of: ({ createdAt }) => age(createdAt) },
    { title: 'AUTHOR', of: ({ author }) => author },
    { title: 'MESSAGE', of: ({ message }) => message },
    { title: 'REASON', of: ({ reason }) => reason, isWide: true },
  ],
  nameOf: ({ id }) => id,
  list: (api, { limit }) =>
    pages((query) => bodyOf(api.GET('/api/v1/rollouts', { params: { query } })), limit),
  one: (api, id) => bodyOf(api.GET('/api/v1/rollouts/{id}', { params: { path: { id } } })),
}

type Progress = Pick<RolloutSummary, 'totalNodes' | 'doneNodes'>
export function progressOf({ totalNodes, doneNodes }: Progress): string {
  return `${doneNodes}/${totalNodes}`
}

const forgetsAfter = ({ forgetAfterHours: hours }: Group) =>
  hours === null ? '' : `after ${hours} h`

const groups: Resource<Group> = {
  names: ['groups', 'group'],
  kind: 'group',
  columns: [
    { title: 'ORDER', of: ({ position }) => String(position) },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'SELECTOR', of: ({ selector }) => selector || 'any' },
    { title: 'CONFIG', of: ({ config }) => config ?? '' },
    { title: 'NODES', of: ({ nodes: count }) => String(count) },
    { title: 'OVERRIDE', of: ({ mergePatch }) => Object.keys(mergePatch).join(',') },
    { title: 'FORGETS', of: forgetsAfter, isWide: true },
    { title: 'DESCRIPTION', of: ({ description }) => description, isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/groups', { params: { query } }))),
  one: (api, name) => bodyOf(api.GET('/api/v1/groups/{name}', { params: { path: { name } } })),
}

const tokens: Resource<Token> = {
  names: ['tokens', 'token'],
  kind: 'token',
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'USER', of: ({ user }) => user.username },
    { title: 'PERMISSIONS', of: ({ permissions }) => permissions?.join(',') ?? 'all' },
    { title: 'EXPIRES', of: ({ expiresAt }) => expiresAt },
    { title: 'USED', of: ({ lastUsedAt }) => age(lastUsedAt) },
    { title: 'FROM', of: ({ lastUsedFrom }) => lastUsedFrom ?? '', isWide: true },
  ],
  nameOf: ({ id }) => id,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/tokens', { params: { query } }))),
  one: (api, id) => among(tokens, api, id),
}

const users: Resource<User> = {
  names: ['users', 'user'],
  kind: 'user',
  columns: [
    { title: 'NAME', of: ({ username }) => username },
    { title: 'ROLES', of: ({ roles }) => roles.join(',') },
    { title: 'SCOPE', of: ({ scope }) => scope ?? 'whole farm' },
    { title: 'DISABLED', of: ({ disabled }) => yesNo(disabled) },
    { title: '2ND FACTOR', of: ({ secondFactor }) => yesNo(secondFactor) },
    { title: 'ID', of: ({ id }) => id, isWide: true },
  ],
  nameOf: ({ username }) => username,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/users', { params: { query } }))),
  one: (api, name) => among(users, api, name),
}

const certificates: Resource<Certificate> = {
  names: ['certificates', 'certificate'],
  kind: 'certificate',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'DAYS', of: ({ daysLeft }) => String(daysLeft) },
    { title: 'VERSION', of: ({ latestVersion }) => String(latestVersion.number) },
    { title: 'HOSTS', of: ({ latestVersion }) => latestVersion.names.join(',') },
    { title: 'ISSUER', of: ({ latestVersion }) => latestVersion.issuer, isWide: true },
    { title: 'KEY', of: ({ latestVersion }) => latestVersion.keyKind, isWide: true },
    { title: 'FINGERPRINT', of: ({ latestVersion }) => latestVersion.fingerprint, isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/certificates', { params: { query } }))),
  one: (api, name) =>
    bodyOf(api.GET('/api/v1/certificates/{name}', { params: { path: { name } } })),
}

const managedCertificates: Resource<ManagedCertificate> = {
  names: ['managed-certificates', 'managed-certificate'],
  kind: 'certificate',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'VERSION', of: ({ certificate }) => String(certificate?.version ?? '') },
    { title: 'UNTIL', of: ({ certificate }) => certificate?.notAfter ?? '' },
    { title: 'NEXT', of: ({ next }) => next.action },
    { title: 'AT', of: ({ next }) => next.at ?? '' },
    { title: 'FROM', of: ({ authorities }) => authorities.map(fromText).join(',') },
    { title: 'HOSTS', of: ({ names }) => names.join(',') },
    { title: 'ERROR', of: ({ lastError }) => lastError?.message ?? '' },
    { title: 'BECAUSE', of: ({ next }) => next.because, isWide: true },
    { title: 'BY', of: ({ challenge }) => challenge.type, isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api) =>
    pages((query) => bodyOf(api.GET('/api/v1/managed-certificates', { params: { query } }))),
  one: (api, name) =>
    bodyOf(api.GET('/api/v1/managed-certificates/{name}', { params: { path: { name } } })),
}

const fromText = ({ name, profile }: ManagedCertificate['authorities'][number]) =>
  profile === null ? name : `${name}:${profile}`

const certificateAuthorities: Resource<CertificateAuthority> = {
  names: ['certificate-authorities', 'certificate-authority'],
  kind: 'certificate-authority',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'USED', of: ({ usedBy }) => String(usedBy) },
    { title: 'DIRECTORY', of: ({ directoryUrl }) => directoryUrl },
    { title: 'ERROR', of: ({ lastError }) => lastError ?? '' },
    { title: 'HELD', of: ({ heldUntil }) => heldUntil ?? '', isWide: true },
    { title: 'CONTACT', of: ({ contact }) => contact.join(','), isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api) =>
    pages((query) => bodyOf(api.GET('/api/v1/certificate-authorities', { params: { query } }))),
  one: (api, name) =>
    bodyOf(api.GET('/api/v1/certificate-authorities/{name}', { params: { path: { name } } })),
}

const dnsWebhooks: Resource<DnsWebhook> = {
  names: ['dns-webhooks', 'dns-webhook'],
  kind: 'dns-webhook',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'URL', of: ({ url }) => url },
    { title: 'ERROR', of: ({ lastError }) => lastError ?? '' },
  ],
  nameOf: ({ name }) => name,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/dns-webhooks', { params: { query } }))),
  one: (api, name) =>
    bodyOf(api.GET('/api/v1/dns-webhooks/{name}', { params: { path: { name } } })),
}

const webhooks: Resource<Webhook> = {
  names: ['webhooks', 'webhook'],
  kind: 'webhook',
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'URL', of: ({ url }) => url },
    { title: 'EVENTS', of: ({ events }) => events.join(',') },
    { title: 'DISABLED', of: ({ disabledAt }) => yesNo(disabledAt !== null) },
    { title: 'DESCRIPTION', of: ({ description }) => description },
  ],
  nameOf: ({ id }) => id,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/webhooks', { params: { query } }))),
  one: (api, id) => bodyOf(api.GET('/api/v1/webhooks/{id}', { params: { path: { id } } })),
}

const backups: Resource<Backup> = {
  names: ['backups', 'backup'],
  kind: 'backup',
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'AGE', of: ({ createdAt }) => age(createdAt) },
    { title: 'BYTES', of: ({ sizeBytes }) => String(sizeBytes ?? '') },
    { title: 'BY', of: ({ createdBy }) => createdBy ?? 'schedule' },
    { title: 'REASON', of: ({ reason }) => reason },
    { title: 'FILE', of: ({ fileName }) => fileName, isWide: true },
    { title: 'SHA256', of: ({ sha256 }) => sha256 ?? '', isWide: true },
  ],
  nameOf: ({ id }) => id,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/backups', { params: { query } }))),
  one: (api, id) => bodyOf(api.GET('/api/v1/backups/{id}', { params: { path: { id } } })),
}

const enrolmentTokens: Resource<EnrolmentToken> = {
  names: ['enrolment-tokens', 'enrolment-token'],
  kind: 'token',
  hasLabels: true,
  columns: [
    { title: 'ID', of: ({ id }) => id },
    { title: 'USES', of: ({ uses, maxUses }) => `${uses}/${maxUses}` },
    { title: 'EXPIRES', of: ({ expiresAt }) => expiresAt },
    { title: 'BY', of: ({ createdBy }) => createdBy ?? 'operator' },
    { title: 'LABELS', of: ({ labels }) => labelsText(labels) },
  ],
  nameOf: ({ id }) => id,
  list: (api) =>
    pages((query) => bodyOf(api.GET('/api/v1/enrolment-tokens', { params: { query } }))),
  one: (api, id) => among(enrolmentTokens, api, id),
}

export const alerts: Resource<Alert> = {
  names: ['alerts', 'alert'],
  kind: 'alert',
  shown: 50,
  columns: [
    { title: 'STATE', of: ({ state }) => state },
    { title: 'SEVERITY', of: ({ severity }) => severity },
    { title: 'RULE', of: ({ ruleName }) => ruleName },
    { title: 'OF', of: ({ subject }) => subject.name },
    { title: 'AGE', of: ({ firingSince, pendingSince }) => age(firingSince ?? pendingSince) },
    { title: 'TAKEN ON', of: ({ acknowledgedBy }) => acknowledgedBy ?? '' },
    { title: 'ID', of: ({ id }) => id },
    { title: 'MESSAGE', of: ({ message }) => message },
    { title: 'SILENCED UNTIL', of: ({ silencedUntil }) => silencedUntil ?? '', isWide: true },
  ],
  nameOf: ({ id }) => id,
  list: (api, { limit }) =>
    pages((query) => bodyOf(api.GET('/api/v1/alerts', { params: { query } })), limit),
  one: (api, id) => bodyOf(api.GET('/api/v1/alerts/{id}', { params: { path: { id } } })),
}

export const alertRules: Resource<AlertRule> = {
  names: ['alert-rules', 'alert-rule'],
  kind: 'alert-rule',
  columns: [
    { title: 'NAME', of: ({ name }) => name },
    { title: 'ON', of: ({ enabled }) => yesNo(enabled) },
    { title: 'SEVERITY', of: ({ severity }) => severity },
    { title: 'KIND', of: ({ condition }) => condition.kind },
    { title: 'OF', of: ({ appliesTo }) => appliesTo },
    { title: 'FAILING', of: ({ failing }) => failing ?? '' },
    { title: 'ID', of: ({ id }) => id, isWide: true },
  ],
  nameOf: ({ name }) => name,
  list: (api) => pages((query) => bodyOf(api.GET('/api/v1/alert-rules', { params: { query } }))),
  one: (api, name) => among(alertRules, api, name),
}

/** As `get` prints them. */
export function tableOf<T>({ columns }: Resource<T>, items: readonly T[]): string[] {
  const narrow = columns.filter(({ isWide }) => !isWide)
  return tableLines(
    narrow.map(({ title }) => title),
    items.map((item) => narrow.map(({ of }) => of(item))),
  )
}

/** Where the API has a list only. */
async function among<T>(resource: Resource<T>, api: Api, name: string): Promise<T> {
  const all = resource.list(api, { selector: '', of: undefined, limit: undefined })
  for await (const item of all) if (resource.nameOf(item) === name) return item
  throw new Failure(`There is none called "${name}". See: farmctl get ${resource.names[0]}`)
}

const erased = <T>(resource: Resource<T>) => resource as unknown as Resource<unknown>
export const RESOURCES: readonly Resource<unknown>[] = [
  erased(nodes),
  erased(configs),
  erased(versions),
  erased(groups),
  erased(rollouts),
  erased(tokens),
  erased(users),
  erased(certificates),
  erased(managedCertificates),
  erased(certificateAuthorities),
  erased(dnsWebhooks),
  erased(webhooks),
  erased(backups),
  erased(enrolmentTokens),
  erased(alerts),
  erased(alertRules),
]

export function resourceOf(word: string): Resource<unknown> {
  const found = RESOURCES.find(({ names }) => names.includes(word))
  if (found) return found
  const known = RESOURCES.map(({ names }) => names[0]).join(', ')
  throw new Failure(`There is no "${word}" to get: choose of ${known}.`)
}

// SPDX-License-Identifier: MIT
import type { Verdict } from '../../components/status-badge.tsx'
import type { Session, Token } from '../../lib/api-types.ts'
import { plural } from '../../lib/format.ts'
import { may } from '../../lib/permissions.ts'
import type { Grantable } from './api.ts'

export const MAX_NAME_LENGTH = 64
export const DEFAULT_LIFE_DAYS = 90
export const lives = [
  { days: 1, label: '1 day' },
  { days: 7, label: '7 days' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 365, label: '1 year' },
] as const

/** What each lets a program do. Those that change something come after those that look. */
const texts: Record<Grantable, string> = {
  'nodes:read': 'See nodes, their state and their logs',
  'configs:read': 'Read configs and their versions',
  'releases:read': 'Read releases and the files in them',
  'rollouts:read': 'See rollouts',
  'metrics:read': 'Read measurements',
  'requests:read': 'See single requests and their paths',
  'requests:clients': 'See who asked: addresses of clients',
  'events:read': 'Follow what changes, live',
  'groups:read': 'See groups',
  'certificates:read': 'See certificates, not their keys',
  'system:read': 'See this control plane’s state and the description of its API',
  'system:metrics': 'Read this control plane’s own measurements, for Prometheus',
  'audit:read': 'Read the audit',
  'users:read': 'See users',
  'tokens:read': 'See everybody’s tokens',
  'webhooks:read': 'See webhooks',
  'alerts:read': 'See alerts, their rules and silences',
  'backups:read': 'See backups',
  'configs:write': 'Save drafts and versions',
  'releases:write': 'Upload files, make releases and remove them',
  'rollouts:run': 'Start, pause and stop rollouts',
  'rollouts:approve': 'Approve rollouts',
  'rollouts:emergency': 'Start rollouts past approvals and windows',
  'rollouts:rules': 'Change the rules for every rollout',
  'nodes:write': 'Change nodes, and take them out',
  'nodes:enrol': 'Make one-time tokens for new nodes',
  'groups:write': 'Change groups',
  'certificates:write': 'Upload, renew and delete certificates',
  'tokens:own': 'Make and revoke your tokens; what it makes says no more than it does',
  'tokens:write': 'Revoke everybody’s tokens',
  'users:write': 'Change users and their roles',
  'webhooks:write': 'Change webhooks',
  'alerts:handle': 'Acknowledge and silence alerts',
  'alerts:write': 'Change the rules of alerts',
  'backups:write': 'Make backups',
}

export type Choice = { permission: Grantable; text: string }

/** What this session has to give. */
export function choicesOf(session: Session): Choice[] {
  const all = Object.entries(texts) as [Grantable, string][]
  return all
    .filter(([permission]) => session.permissions.includes(permission))
    .map(([permission, text]) => ({ permission, text }))
}

export function tokenVerdict({ expiresAt }: Pick<Token, 'expiresAt'>, now: number): Verdict {
  const isOver = Date.parse(expiresAt) <= now
  return isOver
    ? { label: 'Expired', tone: 'idle', shape: 'ring' }
    : { label: 'Good', tone: 'good', shape: 'disc' }
}

export function carries({ permissions }: Pick<Token, 'permissions'>): string {
  if (permissions === null) return 'All its owner may'
  return permissions.length <= 3 ? permissions.join(', ') : plural(permissions.length, 'permission')
}

export function whyNotRevoke(session: Session, token: Token): string | null {
  const isOwn = token.user.id === session.user.id
  if (isOwn || may(session, 'tokens:write')) return null
  return 'It is not yours; that needs the permission tokens:write.'
}

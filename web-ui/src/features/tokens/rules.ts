// SPDX-License-Identifier: MIT

import type { Verdict } from '../../components/status-badge.tsx'
import { t } from '../../languages/t.ts'
import type { Session, Token } from '../../lib/api-types.ts'
import { may } from '../../lib/permissions.ts'
import type { Grantable } from './api.ts'

export const MAX_NAME_LENGTH = 64
export const DEFAULT_LIFE_DAYS = 90
export const lives = [
  { days: 1, label: t('1 day') },
  { days: 7, label: t('7 days') },
  { days: 30, label: t('30 days') },
  { days: 90, label: t('90 days') },
  { days: 365, label: t('1 year') },
] as const

/** What each lets a program do. Those that change something come after those that look. */
const texts: Record<Grantable, string> = {
  'nodes:read': t('See nodes, their state and their logs'),
  'configs:read': t('Read configs and their versions'),
  'releases:read': t('Read releases and the files in them'),
  'rollouts:read': t('See rollouts'),
  'metrics:read': t('Read measurements'),
  'requests:read': t('See single requests and their paths'),
  'requests:clients': t('See who asked: addresses of clients'),
  'events:read': t('Follow what changes, live'),
  'groups:read': t('See groups'),
  'certificates:read': t('See certificates, not their keys'),
  'system:read': t('See this control plane’s state and the description of its API'),
  'system:metrics': t('Read this control plane’s own measurements, for Prometheus'),
  'audit:read': t('Read the audit'),
  'users:read': t('See users'),
  'tokens:read': t('See everybody’s tokens'),
  'webhooks:read': t('See webhooks'),
  'alerts:read': t('See alerts, their rules and silences'),
  'backups:read': t('See backups'),
  'configs:write': t('Save drafts and versions'),
  'releases:write': t('Upload files, make releases and remove them'),
  'rollouts:run': t('Start, pause and stop rollouts'),
  'rollouts:approve': t('Approve rollouts'),
  'rollouts:emergency': t('Start rollouts past approvals and windows'),
  'rollouts:rules': t('Change the rules for every rollout'),
  'nodes:write': t('Change nodes, and take them out'),
  'nodes:enrol': t('Make one-time tokens for new nodes'),
  'groups:write': t('Change groups'),
  'certificates:write': t('Upload, renew and delete certificates'),
  'tokens:own': t('Make and revoke your tokens; what it makes says no more than it does'),
  'tokens:write': t('Revoke everybody’s tokens'),
  'users:write': t('Change users and their roles'),
  'webhooks:write': t('Change webhooks'),
  'alerts:handle': t('Acknowledge and silence alerts'),
  'alerts:write': t('Change the rules of alerts'),
  'backups:write': t('Make backups'),
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
    ? { label: t('Expired'), tone: 'idle', shape: 'ring' }
    : { label: t('Good'), tone: 'good', shape: 'disc' }
}

export function carries({ permissions }: Pick<Token, 'permissions'>): string {
  if (permissions === null) return t('All its owner may')
  return permissions.length <= 3
    ? permissions.join(', ')
    : t('{permissions, plural, one {# permission} other {# permissions}}', {
        permissions: permissions.length,
      })
}

export function whyNotRevoke(session: Session, token: Token): string | null {
  const isOwn = token.user.id === session.user.id
  if (isOwn || may(session, 'tokens:write')) return null
  return t('It is not yours; that needs the permission tokens:write.')
}

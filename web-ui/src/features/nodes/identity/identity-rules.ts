// SPDX-License-Identifier: MIT

import type { Verdict } from '../../../components/status-badge.tsx'
import { t } from '../../../languages/t.ts'
import type { NodeClone, NodeIdentity } from '../../../lib/api-types.ts'
import { formatDuration } from '../../../lib/time.ts'

/** How the node proves who it is, in a word that may stand alone. */
export function channelVerdict({ kind, state }: NodeIdentity): Verdict {
  if (state === 'revoked') return { label: t('Revoked'), tone: 'bad', shape: 'square' }
  if (state === 'expired') return { label: t('Certificate expired'), tone: 'bad', shape: 'square' }
  if (kind === 'credential') {
    return { label: t('Plain HTTP, not protected'), tone: 'warn', shape: 'triangle' }
  }
  return { label: t('Mutual TLS'), tone: 'good', shape: 'disc' }
}

/** A node renews after two thirds of a life, give or take a tenth: later than this something is wrong. */
const OVERDUE_SHARE = 0.75

export function isRenewalOverdue(
  { kind, state, issuedAt, notAfter }: NodeIdentity,
  now: number,
): boolean {
  if (kind !== 'certificate' || state !== 'good' || issuedAt === null || notAfter === null) {
    return false
  }
  const [from, to] = [Date.parse(issuedAt), Date.parse(notAfter)]
  return now > from + (to - from) * OVERDUE_SHARE
}

/** "in 29 d", "ended 3 h ago". */
export function timeLeft(notAfter: string, now: number): string {
  const seconds = (Date.parse(notAfter) - now) / 1000
  return seconds > 0
    ? t('in {seconds}', { seconds: formatDuration(seconds) })
    : t('ended {seconds} ago', { seconds: formatDuration(-seconds) })
}

/** A refusal from before the identity it has now says nothing any more. */
export function standingRefusal({ refused, issuedAt, state }: NodeIdentity) {
  if (refused === null) return null
  const isOld = state === 'good' && issuedAt !== null && refused.at < issuedAt
  return isOld ? null : refused
}

/** Enough of a serial number or an incarnation to tell one from another. */
export const shortHex = (hex: string) => hex.slice(0, 8).toLowerCase()

type Incarnation = NodeClone['incarnations'][number]

/** As an operator tells them apart: by host, where that differs, and always by what is unique. */
export function processName({ hostname, incarnation }: Incarnation): string {
  return `${hostname} (${shortHex(incarnation)})`
}

export const keptOf = ({ keep, incarnations }: NodeClone): Incarnation | null =>
  incarnations.find((one) => one.incarnation === keep) ?? null

/** A refused process says hello every half minute; one that does not is gone, or was restarted. */
const SILENT_AFTER_MS = 90_000

export const isSilent = ({ lastSeenAt }: Incarnation, now: number): boolean =>
  now - Date.parse(lastSeenAt) > SILENT_AFTER_MS

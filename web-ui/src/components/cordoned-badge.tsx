// SPDX-License-Identifier: MIT
// A node that rollouts skip, wherever it is shown.
import { t } from '../languages/t.ts'
import { StatusBadge, type Verdict } from './status-badge.tsx'

export const cordonedVerdict = {
  label: t('Cordoned'),
  tone: 'warn',
  shape: 'square',
} satisfies Verdict

export function CordonedBadge() {
  return <StatusBadge verdict={cordonedVerdict} />
}

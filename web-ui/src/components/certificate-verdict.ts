// SPDX-License-Identifier: MIT
import { t } from '../languages/t.ts'
import type { Certificate } from '../lib/api-types.ts'
import type { Verdict } from './status-badge.tsx'

const verdicts: Record<Certificate['state'], Verdict> = {
  good: { label: t('Good'), tone: 'good', shape: 'disc' },
  expiring: { label: t('Ends soon'), tone: 'warn', shape: 'triangle' },
  expired: { label: t('Expired'), tone: 'bad', shape: 'square' },
}
export const certificateVerdict = ({ state }: Pick<Certificate, 'state'>) => verdicts[state]

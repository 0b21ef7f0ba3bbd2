// SPDX-License-Identifier: MIT
import type { Certificate } from '../lib/api-types.ts'
import type { Verdict } from './status-badge.tsx'

const verdicts: Record<Certificate['state'], Verdict> = {
  good: { label: 'Good', tone: 'good', shape: 'disc' },
  expiring: { label: 'Ends soon', tone: 'warn', shape: 'triangle' },
  expired: { label: 'Expired', tone: 'bad', shape: 'square' },
}
export const certificateVerdict = ({ state }: Pick<Certificate, 'state'>) => verdicts[state]

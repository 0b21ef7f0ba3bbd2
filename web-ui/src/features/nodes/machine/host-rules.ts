// SPDX-License-Identifier: MIT
// What the numbers of a machine say, and when they deserve a second look.

import type { Verdict } from '../../../components/status-badge.tsx'
import { numberLocale } from '../../../languages/language.ts'
import { t } from '../../../languages/t.ts'
import type { NodeHost } from '../../../lib/api-types.ts'
import { DASH, formatBytes, formatCount, formatRatio, formatSeconds } from '../../../lib/format.ts'

export type HostFact = { name: string; text: string; warning: string | null }
type Root = NodeHost['roots'][number]

const DESCRIPTORS_FULL = 0.8
const MEMORY_LOW = 0.05
const DISK_FULL = 0.95

export const warnVerdict = (label: string): Verdict => ({ label, tone: 'warn', shape: 'triangle' })

const two = new Intl.NumberFormat(numberLocale, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

export function hostFacts(host: NodeHost): HostFact[] {
  const { cpuCount, cpuBusyRatio, loadAverage1m, residentBytes, openConnections } = host
  return [
    {
      name: t('CPU'),
      text:
        cpuCount === null
          ? t('{cpuBusyRatio} busy', { cpuBusyRatio: formatRatio(cpuBusyRatio) })
          : t('{cpuBusyRatio} of {cpuCount, plural, one {# CPU} other {# CPUs}} busy', {
              cpuBusyRatio: formatRatio(cpuBusyRatio),
              cpuCount,
            }),
      warning: null,
    },
    {
      name: t('Load, 1 min'),
      text: loadAverage1m === null ? DASH : two.format(loadAverage1m),
      warning: null,
    },
    memory(host),
    {
      name: 'farmstead-node',
      text: t('{residentBytes} resident', { residentBytes: formatBytes(residentBytes) }),
      warning: null,
    },
    descriptors(host),
    {
      name: t('Connections'),
      text:
        openConnections === null
          ? DASH
          : t('{openConnections} open', { openConnections: formatCount(openConnections) }),
      warning: null,
    },
    clock(host),
  ]
}

function memory({ memoryTotalBytes: total, memoryAvailableBytes: available }: NodeHost): HostFact {
  const isLow = total !== null && available !== null && available < total * MEMORY_LOW
  return {
    name: t('Memory'),
    text: t('{available} of {total} available', {
      available: formatBytes(available),
      total: formatBytes(total),
    }),
    warning: isLow ? t('Nearly used up') : null,
  }
}

function descriptors({ openDescriptors: open, descriptorLimit: limit }: NodeHost): HostFact {
  const isFull = open !== null && limit !== null && open > limit * DESCRIPTORS_FULL
  const count = (value: number | null) => (value === null ? DASH : formatCount(value))
  return {
    name: t('Descriptors'),
    text: t('{count} of {count2} open', { count: count(open), count2: count(limit) }),
    warning: isFull ? t('Nearly used up') : null,
  }
}

/** Beyond that certificates count as expired or not yet good, and dates in answers and logs mislead. */
const CLOCK_WRONG_SECONDS = 5
/** A report is under way for a while. */
const CLOCK_EXACT_SECONDS = 1

function clock({ clockOffsetSeconds: offset }: NodeHost): HostFact {
  const name = t('Clock')
  if (offset === null) return { name, text: DASH, warning: null }
  const by = Math.abs(offset)
  if (by < CLOCK_EXACT_SECONDS) return { name, text: t('as the control plane’s'), warning: null }
  const text =
    offset > 0
      ? t('{by} ahead of the control plane’s', { by: formatSeconds(by) })
      : t('{by} behind the control plane’s', { by: formatSeconds(by) })
  return { name, text, warning: by > CLOCK_WRONG_SECONDS ? t('Set the time') : null }
}

export function usedRatio({ totalBytes, freeBytes }: Pick<Root, 'totalBytes' | 'freeBytes'>) {
  return totalBytes === null || freeBytes === null || totalBytes === 0
    ? null
    : (totalBytes - freeBytes) / totalBytes
}

export const isDiskFull = (root: Root) => (usedRatio(root) ?? 0) > DISK_FULL

/** Why a root's rates are dashes, when they are. */
export function whyNoRates(roots: readonly Root[]): string | null {
  return roots.some(({ readBytesPerSecond }) => readBytesPerSecond === null)
    ? t(
        'A dash: the kernel counts no reads of that file system, or two reports in a row are not there yet.',
      )
    : null
}

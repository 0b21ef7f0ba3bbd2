// SPDX-License-Identifier: MIT
import { describe, expect, test } from 'vitest'
import { host } from '../../../test/samples.ts'
import { hostFacts, isDiskFull, usedRatio, whyNoRates } from './host-rules.ts'

const fact = (name: string, change: Parameters<typeof host>[0] = {}) => {
  const found = hostFacts(host(change)).find((one) => one.name === name)
  if (!found) throw new Error(`no fact ${name}`)
  return found
}

describe('facts of the machine', () => {
  test('with units and what they are a part of', () => {
    expect(fact('CPU').text).toBe('12.5 % of 2 CPUs busy')
    expect(fact('Load, 1 min').text).toBe('0.52')
    expect(fact('Memory').text).toBe('3 GiB of 4 GiB available')
    expect(fact('farmstead-node').text).toBe('8 MiB resident')
    expect(fact('Descriptors').text).toBe('84 of 1,024 open')
    expect(fact('Connections').text).toBe('12 open')
  })
  test('that the kernel does not tell are dashes', () => {
    expect(fact('CPU', { cpuCount: null, cpuBusyRatio: null }).text).toBe('– busy')
    expect(fact('Load, 1 min', { loadAverage1m: null }).text).toBe('–')
    expect(fact('Descriptors', { descriptorLimit: null }).text).toBe('84 of – open')
    expect(fact('Connections', { openConnections: null }).text).toBe('–')
  })
  test('warn before memory and descriptors are used up, not earlier', () => {
    expect(fact('Memory').warning).toBeNull()
    expect(fact('Memory', { memoryAvailableBytes: 100 * 2 ** 20 }).warning).not.toBeNull()
    expect(fact('Descriptors', { openDescriptors: 819 }).warning).toBeNull()
    expect(fact('Descriptors', { openDescriptors: 820 }).warning).not.toBeNull()
  })
})

describe('the clock', () => {
  const clock = (clockOffsetSeconds: number | null) => fact('Clock', { clockOffsetSeconds })
  test('is compared with the control plane’s', () => {
    expect(clock(-0.9).text).toBe('as the control plane’s')
    expect(clock(3.2)).toMatchObject({ text: '3.2 s ahead of the control plane’s', warning: null })
    expect(clock(-75).text).toBe('75 s behind the control plane’s')
    expect(clock(null).text).toBe('–')
  })
  test('warns when it is wrong by more than reports take', () => {
    expect(clock(5).warning).toBeNull()
    expect(clock(-5.1).warning).not.toBeNull()
  })
})

describe('disks', () => {
  const [root] = host().roots
  const filled = (freeBytes: number | null) => ({ ...root, freeBytes }) as NonNullable<typeof root>
  test('are full before the last byte is used', () => {
    expect(usedRatio(filled(25 * 2 ** 30))).toBe(0.75)
    expect(isDiskFull(filled(25 * 2 ** 30))).toBe(false)
    expect(isDiskFull(filled(4 * 2 ** 30))).toBe(true)
    expect(usedRatio(filled(null))).toBeNull()
    expect(isDiskFull(filled(null))).toBe(false)
  })
  test('without rates say why', () => {
    expect(whyNoRates(host().roots)).toBeNull()
    expect(whyNoRates([{ ...filled(1), readBytesPerSecond: null }])).toMatch(/dash/)
  })
})

// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loopRatios, median, ratios, rowOf } from '../figures.mjs'
import { loadReport, runReport, summary } from '../report.mjs'
import { mixSizes, text } from '../site.mjs'

const round = (figures) => ({
  requestsPerSecond: 1000,
  megabytesPerSecond: 4,
  cpuPerRequest: 10,
  busyCores: 1,
  othersBusyCores: 0,
  stolenCores: 0,
  p50: 100,
  p99: 200,
  max: 300,
  requests: 1000,
  errors: 0,
  died: false,
  rssBytes: 1 << 20,
  pssBytes: 1 << 20,
  ...figures,
})
const result = (label, kind, ...rounds) => ({
  label,
  kind,
  version: '1',
  rounds: rounds.map(round),
})
const rows = (...results) => results.map(rowOf)

describe('median', () => {
  const table = [
    ['nothing', [], null],
    ['one', [3], 3],
    ['an odd count, unsorted', [9, 1, 5], 5],
    ['an even count', [4, 1, 3, 2], 2.5],
    ['what is missing does not count', [null, 7, undefined], 7],
  ]
  for (const [name, numbers, wanted] of table) it(name, () => assert.equal(median(numbers), wanted))
})

describe('a row', () => {
  it('has medians, the longest wait, and the errors of all rounds', () => {
    const [row] = rows(
      result(
        'x',
        'peer',
        { p99: 1, max: 5, errors: 1 },
        { p99: 9, max: 50 },
        { p99: 2, died: true },
      ),
    )
    assert.deepEqual([row.p99, row.max, row.errors, row.died], [2, 300, 1, 1])
  })
})

describe('ratios', () => {
  const ours = result('farmstead', 'ours', { requestsPerSecond: 3000, cpuPerRequest: 9, p99: 50 })
  const fast = result('fast', 'peer', { requestsPerSecond: 2000, cpuPerRequest: 20 })
  const lean = result('lean', 'peer', { cpuPerRequest: 12 })
  const floor = result('floor', 'floor', { requestsPerSecond: 4000, cpuPerRequest: 6, p99: 25 })
  const of = (key, ...results) => ratios(rows(...results)).find((one) => one.key === key)

  it('are to the best peer in each figure, and to the floor', () => {
    const all = [ours, fast, lean, floor]
    assert.deepEqual(of('requestsPerSecond', ...all), {
      label: 'farmstead',
      key: 'requestsPerSecond',
      ratioToPeer: 1.5,
      peer: 'fast',
      ratioToFloor: 0.75,
    })
    assert.equal(of('cpuPerRequest', ...all).peer, 'lean')
    assert.equal(of('cpuPerRequest', ...all).ratioToFloor, 1.5)
    assert.equal(of('p99', ...all).ratioToFloor, 2)
  })
  it('are of rounds that were neighbours, so that a slow minute slows both', () => {
    const a = result('farmstead', 'ours', { p99: 10 }, { p99: 100 }, { p99: 30 })
    const b = result('fast', 'peer', { p99: 20 }, { p99: 200 }, { p99: 20 })
    assert.equal(of('p99', a, b).ratioToPeer, 0.5)
  })
  it('leave out a peer that answers with errors', () => {
    const failing = result('failing', 'peer', { requestsPerSecond: 9000, errors: 10 })
    assert.equal(of('requestsPerSecond', ours, fast, failing).peer, 'fast')
  })
  it('are not there without peers and floor', () => {
    assert.deepEqual(of('p99', ours), { label: 'farmstead', key: 'p99' })
  })
  it('of two loops are to one loop of the same server', () => {
    const one = result('farmstead, 1 loop', 'ours', { cpuPerRequest: 10 })
    const two = result('farmstead, 2 loops', 'ours', { cpuPerRequest: 11 })
    assert.deepEqual(loopRatios(rows(one, two)), [{ label: 'farmstead', twoLoops: 1.1 }])
  })
})

describe('a summary', () => {
  it('has a line per load, and none for loops', () => {
    const results = [result('farmstead', 'ours', {}), result('fast', 'peer', { p99: 400 })]
    const ofLoops = [1, 2].map((n) => result(`farmstead, ${n} loop${n > 1 ? 's' : ''}`, 'ours', {}))
    const loads = ['4k', 'loops', '304'].map((name) => ({
      name,
      results: name === 'loops' ? ofLoops : results,
    }))
    const lines = summary(loads, { markdown: true }).split('\n')
    assert.deepEqual(
      lines.map((line) => line.split('|')[1].trim()),
      ['load', '----', '4k', '304'],
    )
    assert.match(lines[2], /1\.00 \(fast\) .*0\.50 \(fast\)/)
  })
  it('of servers held back has no times: those are of the holding', () => {
    const results = [result('farmstead', 'ours', {}), result('fast', 'peer', { p99: 400 })]
    const said = summary([{ name: '4k', results }], { isHeld: true })
    assert.match(said, /requests\/s .*CPU ÷ floor$/m)
    assert.doesNotMatch(said, /p99|0\.50/)
  })
})

describe('a report', () => {
  const load = (results, leftOut = []) => ({ name: '4k', title: 'four', results, leftOut })
  const ours = result('farmstead', 'ours', { requestsPerSecond: 123456.7, cpuPerRequest: 9.876 })

  it('has the figures', () => {
    const text = loadReport(load([ours]))
    assert.match(text, /^ {2}farmstead +123,457 +4\.00 +9\.88 /m)
  })
  it('is Markdown on demand', () => {
    const lines = loadReport(load([ours]), { markdown: true }).split('\n')
    const columns = lines
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').length)
    assert.equal(columns.length, 3)
    assert.equal(new Set(columns).size, 1)
  })
  it('has a dash where a client tells no percentiles', () => {
    const text = loadReport({
      ...load([result('x', 'ours', { p50: null, p99: null })]),
      client: 'h2load',
    })
    assert.match(text, /h2load busy/)
    assert.match(text, /^ {2}x .* – +– +0\.30 /m)
  })
  it('says who is left out and why', () => {
    const out = [{ label: 'h2o', kind: 'peer', leftOut: '/x: status 500 instead of 200' }]
    assert.match(loadReport(load([ours], out)), /h2o is left out: \/x: status 500/)
  })
  it('says when the machine had other work', () => {
    assert.doesNotMatch(loadReport(load([ours])), /Not quiet/)
    const disturbed = result('farmstead', 'ours', { othersBusyCores: 0.5 })
    assert.match(loadReport(load([disturbed])), /Not quiet: 0\.50 cores/)
  })
  it('says whose requests/s are wrk’s', () => {
    const waits = result('farmstead', 'ours', { busyCores: 0.8, wrkBusyShare: 0.99 })
    const full = result('nginx', 'peer', { busyCores: 0.99, wrkBusyShare: 0.99 })
    assert.match(loadReport(load([waits, full])), /no faster of farmstead:/)
    assert.doesNotMatch(loadReport(load([full])), /no faster/)
    assert.doesNotMatch(loadReport(load([ours])), /no faster/) // a run that did not look
  })
  it('says who died', () => {
    const dead = result('lighttpd', 'peer', { died: true, errors: 12 })
    assert.match(loadReport(load([dead])), /12, died 1×/)
  })
})

describe('a run', () => {
  const machine = {
    cpu: 'x',
    cores: 2,
    memoryBytes: 1 << 30,
    serverCore: 0,
    wrkCores: [1],
    versions: {},
  }
  const results = [result('farmstead', 'ours', {}), result('fast', 'peer', {})]
  const loads = [{ name: '4k', title: 'four', results, leftOut: [] }]
  const report = (options) =>
    runReport({ machine, loads, options: { startedAt: '2026-01-01T00:00', ...options } })

  it('has a table per load', () => assert.match(report({}), /^4k: four$/m))
  it('of servers held back says so, and is its summary only', () => {
    const said = report({ cpuShare: 0.5 })
    assert.match(said, /each server held to 0\.5 of its core/)
    assert.doesNotMatch(said, /^4k: four$/m)
  })
})

describe('the files', () => {
  it('of the mix are from 16 bytes to 0.25 MB, always in the same order', () => {
    const sizes = mixSizes(150)
    assert.deepEqual([Math.min(...sizes), Math.max(...sizes), sizes.length], [16, 262144, 150])
    assert.deepEqual(mixSizes(150), sizes)
    assert.notDeepEqual(sizes, sizes.toSorted?.((a, b) => a - b) ?? [])
  })
  it('are always the same text', () => {
    assert.equal(text(5000, 1).length, 5000)
    assert.ok(text(5000, 1).equals(text(5000, 1)))
    assert.ok(!text(5000, 1).equals(text(5000, 2)))
  })
})

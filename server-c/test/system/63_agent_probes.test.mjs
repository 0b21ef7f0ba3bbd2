// SPDX-License-Identifier: MIT
// The control plane has a node fetch paths from itself.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { joinNodeFor } from '../support/joined-node.mjs'
import { Authority } from '../support/pki.mjs'

/** A node that serves "v1", confirmed, and writes what was asked for into a log. */
async function farm(t) {
  const { control, node } = await joinNodeFor(t)
  const logPath = join(node.dir, 'access.log')
  const configOf = (version, overrides) =>
    node.config(version, {
      workers: 2,
      accessLog: { path: logPath, format: 'json' },
      ...overrides,
    })
  control.assign(configOf('v1'))
  node.start()
  await node.untilVersion('v1')
  await control.until('quiet', () => /generation 1 is confirmed/.test(node.log))

  /** Of one generation, or all: what the windows that were reported say. */
  const counted = (name, generation) =>
    control.windows
      .flatMap(({ window }) => window.series)
      .filter((series) => generation === undefined || series.generation === generation)
      .reduce((sum, { counters }) => sum + (counters[name] ?? 0), 0)
  const probesInLog = () =>
    (existsSync(logPath) ? readFileSync(logPath, 'utf8') : '')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ userAgent }) => userAgent.startsWith('farmstead-probe/'))

  /**
   * Until all that was fetched so far is in the log: its thread writes now and then, one loop's lines after
   * another's, so what is older than a line that was seen twice over is there.
   */
  async function untilLogged() {
    for (const at of [1, 2]) {
      const mark = `/mark-${at}-${performance.now()}`
      await fetch(`http://127.0.0.1:${node.port}${mark}`)
      await control.until('logged', () => readFileSync(logPath, 'utf8').includes(mark))
    }
  }
  // What was asked for until now is in these windows: later ones count what the test has done.
  const windows = control.windows.length
  await control.until('two more windows', () => control.windows.length >= windows + 2)
  return { control, node, configOf, counted, probesInLog, untilLogged }
}

describe('probes', { concurrency: 4 }, () => {
  test('the node says that it can', async (t) => {
    const { control } = await farm(t)
    assert.ok(control.of('hello')[0].body.capabilities.includes('probes'))
  })

  test('all that was asked for is fetched, like any client does, and counted as what it is', async (t) => {
    const { control, counted, probesInLog } = await farm(t)
    const usual = counted('requests')
    control.probe([{ path: '/' }, { host: 'www.example.org', path: '/nothing?q=1' }], { count: 60 })
    await control.until('counted', () => counted('probeRequests', 1) === 60)
    assert.ok(counted('requests', 1) >= usual + 60)
    await control.until('answered', () => counted('responses404', 1) >= 30)
    assert.equal(counted('responses404', 1), 30)
    const looked = counted('cacheHits', 1) + counted('cacheMisses', 1)
    assert.ok(looked >= 60, `${looked} look-ups`)
    const { window } = control.windows.find(({ window: { series } }) =>
      series.some(({ counters }) => counters.probeRequests > 0),
    )
    assert.ok(window.series[0].stages.firstByte.count >= window.series[0].counters.probeRequests)
    await control.until('logged', () => probesInLog().length === 60)
    // In order per loop only.
    const [first] = probesInLog().filter(({ request }) => request === 'GET / HTTP/1.1')
    const [second] = probesInLog().filter(({ status }) => status === 404)
    assert.equal(first.host, '127.0.0.1')
    assert.match(first.userAgent, /^farmstead-probe\/\d+\.\d+\.\d+$/)
    assert.equal(second.request, 'GET /nothing?q=1 HTTP/1.1')
    assert.equal(second.host, 'www.example.org')
  })

  test('never faster than was asked', async (t) => {
    const { control, counted } = await farm(t)
    const before = counted('probeRequests')
    const startedAt = performance.now()
    control.probe([{ path: '/' }], { perSecond: 10, count: 21 })
    await control.until('counted', () => counted('probeRequests') - before === 21)
    assert.ok(performance.now() - startedAt >= 2000)
  })

  test('connections are kept alive, and now and then a new one is made', async (t) => {
    const { control, counted } = await farm(t)
    const before = counted('probeRequests')
    const connections = counted('connections')
    control.probe([{ path: '/' }], { count: 50 })
    await control.until('counted', () => counted('probeRequests') - before === 50)
    assert.equal(counted('connections') - connections, 5)
  })

  test('of a very long answer only the beginning is fetched, and the next request follows', async (t) => {
    const { control, node, counted } = await farm(t)
    // More than a probe takes of one answer.
    writeFileSync(join(node.root, 'large.bin'), Buffer.alloc(64 << 20))
    const [bytes, aborted] = [counted('bytesSent'), counted('aborted')]
    const before = counted('probeRequests')
    control.probe([{ path: '/large.bin' }, { path: '/' }], { count: 2 })
    await control.until('counted', () => counted('probeRequests') - before === 1)
    await control.until('ended early', () => counted('aborted') - aborted === 1)
    assert.ok(counted('bytesSent') - bytes < 32 << 20)
  })

  test('the node says what came of each path, when it is asked to', async (t) => {
    const { control, node } = await farm(t)
    assert.ok(control.of('hello')[0].body.capabilities.includes('probeAnswers'))
    const text = 'p { margin: 0 }'
    writeFileSync(join(node.root, 'site.css'), text)
    const paths = [{ path: '/site.css' }, { path: '/nothing.png' }]
    const { id } = control.probe(paths, { count: 2, answers: true })
    const saying = () => control.of('report').find(({ body }) => body.probed)
    await control.until('said', () => saying() !== undefined)
    const { probed } = saying().body
    assert.equal(probed.id, id)
    const sha256 = createHash('sha256').update(text).digest('hex')
    const found = { status: 200, bytes: text.length, sha256, mediaType: 'text/css; charset=utf-8' }
    assert.deepEqual(probed.answers[0], found)
    assert.equal(probed.answers[1].status, 404)
    control.probe([{ path: '/' }], { count: 1 })
    const reports = control.of('report').length
    await control.until('two more', () => control.of('report').length >= reports + 2)
    assert.equal(control.of('report').filter(({ body }) => body.probed).length, 1)
  })

  test('a new order takes the place of the one under way', async (t) => {
    const { control, probesInLog, untilLogged } = await farm(t)
    control.probe([{ path: '/first' }], { perSecond: 1, count: 60 })
    await control.until('begun', () => probesInLog().some(({ request }) => /first/.test(request)))
    const before = probesInLog().filter(({ request }) => /second/.test(request)).length
    control.probe([{ path: '/second' }], { count: 30 })
    const seconds = () => probesInLog().filter(({ request }) => /second/.test(request)).length
    await control.until('all of the second', () => seconds() - before === 30)
    await untilLogged()
    const firsts = probesInLog().filter(({ request }) => /first/.test(request)).length
    await sleep(1500)
    assert.equal(probesInLog().filter(({ request }) => /first/.test(request)).length, firsts)
  })

  test('the same order again is not carried out again', async (t) => {
    const { control, counted } = await farm(t)
    const before = counted('probeRequests')
    const { id } = control.probe([{ path: '/' }], { count: 10 })
    await control.until('counted', () => counted('probeRequests') - before === 10)
    const asked = control.wishes().length
    control.probe([{ path: '/' }], { id, count: 10 })
    await control.until('it has heard', () => control.wishes().length > asked)
    control.probe([{ path: '/' }], { count: 1 })
    await control.until('counted', () => counted('probeRequests') - before === 11)
  })

  test('a new config ends what was to be fetched under the old one', async (t) => {
    const { control, node, configOf, counted, probesInLog, untilLogged } = await farm(t)
    control.probe([{ path: '/' }], { perSecond: 1, count: 60 })
    const before = probesInLog().length
    await control.until('begun', () => probesInLog().length > before)
    control.assign(configOf('v2'))
    await node.untilVersion('v2')
    await control.until('quiet', () => /generation 2 is confirmed/.test(node.log))
    await untilLogged()
    const then = probesInLog().length
    await sleep(1500)
    assert.equal(probesInLog().length, then)
    control.probe([{ path: '/' }], { count: 5 })
    await control.until('under the new one', () => counted('probeRequests', 2) === 5)
  })

  test('where clients are sent to HTTPS or come by a proxy, the node asks as they do', async (t) => {
    const { control, node, configOf, counted } = await farm(t)
    const certificates = [new Authority(node.dir, 'root').issue(['www.example.org'])]
    const [site] = configOf('v1').sites
    const listen = [
      { address: '127.0.0.1', port: node.port, proxyProtocol: true },
      { address: '127.0.0.1', port: await freePort(), tls: true, proxyProtocol: true },
    ]
    const config = { listen, trustedProxies: ['127.0.0.1'] }
    const generations = [2, 3]
    for (const redirectToHttps of [false, true]) {
      const sites = [{ ...site, certificates, redirectToHttps }]
      const generation = generations.shift()
      control.assign(configOf(`v${generation}`, { ...config, sites }))
      await control.until('quiet', () =>
        new RegExp(`generation ${generation} is confirmed`).test(node.log),
      )
      control.probe([{ path: '/nothing' }, { host: 'www.example.org', path: '/nothing' }], {
        count: 10,
      })
      await control.until('counted', () => counted('probeRequests', generation) === 10)
      await control.until('answered', () => counted('responses404', generation) >= 10)
      assert.equal(counted('responses404', generation), 10, `redirects: ${redirectToHttps}`)
      assert.equal(counted('tlsHandshakes', generation) > 0, redirectToHttps)
    }
  })

  test('without a control plane nothing more is fetched', async (t) => {
    const { control, node, probesInLog, untilLogged } = await farm(t)
    control.probe([{ path: '/' }], { perSecond: 2, count: 120 })
    const before = probesInLog().length
    await control.until('begun', () => probesInLog().length > before)
    await control.stop()
    await control.until('noticed', () => /no control plane/.test(node.log))
    await sleep(1100) // one that was under way
    await untilLogged()
    const then = probesInLog().length
    await sleep(1500)
    assert.equal(probesInLog().length, then)
    await control.start()
    await control.until('back', () => (node.log.match(/connected to/g) ?? []).length > 1)
  })

  test('an order beyond the limits is refused, and the node goes on', async (t) => {
    const { control, node, probesInLog } = await farm(t)
    control.faults.desired = () => {
      control.faults = {}
      const probes = { id: 'probe_01jd4q6v2m8w3x5y7z9abcdefp', perSecond: 51, count: 1, paths: [] }
      return { raw: JSON.stringify({ assignment: null, probes }) }
    }
    control.askForLog(1)
    await control.until('refused', () => /"perSecond" must be/.test(node.log))
    control.probe([{ path: '/after' }], { count: 3 })
    const after = () => probesInLog().filter(({ request }) => /after/.test(request)).length
    await control.until('fetched', () => after() === 3)
  })

  test('while it probes, the node ends when it is told to', async (t) => {
    const { control, node, probesInLog } = await farm(t)
    const before = probesInLog().length
    control.probe([{ path: '/' }], { perSecond: 1, count: 60 })
    await control.until('begun', () => probesInLog().length > before)
    assert.equal(await node.stop(), 0)
    node.start()
    await node.untilVersion('v1')
  })
})

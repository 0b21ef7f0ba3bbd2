// SPDX-License-Identifier: MIT
// A control plane in small: a real server, over TLS unless told otherwise, that speaks the agent
// protocol, checks every message against its JSON Schema, remembers all that was said, and misbehaves
// on demand.
//
// It keeps the protocol's promises (long polls, idempotence, each window taken once), so that a test
// says only what is special about it. `faults[message]` is asked first, for each request:
//   undefined             answer as usual
//   'drop'                close the connection without an answer
//   'hold'                never answer
//   'lose'                do what is asked, and close the connection without an answer
//   { status, code }      a problem; { raw: text } any bytes (with status 200 when none is given); { delayMs } answer later
//   { answerLateMs }      do what is asked at once, and say so later
//   { until }             the same, when that promise is kept
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../scripts/testing/free-port.mjs'
import { keyOf } from './fake-ca.mjs'
import { id, makeIdentities } from './fake-identities.mjs'
import { FakeReleases } from './fake-releases.mjs'
import { NEVER_MS } from './node.mjs'
import { validate } from './protocol-schemas.mjs'

/** RFC 8785 for what our configs hold: objects, arrays, strings, integers, booleans. */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`
}

export const digestOf = (config) =>
  `sha256:${createHash('sha256').update(canonical(config)).digest('hex')}`

export class FakeControlPlane {
  controlPlaneId = id('cp_')
  epoch = 1
  reportEveryMs = 200
  /** What an answer to report says instead. */
  reportSlowerMs = null
  desiredWaitMs = 5000
  /** An older one does not know what a report may ask, and answers at once. */
  holdsReports = true
  /** A test that waits for the end of it says how long: a busy machine takes its time for each step. */
  confirmWithinMs = NEVER_MS
  /** 'yes': confirm at once; 'no': not yet, for ever */
  confirming = 'yes'
  /** @type {Record<string, (body: any) => any>} */
  faults = {}
  /** All requests in order: { message, body, status, at, port }; port: the connection, by the node's end of it */
  said = []
  /** What was not as the schemas say: must be empty at the end of each test. */
  violations = []
  /** What it is told to answer is against the schemas on purpose. */
  answersBadly = false
  /** Windows in the order they were taken, each once: { bootId, seq, window } */
  windows = []
  resentWindows = 0
  /** The most requests that were under way at the same time. */
  mostAtOnce = 0
  assignment = null
  /** What `GET certificates/NAME/VERSION` answers: 'NAME/VERSION' to the message. */
  certificates = new Map()
  /** What `releases/…` answers (fake-releases.mjs). */
  releases = new FakeReleases()
  /** What is said of neighbours (fake-neighbours.mjs); null: it does not know of them. */
  neighbours = null
  #hasNewRules = false
  /** Those that stand, as an answer to desired has them. */
  challenges = []
  /** Versions that nodes are to hold, as an answer to desired has them; null: it does not know of that. */
  #ahead = null
  /** Previews, as an answer to desired has them; null: it does not know of that. */
  #previews = null
  ticketKeys = { keys: [randomBytes(80).toString('base64')], refreshAfterMs: 3_600_000 }
  /** Who is known, and by what (fake-identities.mjs); there from start() on. */
  identities = null
  /** Tokens, whom they are for and what they were spent on: null, { node } or { node, csr } */
  #tokens = new Map()
  #sessions = new Set()
  #highestSeq = new Map()
  #events = new EventEmitter()
  #request = null
  #probes = null
  /** For how long somebody looks, and what is searched for, as the next answer to desired says. */
  #looks = null
  #watch = null
  /** What answers to samples say. */
  samplesForMs = 0
  searches = []
  #server = null
  #sockets = new Set()
  #port = 0
  #underWay = new Set()

  get url() {
    return `${this.isPlain ? 'http' : 'https'}://127.0.0.1:${this.#port}`
  }

  /** That are open now. */
  get connections() {
    return this.#sockets.size
  }

  constructor({ isPlain = false } = {}) {
    this.isPlain = isPlain
    this.#events.setMaxListeners(0)
  }

  async start() {
    this.#sessions.clear()
    this.identities ??= await makeIdentities(!this.isPlain)
    this.#server = this.identities.createServer((request, response) => {
      this.#serve(request, response).catch((error) => {
        if (!response.destroyed) this.violations.push(`fake control plane: ${error.stack}`)
        response.destroy()
      })
    })
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
    this.#port ||= await freePort()
    this.#server.listen(this.#port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  /** Gone as a crashed one is: every connection cut. `start()` brings it back on the same port. */
  async stop() {
    const server = this.#server
    this.#server = null
    if (!server) return
    server.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#events.emit('wake')
    await once(server, 'close')
  }

  /** One for a new node, or for one that there is: { nodeId, name }. */
  makeToken(forNode = null) {
    const secret = `fst_${randomBytes(12).toString('hex')}`
    this.#tokens.set(
      secret,
      forNode && { node: { ...forNode, controlPlaneId: this.controlPlaneId } },
    )
    return this.identities.completeToken(secret)
  }

  revokeAll() {
    this.identities.forget()
  }

  /** Assigns `config` (an object, or text to be sent as it is) as the next generation. */
  assign(config, overrides = {}, certificates = undefined, releases = undefined) {
    const text = typeof config === 'string' ? config : JSON.stringify(config, null, 2)
    const digest = typeof config === 'string' ? digestOf(text) : digestOf(config)
    this.assignment = {
      generation: (this.assignment?.generation ?? 0) + 1,
      epoch: this.epoch,
      offerId: id('offer_'),
      rolloutId: null,
      release: {
        configDigest: digest,
        configText: text,
        ...(certificates && { certificates }),
        ...(releases && { releases }),
      },
      ackWithinMs: NEVER_MS,
      applyWithinMs: NEVER_MS,
      confirmWithinMs: this.confirmWithinMs,
      ...overrides,
    }
    this.#events.emit('wake')
    return this.assignment
  }

  /** Keeps a version of a certificate; returns what an assignment says of it. */
  keepCertificate(name, version, { chainFile, keyFile }, overrides = {}) {
    const chain = readFileSync(chainFile, 'utf8')
    const { fingerprint256 } = new X509Certificate(chain)
    const said = {
      name,
      version,
      fingerprintSha256: fingerprint256.replaceAll(':', '').toLowerCase(),
    }
    const given = { ...said, chain, key: readFileSync(keyFile, 'utf8'), ...overrides }
    this.certificates.set(`${name}/${version}`, given)
    return said
  }

  /** Has nodes answer these: { host, token, keyAuthorization, endsInMs }. */
  challenge(...challenges) {
    this.challenges = challenges
    this.#events.emit('wake')
  }

  /** Has nodes hold these versions before they are assigned. */
  hold(...versions) {
    this.#ahead = versions
    this.#events.emit('wake')
  }

  /** Has nodes show these. */
  preview(...previews) {
    this.#previews = previews
    this.#events.emit('wake')
  }

  /** The next answer to a report has the rules of neighbours. */
  tellRules() {
    this.#hasNewRules = true
  }

  /** The same, and it has said something since: so it goes by them. */
  async rulesTaken() {
    this.tellRules()
    await this.until('new rules are told', () => !this.#hasNewRules)
    const reports = this.of('report').length
    await this.until('it reports again', () => this.of('report').length > reports)
  }

  /** What the node said last of what it is to hold: manifest to state, or to the error. */
  heldAhead() {
    const said = this.wishes().at(-1)?.body.ahead ?? []
    return Object.fromEntries(
      said.map(({ manifestSha256, state, error }) => [manifestSha256, error ?? state]),
    )
  }

  /** Has the node asked for lines of its error log, with the next answer to desired; once. */
  askForLog(lines, overrides = {}) {
    this.#request = { requestId: id('request_'), kind: 'errorLog', lines, ...overrides }
    this.#events.emit('wake')
    return this.#request.requestId
  }

  /** Asks what `config` would do there, with the next answer to desired; once. */
  askForCheck(config, paths = [], overrides = {}) {
    const text = typeof config === 'string' ? config : JSON.stringify(config, null, 2)
    const digest = digestOf(config)
    this.#request = { requestId: id('request_'), kind: 'check', digest, text, paths, ...overrides }
    this.#events.emit('wake')
    return this.#request.requestId
  }

  /** Has the node fetch these from itself, with the next answer to desired; once. */
  probe(paths, { perSecond = 50, count = 50, ...overrides } = {}) {
    this.#probes = { id: id('probe_'), perSecond, count, paths, ...overrides }
    this.#events.emit('wake')
    return this.#probes
  }

  /** Has the node count requests below these paths, with the next answer to desired; once. */
  watch(paths, { forMs = 60_000, ...overrides } = {}) {
    this.#watch = { id: id('watch_'), forMs, paths, ...overrides }
    this.#events.emit('wake')
    return this.#watch
  }

  /** Somebody looks at single requests for so long, or searches them, with the next answer to desired. */
  lookFor(forMs, searches = []) {
    this.#looks = { forMs, searches }
    this.#events.emit('wake')
  }

  /** The messages of a kind, about one generation when it is given. */
  of(message, generation) {
    return this.said.filter(
      (one) =>
        one.message === message && (generation === undefined || one.body.generation === generation),
    )
  }

  /** What the node asked to run, by itself or with a report. */
  wishes() {
    return this.said.flatMap((one) => {
      if (one.message === 'desired') return one
      return one.body.desired && this.holdsReports ? { ...one, body: one.body.desired } : []
    })
  }

  /** Waits until `find(this)` is truthy and returns it. */
  async until(what, find, timeoutMs = NEVER_MS) {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const found = find(this)
      if (found) return found
      if (performance.now() > deadline) {
        const tail = this.said.slice(-8).map((one) => `${one.message} ${one.status}`)
        throw new Error(`not in ${timeoutMs} ms: ${what}; last said: ${tail.join(', ')}`)
      }
      await Promise.race([once(this.#events, 'said'), sleep(20)])
    }
  }

  async #serve(request, response) {
    this.#underWay.add(request)
    response.once('close', () => this.#underWay.delete(request))
    // Before the node can have it: the next request may be here before that is known.
    response.once('prefinish', () => this.#underWay.delete(request))
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#underWay.size)
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const path = request.url.replace('/agent/v1/', '')
    const [message, ...which] = path.split('/')
    const isGet = request.method === 'GET'
    const body = isGet
      ? { which: which.join('/') }
      : JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const { remotePort: port } = request.socket
    const entry = { message, body, status: 0, at: performance.now(), port }
    entry.certificate = this.isPlain ? null : this.identities.fingerprintOf(request)
    this.said.push(entry)
    const isQuestion = path === 'releases/neighbours'
    const kinds = { releases: isQuestion ? 'releases-neighbours' : 'releases-contents' }
    const schema = kinds[message] ?? message
    const wrong = isGet ? [] : validate(`${schema}.request`, body)
    for (const what of wrong) this.violations.push(`${message}: ${what}`)

    const fault = this.faults[message]?.(body)
    if (fault === 'drop') return response.destroy()
    if (fault === 'hold') return undefined
    if (isQuestion && this.neighbours) {
      const json = this.neighbours.say(body, request.socket.getPeerCertificate().raw)
      entry.status = 200
      this.#send('releases-neighbours', { status: 200, json }, response)
      this.#events.emit('said')
      return undefined
    }
    if (message === 'releases') {
      if (!this.identities.find(request).node) this.violations.push('releases: who asks?')
      const { range } = request.headers
      entry.status = await this.releases.answer(which, isGet ? null : body, range, response)
      return undefined
    }
    if (fault?.delayMs) await sleep(fault.delayMs)
    let answer
    if (fault?.raw !== undefined) answer = { status: fault.status ?? 200, raw: fault.raw }
    else if (fault?.status) answer = problem(fault.status, fault.code ?? 'internal', 'on demand')
    else if (wrong.length > 0) answer = problem(400, 'invalid_message', wrong.join('; '))
    else answer = await this.#answer(message, body, request)
    if (fault === 'lose') return response.destroy()
    if (fault?.answerLateMs) await sleep(fault.answerLateMs)
    await fault?.until
    entry.status = answer.status
    this.#send(message, answer, response)
    this.#events.emit('said')
    return undefined
  }

  #send(message, { status, raw, json }, response) {
    const ok = status < 300
    if (raw === undefined && !this.answersBadly) {
      const schema = !ok
        ? 'problem'
        : ['ack', 'nack', 'result', 'logs', 'check'].includes(message)
          ? 'empty.response'
          : `${message.replace('certificates', 'certificate')}.response`
      for (const what of validate(schema, json)) {
        this.violations.push(`our answer to ${message}: ${what}`)
      }
    }
    const type = ok ? 'application/json' : 'application/problem+json'
    response.writeHead(status, { 'content-type': type })
    response.end(raw ?? JSON.stringify(json))
  }

  async #answer(message, body, request) {
    if (message === 'ca' && !this.isPlain) {
      return { status: 200, json: { caCertificates: this.identities.caCertificates } }
    }
    if (message === 'enrol') return this.#enrol(body)
    const { node, code } = this.identities.find(request)
    if (!node) return problem(401, code, 'No node has this credential.')
    if (message === 'hello') return this.#hello(node)
    if (message === 'renew') return this.#renew(node, body, request)
    if (!this.#sessions.has(node.nodeId)) return problem(409, 'say_hello', 'Who are you?')
    if (message === 'desired') return this.#desired(body)
    if (message === 'report') return this.#takeReport(body)
    if (message === 'ticket-keys') return { status: 200, json: this.ticketKeys }
    if (message === 'certificates') {
      const given = this.certificates.get(body.which)
      if (!given) return problem(404, 'no_such_certificate', 'Nothing assigned names that.')
      return { status: 200, json: given }
    }
    if (message === 'logs' || message === 'check') return { status: 200, json: {} }
    if (message === 'samples')
      return { status: 200, json: { forMs: this.samplesForMs, searches: this.searches } }
    if (body.offerId !== this.assignment?.offerId) {
      return problem(409, 'superseded', 'That offer is not the one.')
    }
    if (message === 'confirm') {
      return { status: 200, json: { confirmed: this.confirming === 'yes', retryAfterMs: 100 } }
    }
    return { status: 200, json: {} }
  }

  /** A token works once, but for the same key again: its answer may have been lost. */
  async #enrol({ token, name, csr }) {
    const spent = this.#tokens.get(token)
    if (spent === undefined || (spent?.csr && (!csr || spent.csr !== keyOf(csr)))) {
      return problem(403, 'token_used', 'This enrolment token has been used. Make a new one.')
    }
    const node = spent?.node ?? { nodeId: id('node_'), name, controlPlaneId: this.controlPlaneId }
    const given = await this.identities.enrol(node, csr)
    if (!given) return problem(400, 'invalid_message', 'That request is not signed by its key.')
    this.#tokens.set(token, { node, csr: csr ? keyOf(csr) : 'none' })
    return { status: 200, json: { ...node, ...given } }
  }

  async #renew(node, { csr }, request) {
    const given = await this.identities.renew(node, csr, request)
    if (!given) return problem(400, 'invalid_message', 'That request is not signed by its key.')
    return { status: 200, json: given }
  }

  #hello(node) {
    this.#sessions.add(node.nodeId)
    const { controlPlaneId, epoch, reportEveryMs, desiredWaitMs } = this
    const rules = this.neighbours?.rules
    const session = {
      protocol: 1,
      controlPlaneId,
      epoch,
      reportEveryMs,
      desiredWaitMs,
      ...(rules && { neighbours: rules }),
    }
    return { status: 200, json: { ...session, ...this.identities.session() } }
  }

  async #desired({ have, waitMs, challenges, ahead, previews }) {
    const held = () => this.challenges.map(({ token }) => token).join() === challenges?.join()
    const manifests = (versions) => versions?.map((one) => one.manifestSha256).join()
    const knowsAhead = () => !this.#ahead || manifests(this.#ahead) === manifests(ahead)
    const knowsPreviews = () =>
      !this.#previews || this.#previews.map(({ id }) => id).join() === previews?.join()
    const deadline = performance.now() + waitMs
    while (this.#server && performance.now() < deadline) {
      if (this.#request || this.#probes || this.#watch || this.#looks) break
      if (!held() || !knowsAhead() || !knowsPreviews()) break
      if (this.assignment && this.assignment.generation > (have?.generation ?? 0)) break
      const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(deadline - performance.now())))
      await once(this.#events, 'wake', { signal: timeout }).catch(() => undefined)
    }
    const isNew = this.assignment && this.assignment.generation > (have?.generation ?? 0)
    const asked = {
      ...(this.#request && { request: this.#request }),
      ...(this.#probes && { probes: this.#probes }),
      ...(this.#watch && { watch: this.#watch }),
      ...(this.#looks && { samples: this.#looks }),
      ...(!held() && { challenges: this.challenges }),
      ...(!knowsAhead() && { ahead: this.#ahead }),
      ...(!knowsPreviews() && { previews: this.#previews }),
    }
    this.#request = null
    this.#probes = null
    this.#looks = null
    this.#watch = null
    return { status: 200, json: { assignment: isNew ? this.assignment : null, ...asked } }
  }

  async #takeReport(report) {
    const taken = this.#report(report)
    // A fault of desired is for who asks by itself.
    if (!report.desired || !this.holdsReports || this.faults.desired) return taken
    const { json: desired } = await this.#desired(report.desired)
    return { status: 200, json: { ...taken.json, desired } }
  }

  #report({ bootId, windows }) {
    let highest = this.#highestSeq.get(bootId) ?? 0
    let before = 0
    for (const window of windows) {
      if (window.seq <= before) this.violations.push(`report: seq ${window.seq} out of order`)
      before = window.seq
      if (window.seq <= highest) {
        this.resentWindows++
        continue
      }
      highest = window.seq
      this.windows.push({ bootId, seq: window.seq, window })
    }
    this.#highestSeq.set(bootId, highest)
    const slower = this.reportSlowerMs && { reportEveryMs: this.reportSlowerMs }
    const rules = this.#hasNewRules && { neighbours: this.neighbours.rules }
    this.#hasNewRules = false
    return { status: 200, json: { acknowledgedSeq: highest, ...slower, ...rules } }
  }
}

function problem(status, code, detail) {
  return { status, json: { type: 'about:blank', title: code, status, code, detail } }
}

// SPDX-License-Identifier: MIT
// A client that behaves, beside those that don't: it asks for one file after the other, by turns on
// a connection it keeps and on new ones, and remembers what kept it waiting longest.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { get, RawClient, request } from './raw.mjs'

// Sanitizers and a busy machine are slow now and then; who is held up by an attack always waits.
const SLOWEST_MS = 5000
const MEAN_MS = 500
// Of a burst that is over before, the few answers are as slow as the machine, and this process itself, happen to be.
const MEAN_FROM_ANSWERS = 10
const MEAN_FROM_MS = SLOWEST_MS
const PAUSE_MS = 10

export class Witness {
  answers = 0
  slowestMs = 0
  waitedMs = 0 // all together
  #ended = false
  #done = null
  #kept = null

  /** `onNew: false`: there is no room for another connection. */
  static async start(port, { target = '/a.txt', text = 'alpha', onNew = true } = {}) {
    const witness = new Witness()
    witness.#kept = await RawClient.connect(port)
    const askKept = async () => {
      witness.#kept.send(request(target))
      return witness.#kept.response()
    }
    const ways = onNew ? [askKept, () => get(port, target)] : [askKept]
    witness.#done = witness.#run(ways, text)
    witness.#done.catch(() => {}) // stop() throws it
    return witness
  }

  async #run(ways, text) {
    while (!this.#ended)
      for (const ask of ways) {
        const start = performance.now()
        const response = await ask()
        const took = performance.now() - start
        this.slowestMs = Math.max(this.slowestMs, took)
        this.waitedMs += took
        assert.equal(response.status, 200)
        assert.equal(response.text, text)
        this.answers++
        await sleep(PAUSE_MS)
      }
  }

  /** Throws unless every answer was right and came soon, and there were at least `atLeast`. */
  async stop(t, atLeast = 2) {
    this.#ended = true
    await this.#done
    this.#kept.close()
    const meanMs = this.waitedMs / this.answers
    const times = `${meanMs | 0} ms each, ${this.slowestMs | 0} ms at most`
    t.diagnostic(`witness: ${this.answers} answers, ${times}`)
    const isLong = this.answers >= MEAN_FROM_ANSWERS || this.waitedMs >= MEAN_FROM_MS
    const isSteady = meanMs < MEAN_MS || !isLong
    assert.ok(isSteady && this.slowestMs < SLOWEST_MS, `the witness waited: ${times}`)
    assert.ok(this.answers >= atLeast, `only ${this.answers} answers for the witness`)
  }
}

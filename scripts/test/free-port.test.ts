// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { freePort, freePorts } from '../testing/free-port.mjs'

/** Of this run alone. */
const first = 10_000 + ((process.pid * 4) % 9_000)
const script = new URL('../testing/free-port.mjs', import.meta.url).href

/** What a process of its own is given of a range. */
async function givenToAnother(range: { first: number; end: number }): Promise<string> {
  const program = `import { freePort } from '${script}'
    console.log(await freePort(${JSON.stringify(range)}))`
  const words = ['--input-type=module', '--eval', program]
  return (await promisify(execFile)(process.execPath, words)).stdout.trim()
}

describe('freePort', () => {
  it('gives ports that the kernel gives to nobody', async () => {
    const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
    for (const port of await freePorts(20))
      assert.ok(port < Number(range.split(/\s/)[0]), `${port}`)
  })

  it('gives each once, also to processes side by side', async () => {
    const range = { first, end: first + 3 }
    const three = await Promise.all([freePort(range), freePort(range), freePort(range)])
    assert.deepEqual(three.toSorted(), [first, first + 1, first + 2])
    await assert.rejects(freePort(range), /no TCP port from \d+ to \d+ is free/)
    await assert.rejects(givenToAnother(range), /no TCP port/)
  })

  it('leaves out what somebody listens on, at any address', async () => {
    const port = await freePort()
    const server = createServer().listen(port, '127.77.0.1')
    await once(server, 'listening')
    await assert.rejects(givenToAnother({ first: port, end: port + 1 }), /no TCP port/)
    server.close()
  })

  it('gives back what its process had when that has ended', async () => {
    const range = { first: first + 3, end: first + 4 }
    for (let i = 0; i < 2; i++) assert.equal(await givenToAnother(range), `${first + 3}`)
  })
})

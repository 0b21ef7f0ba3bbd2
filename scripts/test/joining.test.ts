// SPDX-License-Identifier: MIT
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { whyRejoin } from '../farm/joining.ts'

const dir = mkdtempSync(join(tmpdir(), 'farmstead-joining-'))
after(() => rmSync(dir, { recursive: true }))

const agentUrl = 'https://127.0.0.1:9701'
const nodeId = 'node_01jd4q6v2m8w3x5y7z9abcdefg'
/** Good until 2026-12-22T06:19:43Z. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBfTCCASOgAwIBAgIUZfvgxDvlFQUJ3qGBIsXupJTGbf8wCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbm9kZV90ZXN0MB4XDTI2MTEyMjA2MTk0M1oXDTI2MTIyMjA2
MTk0M1owFDESMBAGA1UEAwwJbm9kZV90ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAE6jQMCfAxdyTd5UDPyHtrvmOhdFiY0u0XDk5vOLpMwgne2kfjEg5MAWBV
unpj8BhKpRVaYqn+37knxu2A2QsCoKNTMFEwHQYDVR0OBBYEFBPtVHp8CPUwZzz2
dkBu14IhZhtCMB8GA1UdIwQYMBaAFBPtVHp8CPUwZzz2dkBu14IhZhtCMA8GA1Ud
EwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIgdFNqxNZGDYhD2b5WJ84Lz6rH
WFuH1fsJBnPFSEtn+y0CIQD7tx6sm0/PhgpMrK9hgtyExD8icnbyNKbwx9i8qnxl
LA==
-----END CERTIFICATE-----
`

let count = 0
function stateDir(identity: unknown): string {
  const state = join(dir, String(count++))
  mkdirSync(state)
  const text = typeof identity === 'string' ? identity : JSON.stringify(identity)
  writeFileSync(join(state, 'identity.json'), text)
  return state
}

const at = (time: string) => Date.parse(time)
const good = { controlPlaneUrl: agentUrl, nodeId, insecureHttp: false, certificate }

describe('whyRejoin', () => {
  it('lets a node with a good certificate go on', () => {
    assert.equal(whyRejoin(stateDir(good), agentUrl, at('2026-12-22T06:19:42Z')), null)
  })

  it('sees a certificate that ended', () => {
    assert.deepEqual(whyRejoin(stateDir(good), agentUrl, at('2026-12-22T06:19:43Z')), {
      nodeId,
      why: 'its certificate ended while the farm did not run',
    })
  })

  it('sees a node of the days of plain HTTP', () => {
    const plain = { controlPlaneUrl: 'http://127.0.0.1:9701', nodeId, credential: 'x'.repeat(40) }
    assert.deepEqual(whyRejoin(stateDir(plain), agentUrl), {
      nodeId,
      why: 'it spoke plain HTTP until now',
    })
  })

  it('sees that the control plane has moved to another port', () => {
    const rejoin = whyRejoin(stateDir(good), 'https://127.0.0.1:9801')
    assert.equal(rejoin?.why, `it knows the control plane at ${agentUrl}`)
  })

  it('leaves what it cannot read to the node itself', () => {
    assert.equal(whyRejoin(stateDir('{'), agentUrl), null)
    assert.equal(whyRejoin(join(dir, 'nowhere'), agentUrl), null)
    const odd = { ...good, certificate: 'no certificate' }
    assert.equal(whyRejoin(stateDir(odd), agentUrl), null)
  })
})

// SPDX-License-Identifier: MIT
// Runs testssl.sh against a node with the default profile, and fails at a finding that is not listed here. Not part
// of the tests: it takes minutes. Debian has it as the package testssl.sh.
//   node test/testssl.mjs
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { LOOPBACK } from './support/raw.mjs'
import { authorities, startTlsNode } from './support/tls-node.mjs'

/** What is of the certificate that was made here, of a name without a DNS, or no fault of a server for files. */
const exceptions = {
  cert_serialNumberLen: 'the certificate was made here',
  cert_expirationStatus: 'the same: it lives for a month',
  cert_notAfter: 'the same',
  cert_revocation: 'the same: its authority revokes nothing',
  DNS_CAArecord: 'the name is localhost',
  security_headers: 'those are the site’s, by "headers"',
}

const BAD = new Set(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])

for (const kind of ['ec', 'rsa'])
  test(`testssl.sh, ${kind}`, async (t) => {
    const { root, intermediate, folder } = authorities(t)
    const node = await startTlsNode(t, {
      sites: [
        {
          hosts: ['localhost', LOOPBACK],
          certificates: [intermediate.issue(['localhost', LOOPBACK], { kind })],
          hsts: { maxAgeSeconds: 31_536_000 },
        },
      ],
      files: { 'index.html': '<h1>hello</h1>' },
    })
    const report = join(folder, `testssl-${kind}.json`)
    const flags = ['--quiet', '--color', '0', '--warnings', 'off', '--ip', LOOPBACK]
    const where = ['--add-ca', root.pemFile, '--jsonfile', report, `localhost:${node.tlsPort}`]
    try {
      execFileSync('testssl', [...flags, ...where], { stdio: 'ignore' })
    } catch (error) {
      if (error.code === 'ENOENT')
        throw new Error('testssl is not here: apt-get install testssl.sh')
      // It ends with the number of what it noticed: the report says what.
    }
    const found = JSON.parse(readFileSync(report, 'utf8'))
    assert.ok(found.length > 100, `${found.length} lines`)
    const bad = found.filter(({ severity, id }) => BAD.has(severity) && !(id in exceptions))
    assert.deepEqual(bad, [])
  })

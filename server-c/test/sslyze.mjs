// SPDX-License-Identifier: MIT
// Runs sslyze against a node with the default profile: it has to be Mozilla's intermediate one, and no known hole may be
// found. Not part of the tests: sslyze comes from PyPI, into build/sslyze.
//   node test/sslyze.mjs
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { before, test } from 'node:test'
import { LOOPBACK } from './support/raw.mjs'
import { authorities, startTlsNode } from './support/tls-node.mjs'

const REQUIREMENT = 'sslyze==6.3.1'
const environment = resolve(import.meta.dirname, '../build/sslyze')
const program = join(environment, 'bin/sslyze')

/** What its report has to say, by what was looked for. */
const expected = {
  heartbleed: { is_vulnerable_to_heartbleed: false },
  openssl_ccs_injection: { is_vulnerable_to_ccs_injection: false },
  robot: { robot_result: 'NOT_VULNERABLE_RSA_NOT_SUPPORTED' },
  session_renegotiation: { is_vulnerable_to_client_renegotiation_dos: false },
  tls_1_3_early_data: { supports_early_data: false },
  tls_compression: { supports_compression: false },
  tls_fallback_scsv: { supports_fallback_scsv: true },
}

before(() => {
  if (existsSync(program)) return
  execFileSync('/usr/bin/python3', ['-m', 'venv', environment])
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
  execFileSync(join(environment, 'bin/pip'), ['install', ...quiet, REQUIREMENT])
})

for (const kind of ['ec', 'rsa'])
  test(`sslyze, ${kind}`, async (t) => {
    const { root, intermediate, folder } = authorities(t)
    const node = await startTlsNode(t, {
      sites: [
        {
          hosts: ['localhost', LOOPBACK],
          certificates: [intermediate.issue(['localhost', LOOPBACK], { kind })],
        },
      ],
      files: { 'index.html': '<h1>hello</h1>' },
    })
    const report = join(folder, `sslyze-${kind}.json`)
    const what = [
      '--early_data',
      '--mozilla_config',
      'intermediate',
      '--certinfo_ca_file',
      root.pemFile,
    ]
    const said = spawnSync(program, [...what, '--json_out', report, `localhost:${node.tlsPort}`], {
      encoding: 'utf8',
    })
    // It ends with 1 when the node does not fit the profile; every hole it looks for is told in its report.
    assert.equal(said.status, 0, said.stdout + said.stderr)
    const scan = JSON.parse(readFileSync(report, 'utf8')).server_scan_results[0].scan_result
    const told = Object.fromEntries(
      Object.entries(expected).map(([looked, fields]) => [
        looked,
        Object.fromEntries(Object.keys(fields).map((key) => [key, scan[looked].result?.[key]])),
      ]),
    )
    assert.deepEqual(told, expected)
  })

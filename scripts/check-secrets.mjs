// SPDX-License-Identifier: MIT
// No file of this repository may hold a secret: private keys, tokens of ours and of others, passwords in addresses, files
// that a running farm keeps. Looks at what git knows, by the forms below; needs no network. What only tests
// use is named here with why; a name that covers nothing any more fails, too. Prints the offenders.
//   node scripts/check-secrets.mjs [FOLDER]     another repository, for the test of this
import { spawnSync } from 'node:child_process'
import { lstatSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './setup/paths.mjs'

/** As they stand in a text; in a string of a program the line ends are two characters. */
const forms = [
  {
    what: 'a private key',
    form: /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----(?:\s|\\r|\\n|[",+' ])*[A-Za-z0-9+/=]{40}/,
  },
  { what: 'an age identity', form: /AGE-SECRET-KEY-1[0-9A-Z]{58}/ },
  // One letter time after time is how documents write one.
  { what: 'an API token of Farmstead', form: /\bfsa_[0-9a-z]{26}_(?!(.)\1{42})[A-Za-z0-9_-]{43}/ },
  { what: 'a token of Farmstead for joining or set-up', form: /\bfs[st]_[A-Za-z0-9_-]{32,}/ },
  { what: 'a webhook secret', form: /\bwhsec_[A-Za-z0-9+/]{32,}/ },
  { what: 'a sealed secret of a control.db', form: /\bbox1\.[A-Za-z0-9_-]{40,}/ },
  { what: 'a key of AWS', form: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/ },
  { what: 'a token of GitHub', form: /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})/ },
  { what: 'a token of GitLab', form: /\bglpat-[\w-]{20}/ },
  { what: 'a token of npm', form: /\bnpm_[A-Za-z0-9]{36}\b/ },
  { what: 'a token of Slack', form: /\bxox[abposr]-[\w-]{10,}/ },
  { what: 'a key of Google', form: /\bAIza[\w-]{35}/ },
  { what: 'a key of Stripe', form: /\b[rs]k_live_[A-Za-z0-9]{20,}/ },
  {
    what: 'a signed web token',
    form: /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/,
  },
  // Hosts that nobody can have (RFC 2606) are those of documents and tests.
  {
    what: 'a password in an address',
    form: /\b(?:https?|postgres(?:ql)?|smtps?|redis|amqp):\/\/[^\s:/@"'`$<>{}]+:[^\s:/@"'`$<>{}…*]{6,}@(?!(?:[\w-]+\.)*(?:example(?:\.(?:org|com|net))?|test|invalid|localhost)\b)[a-z0-9]/i,
  },
]
/** What a farm, a shell or a cloud's tools keep beside their work. */
const FILE_NAMES =
  /^(?:(?:session|secrets|ca|id_(?:rsa|ecdsa|ed25519))\.?key|id_(?:rsa|ecdsa|ed25519)|control\.db(?:-wal)?|identity\.json|\.env(?:\..+)?|\.npmrc|\.netrc|.+\.(?:p12|pfx|jks|keystore))$/

/** Made for tests and good for nothing else. A folder ends with "/". */
const forTests = new Map([
  [
    'server-c/test/fuzz/corpus/tls_certificate/',
    'what the fuzzer of certificates and keys begins with',
  ],
  [
    'server-c/test/fuzz/tls/fuzz_tls_certificate.c',
    'the certificate and key that the fuzzer changes',
  ],
  [
    'control-api/test/features/webhooks/rules.test.ts',
    "the example of Standard Webhooks' own text",
  ],
])

/** @param {string} folder */
function filesOf(folder) {
  const { status, stdout, stderr, error } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  if (error || status !== 0)
    throw new Error(
      `git cannot say which files are ${folder}'s (${error?.message ?? stderr.trim()}): run this in a clone.`,
    )
  return stdout.split('\0').filter((path) => path && lstatIn(folder, path)?.isFile())
}

/** @param {string} folder @param {string} path */
const lstatIn = (folder, path) => lstatSync(join(folder, path), { throwIfNoEntry: false })

/** @param {string} folder @param {string} path @returns {string[]} */
function secretsIn(folder, path) {
  const found = FILE_NAMES.test(basename(path)) ? ['a file of secrets by its name'] : []
  const text = readFileSync(join(folder, path), 'latin1')
  for (const { what, form } of forms) {
    const at = text.search(form)
    if (at >= 0) found.push(`${what} in line ${text.slice(0, at).split('\n').length}`)
  }
  return found
}

const folder = process.argv[2] ?? root
const files = filesOf(folder)
const covered = new Set()
let offenders = 0
for (const path of files) {
  const found = secretsIn(folder, path)
  if (found.length === 0) continue
  const cover = [...forTests.keys()].find((name) =>
    name.endsWith('/') ? path.startsWith(name) : path === name,
  )
  if (cover !== undefined) {
    covered.add(cover)
    continue
  }
  offenders++
  console.error(
    `${path}: ${found.join(', ')}. Take it out and make a new one; if it is only a test's, name the file in scripts/check-secrets.mjs.`,
  )
}
const idle = folder === root ? [...forTests.keys()].filter((name) => !covered.has(name)) : []
for (const name of idle) {
  console.error(`${name}: scripts/check-secrets.mjs names it, and no secret is in it any more`)
}
console.log(`${files.length} files were looked at`)
process.exitCode = offenders + idle.length > 0 ? 1 : 0

// SPDX-License-Identifier: MIT
// Certificates for tests, by openssl(1): an authority, and what it signs.
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const openssl = (...words) => execFileSync('openssl', words, { stdio: ['ignore', 'pipe', 'pipe'] })

const KEYS = {
  ec: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  rsa4096: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:4096'],
  rsa1024: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
}

/** Some seconds of a core each, and no test is about the key: one for all certificates of a file of tests. */
let rsa4096 = null
function makeKey(kind, path) {
  if (kind !== 'rsa4096') return openssl('genpkey', ...KEYS[kind], '-out', path)
  rsa4096 ??= openssl('genpkey', ...KEYS.rsa4096)
  writeFileSync(path, rsa4096, { mode: 0o600 })
}

/** `when` in days from now, as openssl-ca(1) takes it. */
const day = (when) =>
  `${new Date(Date.now() + when * 86_400_000).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`

let serial = 0

/** An authority in `folder`; `parent` signs it, or it signs itself. */
export class Authority {
  constructor(folder, name, parent) {
    this.folder = folder
    this.name = name
    this.parent = parent
    this.keyFile = join(folder, `${name}.key`)
    this.pemFile = join(folder, `${name}.pem`)
    openssl('genpkey', ...KEYS.ec, '-out', this.keyFile)
    this.database = join(folder, `${name}.index`)
    writeFileSync(this.database, '')
    this.#sign(this.pemFile, this.keyFile, {
      by: parent ?? this,
      subject: `/CN=${name}`,
      extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'],
    })
    this.pem = readFileSync(this.pemFile, 'utf8')
  }

  #sign(out, key, { by, subject, extensions, from = -1, to = 30 }) {
    const request = `${out}.csr`
    const config = `${out}.cnf`
    openssl('req', '-new', '-key', key, '-subj', subject, '-out', request)
    writeFileSync(
      config,
      `[ca]\ndefault_ca=d\n[d]\ndatabase=${by.database}\nnew_certs_dir=${by.folder}\nserial=${by.database}.serial\npolicy=p\ndefault_md=sha256\nunique_subject=no\ncopy_extensions=none\nx509_extensions=x\n[p]\ncommonName=optional\n[x]\n${extensions.join('\n')}\n`,
    )
    writeFileSync(`${by.database}.serial`, `${(1000 + serial++).toString(16).padStart(8, '0')}\n`)
    const signer = by === this && !this.pem ? ['-selfsign'] : ['-cert', by.pemFile]
    openssl(
      ...['ca', '-batch', '-notext', '-config', config, '-in', request, '-out', out],
      ...['-keyfile', by.keyFile, ...signer, '-startdate', day(from), '-enddate', day(to)],
    )
  }

  /**
   * Signs a certificate for `names` and returns its files: `chainFile` with the certificate and, unless this
   * authority is a root, its own, and `keyFile`.
   */
  issue(names, { kind = 'ec', file = names[0].replace('*', 'any'), tells, ...times } = {}) {
    const chainFile = join(this.folder, `${file}-${kind}.pem`)
    const keyFile = join(this.folder, `${file}-${kind}.key`)
    makeKey(kind, keyFile)
    const alternatives = names.map((name) => `${/^[\d.]+$/.test(name) ? 'IP' : 'DNS'}:${name}`)
    this.#sign(chainFile, keyFile, {
      by: this,
      subject: `/CN=${names[0]}`,
      extensions: [
        `subjectAltName=${alternatives.join(',')}`,
        'basicConstraints=CA:FALSE',
        ...(tells ? ['authorityInfoAccess=caIssuers;URI:http://ca.example/issuer.cer'] : []),
      ],
      ...times,
    })
    if (this.parent) appendFileSync(chainFile, this.pem)
    return { chainFile, keyFile }
  }
}

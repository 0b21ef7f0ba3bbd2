// SPDX-License-Identifier: MIT
// What becomes of each directive that needs no more than a sentence, and which of them are a program's.
import type { Verdict } from '../findings.ts'

const words = (text: string) => text.trim().split(/\s+/)

export const APPLICATIONS: ReadonlySet<string> = new Set(
  words(
    'reverse_proxy php_fastcgi php_server forward_auth templates cgi webdav acme_server copy_response frankenphp mercure',
  ),
)

export type Said = { verdict: Verdict; code: string; text: string }
const table = new Map<string, Said>()
const say = (verdict: Verdict, code: string, text: string, names: string) => {
  for (const name of words(names)) table.set(name, { verdict, code, text })
}

const BY_ITSELF = 'The node does this by itself and has no setting for it.'
const CERTIFICATES =
  'Certificates of the control plane come from an authority by its own settings: see Certificates.'

say(
  'different',
  'by-itself',
  BY_ITSELF,
  'push request_body fs tracing servers grace_period shutdown_delay order',
)
say(
  'different',
  'unit',
  'The node has no such service; it is asked by its control plane.',
  'admin storage persist_config debug_port',
)
say(
  'different',
  'certificate-to-order',
  CERTIFICATES,
  'email acme_ca acme_ca_root acme_eab acme_dns dns cert_issuer key_type ocsp_stapling ocsp_interval renew_interval cert_lifetime preferred_chains skip_install_trust local_certs pki on_demand_tls storage_clean_interval ca',
)
say('taken', '', '', 'auto_https http_port https_port default_bind')
say(
  'different',
  'server-name',
  'Who names no host gets the site "*", or the first with certificates.',
  'default_sni fallback_sni',
)
say('different', 'log-level', 'errorLog.level says how much is logged.', 'debug')
say(
  'unsupported',
  'no-status-page',
  'A node has a status page and /metrics at an address of its own: see `admin` in the configuration.',
  'metrics',
)
say(
  'unsupported',
  'variable',
  'A node has no variables. Write what it stands for where it is used.',
  'vars map log_append log_name',
)
say(
  'unsupported',
  'environment',
  'No program is behind a node that could get it.',
  'request_header method copy_response_headers intercept',
)
say(
  'unsupported',
  'named-route',
  'A node has no routes to call: write what it does into the site.',
  'invoke',
)

/** null: code is for it, or nobody knows it. */
export const saidOf = (name: string): Said | null => table.get(name) ?? null

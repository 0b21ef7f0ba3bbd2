// SPDX-License-Identifier: MIT
// The certificates of a host, and those that it asks of visitors.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { isAbsolutePath } from '../values.ts'
import { type Host, ownOf } from './hosts.ts'
import { argOf } from './layers.ts'
import { keyOf } from './parser.ts'

export function certificates(host: Host, findings: Findings): Rule[] {
  if (!host.isTls) return []
  const all = host.bodies.flatMap(({ own }) => own)
  const of = (key: string) => all.filter((one) => keyOf(one) === key)
  const [chains, keys] = [of('sslcertificatefile'), of('sslcertificatekeyfile')]
  const pairs = chains.map((chain, i) => ({
    ...{ chainFile: argOf(chain), keyFile: argOf(keys[i] ?? chain) },
  }))
  const good = pairs.filter(
    ({ chainFile, keyFile }, i) =>
      isAbsolutePath(chainFile) &&
      isAbsolutePath(keyFile) &&
      pairs.findIndex((one) => one.chainFile === chainFile) === i,
  )
  if (good.length === pairs.length) findings.taken(...chains, ...keys)
  else {
    const text =
      'Name each certificate once, with its key, by absolute paths, or upload them to the control plane.'
    findings.unsupported([...chains, ...keys], 'certificate', text)
  }
  return good
}

export function clientCertificates(host: Host, findings: Findings): Rule | null {
  const mode = ownOf(host, 'sslverifyclient')
  const file = ownOf(host, 'sslcacertificatefile')
  const said = [mode, file].filter((one) => one !== null)
  const inside = host.layers.all('sslverifyclient').filter(({ layer }) => layer.kind !== 'server')
  const text =
    'Certificates are asked of all visitors of a site: make these paths a site of their own.'
  for (const { directive } of inside) findings.unsupported([directive], 'client-certificates', text)
  const word = argOf(mode).toLowerCase()
  if (!mode || word === 'none') {
    findings.taken(...said)
    return null
  }
  if (/^(require|optional)$/.test(word) && isAbsolutePath(argOf(file))) {
    const why = 'Who has no certificate gets 403, not a broken handshake.'
    findings.different(said, 'client-certificates', why)
    return { mode: word === 'require' ? 'required' : 'optional', caFile: argOf(file) }
  }
  const why = 'It needs the authorities’ file by its absolute path, and "require" or "optional".'
  findings.unsupported(said, 'client-certificates', why)
  return null
}

// SPDX-License-Identifier: MIT
// The subject's alternative names as node:crypto prints them: "DNS:a, IP Address:1.2.3.4". What holds a comma or a quote it
// prints as a text of JSON (CVE-2021-44532); such a name is no host's, and is left out.
import type { X509Certificate } from 'node:crypto'

const NAME = /(DNS|IP Address):("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y
const OTHER = /[^:,]*:("(?:[^"\\]|\\.)*"|[^,]*)(?:, |$)/y
const DNS = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/
const ADDRESS = /^[0-9A-Fa-f.:]+$/

/** Of a host, in lower case, each once; in the certificate's order. */
export function namesOf({
  subjectAltName = '',
}: Pick<X509Certificate, 'subjectAltName'>): string[] {
  const found = new Set<string>()
  for (let at = 0; at < subjectAltName.length; ) {
    NAME.lastIndex = at
    const match = NAME.exec(subjectAltName)
    if (match) {
      const [whole, kind, value = ''] = match
      const name = value.toLowerCase()
      if (name.length <= 253 && (kind === 'DNS' ? DNS : ADDRESS).test(name)) found.add(name)
      at += Math.max(1, whole.length)
      continue
    }
    OTHER.lastIndex = at
    at += Math.max(1, OTHER.exec(subjectAltName)?.[0].length ?? subjectAltName.length)
  }
  return [...found]
}

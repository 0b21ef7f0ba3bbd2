// SPDX-License-Identifier: MIT
// Which hosts a certificate is good for (RFC 9525): a wildcard stands for one label, the first. Pure.

/** Of the subject's alternative names: DNS names in lower case, and IP addresses. */
export type CertificateName = string

const IP = /^\[?[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*\]?$|^\d{1,3}(\.\d{1,3}){3}$/

/**
 * `host` as a site names it. "*.example.org" asks for that wildcard: what lies deeper, no certificate can promise. "*" is
 * whatever comes, which any certificate is as good for as another.
 */
export function covers(names: readonly CertificateName[], host: string): boolean {
  if (host === '*') return true
  const wanted = plain(host)
  return names.some((name) => {
    if (plain(name) === wanted) return true
    return (
      name.startsWith('*.') &&
      !wanted.startsWith('*.') &&
      !IP.test(wanted) &&
      parentOf(wanted) === name.slice(2)
    )
  })
}

/** IPv6 has one spelling of many; URL knows it. */
function plain(host: string): string {
  const lower = host.toLowerCase()
  if (!lower.includes(':')) return lower
  const inBrackets = lower.startsWith('[') ? lower : `[${lower}]`
  return URL.parse(`http://${inBrackets}/`)?.hostname ?? lower
}

const parentOf = (host: string) => host.slice(host.indexOf('.') + 1)

// SPDX-License-Identifier: MIT
// What a node is given to run is a config and the versions of the certificates it names. Within the control plane one digest
// stands for both, so that a new version of a certificate is another content under the same version of the config: it is
// offered, proved, read back and given back as a new config is. On the wire both are said by themselves. Pure.
import { sha256 } from '../base/ids.ts'
import type { CertificateVersion, Effective } from './messages.gen.ts'

/** Without certificates it is the config's own digest. */
export function contentDigest(
  configDigest: string,
  certificates: readonly CertificateVersion[] = [],
): string {
  return certificates.length === 0
    ? configDigest
    : `sha256:${sha256(said(configDigest, certificates))}`
}

/** Of a text with its certificates: what is alike is kept once. */
export const contentId = (text: string, certificates: readonly CertificateVersion[] = []) =>
  certificates.length === 0 ? sha256(text) : sha256(said(text, certificates))

const said = (of: string, certificates: readonly CertificateVersion[]) =>
  JSON.stringify([
    of,
    ...inOrder(certificates).map(({ name, version, fingerprintSha256 }) => [
      name,
      version,
      fingerprintSha256,
    ]),
  ])

export const inOrder = (certificates: readonly CertificateVersion[]) =>
  certificates.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** As a node tells it, with the digest of all that it runs. Of a text that a person left on it nobody gave any. */
export function asContent<E extends Effective | null>(effective: E): E {
  if (effective === null || effective.source === 'local') return effective
  return { ...effective, digest: contentDigest(effective.digest, effective.certificates) }
}

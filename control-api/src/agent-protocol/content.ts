// SPDX-License-Identifier: MIT
// What a node is given to run is a config, and the versions of the certificates and of the releases it names. Within the
// control plane one digest stands for all of it, so that a new version of one is another content under the same version of
// the config: it is offered, proved, read back and given back as a new config is. On the wire each is said by itself. Pure.
import { sha256 } from '../base/ids.ts'
import type { CertificateVersion, Effective, ReleaseVersion } from './messages.gen.ts'

/** What goes with a text. */
export type Parts = {
  certificates: readonly CertificateVersion[]
  releases: readonly ReleaseVersion[]
}

/** Of a config alone it is the config's own digest. */
export function contentDigest(
  configDigest: string,
  certificates: readonly CertificateVersion[] = [],
  releases: readonly ReleaseVersion[] = [],
): string {
  return isAlone(certificates, releases)
    ? configDigest
    : `sha256:${sha256(said(configDigest, certificates, releases))}`
}

/** Of a text with what goes with it: what is alike is kept once. */
export const contentId = (
  text: string,
  certificates: readonly CertificateVersion[] = [],
  releases: readonly ReleaseVersion[] = [],
) => sha256(isAlone(certificates, releases) ? text : said(text, certificates, releases))

const isAlone = (...parts: (readonly unknown[])[]) => parts.every(({ length }) => length === 0)

/** A certificate is three members, a release four: neither can be taken for the other. */
const said = (
  of: string,
  certificates: readonly CertificateVersion[],
  releases: readonly ReleaseVersion[],
) =>
  JSON.stringify([
    of,
    ...inOrder(certificates).map(({ name, version, fingerprintSha256 }) => [
      name,
      version,
      fingerprintSha256,
    ]),
    ...inOrder(releases).map(({ name, number, manifestSha256 }) => [
      'release',
      name,
      number,
      manifestSha256,
    ]),
  ])

export const inOrder = <T extends { name: string }>(parts: readonly T[]) =>
  parts.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** As a node tells it, with the digest of all that it runs. Of a text that a person left on it nobody gave any. */
export function asContent<E extends Effective | null>(effective: E): E {
  if (effective === null || effective.source === 'local') return effective
  const { digest, certificates, releases } = effective
  return { ...effective, digest: contentDigest(digest, certificates, releases) }
}

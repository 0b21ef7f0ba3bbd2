// SPDX-License-Identifier: MIT
// Is this text a config? The schema answers first, with hints; the node's own binary has the last word:
// what it takes is good, what it refuses is not, and when it can't be asked nothing is good.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConfigError } from '../../../api-shapes/common.ts'
import { repositoryDir } from '../../../base/places.ts'
import type { NodeCheck, NodeCheckResult } from '../../../node-check/node-check.ts'
import { certificatesIn, type Placed, type SiteCertificates } from '../text/certificates.ts'
import { digestOf } from '../text/digest.ts'
import { releasesIn } from '../text/releases.ts'
import type { SchemaNode } from '../text/schema-walk.ts'
import { MAX_ERRORS, parseConfigText, WHOLE_DOCUMENT } from '../text/text.ts'
import { CERTIFICATE_CODES, type CertificateNames, checkCertificates } from './certificate-check.ts'
import { checkReleases, RELEASE_CODE, type ReleaseNames } from './release-check.ts'
import type { SchemaCheck } from './schema-check.ts'

export type Validation =
  | { ok: true; digest: string; errors: [] }
  /** `unavailable`: nobody could decide, and why. */
  | { ok: false; digest: null; errors: ConfigError[]; unavailable: string | null }
export type Validate = (text: string) => Promise<Validation>

/** What we find by ourselves; `digest` is null when the text can't be read. */
export type Examined = {
  digest: string | null
  errors: ConfigError[]
  /** Those that are named: whether they are there is not in the text. */
  certificates: SiteCertificates[]
  releases: Placed[]
}
export type Examine = (text: string) => Promise<Examined>
type Deps = {
  examine: Examine
  nodeCheck: NodeCheck
  certificates: CertificateNames
  releases: ReleaseNames
}

export function createValidate({ examine, nodeCheck, certificates, releases }: Deps): Validate {
  return async (text) => {
    const { digest, errors, ...named } = await examine(text)
    const ours = [
      ...errors,
      ...(await checkCertificates(named.certificates, certificates)),
      ...(await checkReleases(named.releases, releases)),
    ]
    return conclude(await nodeCheck(text), digest, ours)
  }
}

/** Nothing of the tree it reads the text into, which is a hundred times as large, goes out of here. */
export function examineText(checkSchema: SchemaCheck, text: string): Examined {
  const parsed = parseConfigText(text)
  if (!parsed.ok) {
    return { digest: null, errors: parsed.errors, certificates: [], releases: [] }
  }
  const { root, value } = parsed
  return {
    digest: digestOf(value),
    errors: checkSchema(text, parsed),
    certificates: certificatesIn(text, root, value),
    releases: releasesIn(text, root, value),
  }
}

/** `digest` is null when we could not read the text; `ours` is what we found. */
function conclude(node: NodeCheckResult, digest: string | null, ours: ConfigError[]): Validation {
  switch (node.verdict) {
    case 'good':
      // Which certificates and releases there are, the node does not know.
      if (digest === null || ours.some(isOursAlone)) return refused(ours)
      return digest === node.digest
        ? { ok: true, digest, errors: [] }
        : refused([readDifferently(node.digest, digest)])
    case 'bad':
      // What the node says of a place, it says best.
      return refused([
        ...node.errors,
        ...ours.filter((error) => !node.errors.some((its) => samePlace(its, error))),
      ])
    case 'unavailable':
      return { ...refused([...ours, notChecked(node.message)]), unavailable: node.message }
  }
}

const isOursAlone = ({ code }: ConfigError) => CERTIFICATE_CODES.has(code) || code === RELEASE_CODE

const refused = (errors: ConfigError[]) => ({
  ok: false as const,
  digest: null,
  errors: errors.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_ERRORS),
  unavailable: null,
})

/** A text that can't be read has one error, wherever each reader gave up. */
const samePlace = (a: ConfigError, b: ConfigError) =>
  a.pointer === b.pointer ||
  (a.line === b.line && a.column === b.column) ||
  (a.code === 'syntax' && b.code === 'syntax')

const notChecked = (why: string): ConfigError => ({
  pointer: '',
  ...WHOLE_DOCUMENT,
  code: 'node_check_unavailable',
  message: `farmstead-node could not be asked, so nobody knows whether this config is right: ${why}`,
  hint: '',
})

const readDifferently = (theirs: string, ours: string): ConfigError => ({
  pointer: '',
  ...WHOLE_DOCUMENT,
  code: 'digest_mismatch',
  message: `farmstead-node and this control plane read the text differently (${theirs}, ${ours})`,
  hint: 'use the same release of both; if they are, this is a bug',
})

/** Printed by `farmstead-node schema`; server-c owns it. */
export const CONFIG_SCHEMA_FILE = join(repositoryDir, 'server-c/config.schema.json')

export function loadConfigSchema(path = CONFIG_SCHEMA_FILE): SchemaNode {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(
      `The schema of the nodes' configuration cannot be read from ${path}: ${error instanceof Error ? error.message : error}. \`farmstead-node schema\` prints it.`,
    )
  }
}

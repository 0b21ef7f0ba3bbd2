// SPDX-License-Identifier: MIT
// What differs at every site, whichever server it comes from, and what stands for a whole draft.
import type { Rule } from './draft.ts'
import type { Findings } from './findings.ts'
import {
  COPIES,
  HIDDEN_FILES,
  HOST_LEFT_OUT,
  LINKS,
  MORE_TYPES,
  OTHER_METHODS,
  OWN_ANSWERS,
} from './sayings.ts'
import { type Directive, everyDirective } from './tree.ts'

export const MOST_SITES = 1000
export const MOST_HOSTS = 256
const MOST_LISTENS = 64
/** Where no other folder is known: a site that only sends elsewhere has to name one. */
export const ANY_ROOT = '/var/www/html'

export function sayOfEverySite(at: readonly Directive[], findings: Findings): void {
  findings.different(at, 'hidden-files', HIDDEN_FILES)
  findings.different(at, 'symlinks', LINKS)
  findings.different(at, 'own-answers', OWN_ANSWERS)
  findings.different(at, 'more-types', MORE_TYPES)
  findings.different(at, 'copies', COPIES)
  findings.different(at, 'methods', OTHER_METHODS)
}

/** Of a host that passes requests on. */
export function leaveOutAll(directives: readonly Directive[], findings: Findings): void {
  findings.unsupported([...everyDirective(directives)], HOST_LEFT_OUT.code, HOST_LEFT_OUT.text)
}

/** An address that is named twice is one. */
export function listenList(listens: readonly Rule[]): Rule[] {
  const byAddress = new Map<string, Rule>()
  for (const rule of listens) {
    const key = `${rule.address} ${rule.port} ${rule.socket}`
    byAddress.set(key, { ...byAddress.get(key), ...rule })
  }
  const all = [...byAddress.values()].slice(0, MOST_LISTENS)
  return all.length > 0 ? all : [{ address: '0.0.0.0', port: 80 }]
}

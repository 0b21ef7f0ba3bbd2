// SPDX-License-Identifier: MIT
// What differs at every site, whichever server it comes from, and what stands for a whole draft.
import type { DraftSite, Rule } from './draft.ts'
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

const TOO_MANY_SITES = `A config has at most ${MOST_SITES} sites, and this one is left out: import the hosts in parts, each for nodes of their own.`

type Made = { directive: Directive; site: DraftSite }

/** As many as a config may have; of the others it is said of each of their directives. */
export function sitesWithin(all: readonly Made[], findings: Findings): DraftSite[] {
  const left = all.slice(MOST_SITES).flatMap(({ directive }) => [...everyDirective([directive])])
  findings.unsupported(left, 'too-many', TOO_MANY_SITES)
  return all.slice(0, MOST_SITES).map(({ site }) => site)
}

/** As many as a site may have. */
export function namesWithin(
  names: readonly string[],
  directive: Directive,
  findings: Findings,
): string[] {
  if (names.length > MOST_HOSTS) {
    const text = `A site has at most ${MOST_HOSTS} names: the others are left out. Say some of them by one with "*".`
    findings.unsupported([directive], 'too-many', text)
  }
  return names.slice(0, MOST_HOSTS)
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

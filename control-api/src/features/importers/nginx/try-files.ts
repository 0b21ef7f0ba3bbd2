// SPDX-License-Identifier: MIT
// What is looked for in place of a path, in its order: try_files, internal, and answers of a location that say the same.
import type { Rule } from '../draft.ts'
import { PAGE_FOR_ALL } from '../sayings.ts'
import { argsOf } from '../tree.ts'
import { UNSAYABLE } from './headers.ts'
import { firstThatFits, pathsOf } from './rules.ts'
import type { Location, Locations, Scope } from './scope.ts'
import type { SiteContext } from './site-context.ts'

const USUAL_TRY = ['{path}', '{path}/']

export function tryFiles(context: SiteContext): Rule[] {
  const { findings, locations, steps } = context
  const found = firstThatFits(locations, {
    of: (scope, location) => candidatesOf(context, scope, location),
    key: (value) => value.join(' '),
    unsayable: (location) => {
      const { scope, directive } = location
      const own = [...scope.own('try_files'), ...scope.own('internal')]
      const answers = steps.answers.has(location) ? [directive, ...scope.steps] : []
      findings.unsupported([...own, ...answers], 'location', UNSAYABLE)
    },
  })
  return found.map(({ paths, value }) => ({
    ...pathsOf(paths),
    candidates: value.length > 0 ? value : USUAL_TRY,
  }))
}

function candidatesOf(context: SiteContext, scope: Scope, location: Location | null): string[] {
  const { findings, steps } = context
  const answer = steps.answers.get(location)
  if (answer && (answer.status === 404 || answer.status === 410)) {
    findings.taken(answer.directive)
    return [String(answer.status)]
  }
  if (scope.own('internal').length > 0) {
    findings.taken(...scope.own('internal'))
    return ['404']
  }
  const fallback = steps.fallbacks.get(location)
  if (fallback) {
    findings.different(fallback.directives, 'page-for-all', PAGE_FOR_ALL)
    findings.different(fallback.directives, 'folder-without-index', FOLDERS)
    return [...USUAL_TRY, fallback.path]
  }
  const [directive] = scope.of('try_files')
  if (!directive) return []
  const words = argsOf(directive).map((word) => scope.resolved(word))
  const candidates = words.map((word, i) => candidateOf(context, word, i === words.length - 1))
  if (candidates.includes(null) || candidates.length > 8) {
    const text =
      'Of these a node knows $uri, $uri/, $uri with something behind it, a file of the site, and =404, =403 or =410.'
    findings.unsupported([directive], 'try-files', text)
    return []
  }
  const known = candidates.filter((one) => one !== null)
  if (known.some((one) => one.startsWith('/')))
    findings.different([directive], 'page-for-all', PAGE_FOR_ALL)
  else if (known.some((one) => /^\{path\}./.test(one) && one !== '{path}/')) {
    findings.different(
      [directive],
      'slash-and-suffix',
      'A slash at the end of the path is taken off before something is put behind it.',
    )
  } else findings.taken(directive)
  if (known.join() === '{path},{path}/,404') return []
  if (known.includes('{path}/')) findings.different([directive], 'folder-without-index', FOLDERS)
  return known
}

const FOLDERS =
  'A folder without an index file or a list is passed over, and what comes next is tried.'
function candidateOf({ locations }: SiteContext, word: string, isLast: boolean): string | null {
  const code = /^=(404|403|410)$/.exec(word)?.[1]
  if (code) return isLast ? code : null
  if (word.startsWith('@')) return isLast ? namedCandidate(locations, word) : null
  const text = word.replace(/\?.*$/s, '').replace(/^\$\{?uri\}?/, '{path}')
  if (text.includes('$')) return null
  if (/^\{path\}[^{}]*$/.test(text)) return text
  return /^\/[^{}]*[^/{}]$/.test(text) ? text : null
}

/** A place of its own that does no more than name a file or a status. */
function namedCandidate({ named }: Locations, name: string): string | null {
  const steps = named.get(name)?.steps ?? []
  const [only] = steps
  if (!only || steps.length > 1) return null
  const [first = '', second = ''] = argsOf(only)
  if (only.name === 'return') return ['404', '403', '410'].includes(first) && !second ? first : null
  const path = second.replace(/\?.*$/s, '')
  return only.name === 'rewrite' &&
    /^\^?(\(?\.[*+]\)?)?\$?$/.test(first) &&
    /^\/[^${}]*[^/${}]$/.test(path)
    ? path
    : null
}

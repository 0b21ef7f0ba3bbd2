// SPDX-License-Identifier: MIT
// `handle_errors`: pages for errors, by their status.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { argsOf, type Directive, everyDirective } from '../tree.ts'

/** Those that a server of files has. */
const STATUSES = ['403', '404', '405', '416', '500', '503']
const PAGES =
  'Pages are looked for under the root, by the statuses that a server of files has; one that is not there is the node’s own. They are sent whole.'
const UNSAYABLE =
  'Pages for errors are files of the site, named by status: write them into errorPages.'

export function errorPagesOf(block: readonly Directive[], findings: Findings): Rule {
  const pages: Record<string, string> = {}
  for (const directive of block.filter(({ name }) => name === 'handle_errors')) {
    const own = argsOf(directive)
    const inner = directive.block ?? []
    const named = new Map(
      inner.filter(({ name }) => name.startsWith('@')).map((one) => [one.name, one]),
    )
    const found = pagesIn(inner, own.length > 0 ? own : null, named)
    const all = [...everyDirective([directive])]
    if (found === null || found.length === 0) {
      findings.unsupported(all, 'error-page', UNSAYABLE)
      continue
    }
    findings.different(all, 'error-files', PAGES)
    for (const [status, page] of found) pages[status] ??= page
  }
  return Object.keys(pages).length > 0 ? { errorPages: pages } : {}
}

type Found = [string, string][]

/** null: it does something else. */
function pagesIn(
  block: readonly Directive[],
  statuses: readonly string[] | null,
  named: ReadonlyMap<string, Directive>,
): Found | null {
  const found: Found = []
  for (const directive of block) {
    const { name, block: inner } = directive
    const [first = ''] = argsOf(directive)
    const of = first.startsWith('@') ? statusesOf(named.get(first)) : statuses
    if (name.startsWith('@') || name === 'import' || name === 'root') continue
    if (name === 'handle' || name === 'route') {
      const deeper = of === undefined ? null : pagesIn(inner ?? [], of, named)
      if (deeper === null) return null
      found.push(...deeper)
    } else if (name === 'rewrite' || name === 'try_files') {
      const page = argsOf(directive).at(-1) ?? ''
      if (of === undefined) return null
      const pages = pagesFor(page, of)
      if (pages === null) return null
      found.push(...pages)
    } else if (name !== 'file_server') return null
  }
  return found
}

/** Of "{err.status_code} == 404" and lists of such; undefined: it asks for more. */
function statusesOf(definition: Directive | undefined): string[] | undefined {
  const text = definition ? argsOf(definition).join(' ').slice(0, 300) : ''
  const found =
    /^expression [`"']?\{(?:http\.error|err)\.status_code\} (?:==|in) \[?([\d, ]+)\]?[`"']?$/.exec(
      text,
    )
  return found?.[1]?.split(',').map((one) => one.trim())
}

function pagesFor(page: string, statuses: readonly string[] | null): Found | null {
  const isGood = (path: string) => /^\/[^{}?#\s]*[^{}?#\s/]$/.test(path)
  const known = (statuses ?? STATUSES).filter((one) => /^[45](\d\d|xx)$/.test(one))
  const placed = /\{(http\.error|err)\.status_code\}/g
  if (placed.test(page)) {
    const all = known.map((one): [string, string] => [one, page.replaceAll(placed, one)])
    return all.every(([, path]) => isGood(path)) ? all : null
  }
  if (!isGood(page)) return null
  return statuses === null
    ? [
        ['4xx', page],
        ['5xx', page],
      ]
    : known.map((one): [string, string] => [one, page])
}

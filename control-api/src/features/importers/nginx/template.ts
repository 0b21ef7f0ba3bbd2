// SPDX-License-Identifier: MIT
// Where nginx sends clients, as the node's rules write it. nginx decides by the location and by "if"; the node by one expression.
import { withoutGroups } from '../regex.ts'
import type { Location, Scope } from './scope.ts'

export type Target = {
  to: string
  /** Whether nginx sends the query along. */
  hasQuery: boolean
}
export type TargetContext = { scope: Scope; scheme: 'http' | 'https'; name: string | null }

// The node's variables, in texts.
const [HOST, QUERY] = ['$' + '{host}', '$' + '{query}']
const ARGS = /(\$is_args\$(args|query_string)|\?\$(args|query_string))$/

/** null: a variable in it has no counterpart. In the match `$0` must be the whole path. */
export function targetOf(text: string, { scope, scheme, name }: TargetContext): Target | null {
  const resolved = scope.resolved(text)
  const isWhole = resolved.includes('$request_uri')
  const own = resolved.replace(ARGS, '')
  let isKnown = true
  const to = own.replaceAll(/\$(?:\{(\w+)\}|(\d|[A-Za-z_]\w*))/g, (whole, braced, bare) => {
    const variable: string = braced ?? bare
    if (/^\d$/.test(variable)) return `\${${variable}}`
    switch (variable) {
      case 'host':
      case 'http_host':
        return HOST
      case 'server_name':
        return name ?? HOST
      case 'scheme':
        return scheme
      case 'request_uri':
      case 'uri':
      case 'document_uri':
        return '$0'
      case 'args':
      case 'query_string':
        return QUERY
      default:
        isKnown = false
        return whole
    }
  })
  if (
    !isKnown ||
    /\$(?![\d{])/.test(to) ||
    !/^(https?:\/\/|\/|\$0)[!-~]*$/i.test(to) ||
    to.length > 2048
  )
    return null
  return { to: to.replaceAll(/\$\{(\d)\}(?!\d)/g, '$$$1'), hasQuery: isWhole || own !== resolved }
}

/** The whole path, when it is the location's and none's that goes before it. */
export function matchOf(location: Location | null, before: readonly Location[], own = ''): string {
  const isnt = before.map(({ regex }) => `(?!${ahead(withoutGroups(regex))})`).join('')
  const is = location && location.text !== '/' ? `(?=${ahead(location.regex)})` : ''
  const also = own === '' ? '' : `(?=${ahead(own)})`
  return `^${isnt}${is}${also}.*$`
}

/** An expression of nginx's is looked for anywhere. */
const ahead = (regex: string) =>
  regex.startsWith('^') && !regex.includes('|') ? regex.slice(1) : `(?s:.*?)(?:${regex})`

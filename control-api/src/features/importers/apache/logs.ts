// SPDX-License-Identifier: MIT
// CustomLog and LogFormat.
import type { Rule } from '../draft.ts'
import type { Findings } from '../findings.ts'
import { LOG_FOLDER } from '../sayings.ts'
import { argsOf, type Directive } from '../tree.ts'
import { keyOf } from './parser.ts'

const FIELDS: Record<string, string> = {
  ...{
    h: 'client',
    a: 'client',
    l: '-',
    u: 'user',
    t: 'time',
    r: 'request',
    s: 'status',
    b: 'bodyBytes',
  },
  ...{
    B: 'bodyBytes',
    O: 'bytes',
    v: 'site',
    V: 'host',
    D: 'totalMicros',
    T: 'totalSeconds',
    m: 'method',
  },
  ...{ U: 'path', q: 'query', H: 'protocol' },
}
const REQUEST: Record<string, string> = {
  referer: 'referer',
  'user-agent': 'userAgent',
  host: 'host',
}
/** As Debian's apache2.conf has them; a format that is given in the files goes before. */
const USUAL: Record<string, string> = {
  ...{ combined: 'combined', common: 'common', vhost_combined: 'vhost_combined' },
}
const COMBINED = /^%[ha] %l %u %t "%r" %>?s %[bBO] "%\{referer\}i" "%\{user-agent\}i"$/i

/** null: nothing is said. `all`: where formats are. */
export function logMember(
  own: readonly Directive[],
  all: readonly Directive[],
  findings: Findings,
): Rule | null {
  const [first, ...others] = own.filter((one) => keyOf(one) === 'customlog')
  if (!first) return null
  const text = 'A site has one access log. What reads the other can read that one.'
  findings.unsupported(others, 'second-log', text)
  const [path = '', format = '', condition = ''] = argsOf(first)
  const name = path.split('/').at(-1) ?? ''
  if (path === '/dev/null') {
    findings.taken(first)
    return { path: 'none' }
  }
  const isSyslog = /^syslog/i.test(path)
  if (path.startsWith('|') || (!/^\w[\w.-]*$/.test(name) && !isSyslog)) {
    const why = 'A log is a file here, or "stdout", or syslog: no program gets its lines.'
    findings.unsupported([first], 'log-pipe', why)
    return null
  }
  findings.different([first], 'log-folder', LOG_FOLDER)
  if (condition !== '' || /^(env|expr)=/.test(format)) {
    const why = 'All requests are logged; accessLog.statuses, .paths and .exceptPaths choose.'
    findings.different([first], 'log-condition', why)
  }
  const where = isSyslog ? 'syslog:/dev/log' : `/var/log/farmstead/${name}`
  const named = formatNamed(format, all)
  const written = named
    ? formatOf(argsOf(named)[0] ?? '', named, findings)
    : (USUAL[format] ?? (format.includes('%') ? formatOf(format, first, findings) : 'combined'))
  return { path: where, ...(written !== null && written !== 'combined' && { format: written }) }
}

const formatNamed = (name: string, all: readonly Directive[]) =>
  name === ''
    ? undefined
    : all.findLast((one) => keyOf(one) === 'logformat' && argsOf(one)[1] === name)

/** null: combined is taken. */
function formatOf(text: string, directive: Directive, findings: Findings): string | null {
  if (COMBINED.test(text)) {
    findings.taken(directive)
    return 'combined'
  }
  if (/^%[ha] %l %u %t "%r" %>?s %[bBO]$/.test(text)) {
    findings.taken(directive)
    return 'common'
  }
  if (/^%[vV](:%p)? /.test(text) && COMBINED.test(text.replace(/^%[vV](:%p)? /, ''))) {
    findings.taken(directive)
    return 'vhost_combined'
  }
  const unknown = new Set<string>()
  const written = text
    .replaceAll(/[{}]/g, '$&$&')
    .replaceAll(/%[<>!\d,]*(?:\{\{([^{}]*)\}\})?([A-Za-z%])/g, (whole, inner, letter) => {
      if (letter === '%') return '%'
      const field =
        inner === undefined || letter === 't'
          ? FIELDS[letter]
          : letter === 'i'
            ? REQUEST[inner.toLowerCase()]
            : undefined
      if (!field) unknown.add(whole.replaceAll('{{', '{').replaceAll('}}', '}'))
      return field === '-' || !field ? '-' : field === 'time' ? '[{time}]' : `{${field}}`
    })
    .replaceAll('[[{time}]]', '[{time}]')
  const isGood = written.length <= 512 && written.includes('{time}') && !/\p{Cc}/u.test(written)
  if (!isGood) {
    const why = 'Write the format by the node’s fields, {time} among them; combined is taken.'
    findings.unsupported([directive], 'log-format', why)
    return null
  }
  if (unknown.size === 0) findings.taken(directive)
  else {
    const why = `A node has no ${[...unknown].slice(0, 8).join(', ')}: "-" stands in its place.`
    findings.different([directive], 'log-format', why)
  }
  return written
}
